package page

import (
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/home"
)

// followsFor is how long a page that follows its session is shown by what Slack said before: it
// loads itself anew at each change, and Slack allows some fifty such questions a minute.
const followsFor = 30 * time.Second

// lately keeps who was allowed to see what a moment ago. The zero value keeps nobody.
type lately struct {
	mu    sync.Mutex
	known map[[2]string]judged // by user and session
}

type judged struct {
	home.Access
	at time.Time
}

// note keeps what was allowed, and forgets what was refused or is too old.
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

// find gives what was allowed to the user a moment ago; false where nothing was.
func (l *lately) find(user, session string, now time.Time) (home.Access, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j, ok := l.known[[2]string{user, session}]
	return j.Access, ok && now.Sub(j.at) < followsFor
}
