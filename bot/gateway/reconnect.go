package gateway

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
)

// A reconnectLimiter spaces out calls of apps.connections.open. slack-go opens a new link the moment an old
// one ends; if Slack ends each link at once (too many links, or Socket Mode disabled), that means thousands
// of calls a second. The limiter waits until at least apart has passed since the last call, and doubles the
// wait after every link that lived less than steady, up to most.
//
// It belongs to one connection and is used by one goroutine.
type reconnectLimiter struct {
	next   bot.Doer
	log    *slog.Logger
	apart  time.Duration
	steady time.Duration
	most   time.Duration

	opened time.Time // time of the last call
	wait   time.Duration
}

// Do sends the request; it waits first if the request would open a link too early.
func (rl *reconnectLimiter) Do(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/apps.connections.open") {
		if err := rl.waitForTurn(r); err != nil {
			return nil, err
		}
	}
	return rl.next.Do(r)
}

func (rl *reconnectLimiter) waitForTurn(r *http.Request) error {
	if !rl.opened.IsZero() {
		lived := time.Since(rl.opened)
		if lived < rl.steady {
			rl.wait = min(max(2*rl.wait, rl.apart), rl.most)
		} else {
			rl.wait = rl.apart
		}
		if rest := rl.wait - lived; rest > 0 {
			rl.log.Warn("the link to Slack ended soon; waiting before the next",
				"lived", lived.Round(time.Millisecond), "wait", rest.Round(time.Millisecond))
			if err := bot.Pause(r.Context(), rest); err != nil {
				return err
			}
		}
	}
	rl.opened = time.Now()
	return nil
}
