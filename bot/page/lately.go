package page

import (
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/home"
)

// followsFor is how long Slack's answer about access is reused for the updates of an open page. A page
// updates itself at each change, and Slack allows about fifty such calls a minute.
const followsFor = 30 * time.Second

// accessCache caches which users were recently allowed to see which sessions. The
// zero value is an empty cache.
type accessCache struct {
	mu    sync.Mutex
	known map[[2]string]cachedAccess // by user and session
}

type cachedAccess struct {
	home.Access
	at time.Time
}

// note stores an access that was allowed. It removes one that was refused, and all that are too old.
func (ac *accessCache) note(user, session string, a home.Access, now time.Time) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	for key, j := range ac.known {
		if now.Sub(j.at) >= followsFor {
			delete(ac.known, key)
		}
	}
	delete(ac.known, [2]string{user, session})
	if a.Refused != "" {
		return
	}
	if ac.known == nil {
		ac.known = map[[2]string]cachedAccess{}
	}
	ac.known[[2]string{user, session}] = cachedAccess{a, now}
}

// find returns the access that the user was granted less than followsFor ago, or false.
func (ac *accessCache) find(user, session string, now time.Time) (home.Access, bool) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	j, ok := ac.known[[2]string{user, session}]
	return j.Access, ok && now.Sub(j.at) < followsFor
}
