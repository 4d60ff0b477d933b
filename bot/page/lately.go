package page

import (
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/home"
)

// followsFor is how long Slack's answer about access is reused for the updates of an open page. A page updates
// itself at each change, and Slack allows about fifty such calls a minute.
const followsFor = 30 * time.Second

// lately caches which users were recently allowed to see which sessions. The zero value is an empty cache.
type lately struct {
	mu    sync.Mutex
	known map[[2]string]judged // by user and session
}

type judged struct {
	home.Access
	at time.Time
}

// note stores an access that was allowed. It removes one that was refused, and all that are too old.
func (l *lately) note(user, session string, a home.Access, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, j := range l.known {
		if now.Sub(j.at) >= followsFor {
			delete(l.known, key)
		}
	}
	delete(l.known, [2]string{user, session})
	if a.Refused != "" {
		return
	}
	if l.known == nil {
		l.known = map[[2]string]judged{}
	}
	l.known[[2]string{user, session}] = judged{a, now}
}

// find returns the access that the user was granted less than followsFor ago, or false.
func (l *lately) find(user, session string, now time.Time) (home.Access, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j, ok := l.known[[2]string{user, session}]
	return j.Access, ok && now.Sub(j.at) < followsFor
}
