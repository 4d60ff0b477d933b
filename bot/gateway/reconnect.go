package gateway

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
)

// A reconnectLimiter spaces out calls of apps.connections.open. slack-go opens a new link the moment an
// old one ends; where Slack ends each at once (too many of them, the link disabled), that
// is a storm of thousands of calls a second. It lets one through at a time, at
// least Apart after the last, and doubles the wait for every link that did not live Steady.
//
// It belongs to one connection and is asked by one goroutine.
type reconnectLimiter struct {
	next   bot.Doer
	log    *slog.Logger
	apart  time.Duration
	steady time.Duration
	most   time.Duration

	opened time.Time // when the last call was let through
	wait   time.Duration
}

// Do sends the request, after a wait when it would open a link.
func (d *reconnectLimiter) Do(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/apps.connections.open") {
		if err := d.waitForTurn(r); err != nil {
			return nil, err
		}
	}
	return d.next.Do(r)
}

func (d *reconnectLimiter) waitForTurn(r *http.Request) error {
	if !d.opened.IsZero() {
		lived := time.Since(d.opened)
		if lived < d.steady {
			d.wait = min(max(2*d.wait, d.apart), d.most)
		} else {
			d.wait = d.apart
		}
		if rest := d.wait - lived; rest > 0 {
			d.log.Warn("the link to Slack ended soon; waiting before the next", "lived", lived.Round(time.Millisecond), "wait", rest.Round(time.Millisecond))
			if err := bot.Pause(r.Context(), rest); err != nil {
				return err
			}
		}
	}
	d.opened = time.Now()
	return nil
}
