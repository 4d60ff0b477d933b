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
			d.log.Warn("the link to Slack ended soon; waiting before the next",
				"lived", lived.Round(time.Millisecond), "wait", rest.Round(time.Millisecond))
			if err := bot.Pause(r.Context(), rest); err != nil {
				return err
			}
		}
	}
	d.opened = time.Now()
	return nil
}
