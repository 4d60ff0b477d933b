package gateway

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// counter is a Doer that answers each call at once and counts the calls.
type counter struct{ calls int }

func (c *counter) Do(*http.Request) (*http.Response, error) {
	c.calls++
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(""))}, nil
}

// TestReconnectsAreSpacedOut lets Slack end every link at once for an hour: there are about as many calls as
// minutes. When links live long again, the next call does not wait.
func TestReconnectsAreSpacedOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var slack counter
		d := &reconnectLimiter{
			next:   &slack,
			log:    slog.New(slog.DiscardHandler),
			apart:  time.Second,
			steady: 30 * time.Second,
			most:   time.Minute,
		}
		open := func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
				"https://slack.com/api/apps.connections.open", nil)
			require.NoError(t, err)
			response, err := d.Do(r)
			require.NoError(t, err)
			response.Body.Close()
		}
		for began := time.Now(); time.Since(began) < time.Hour; {
			open()
		}
		require.LessOrEqual(t, slack.calls, 67)
		require.Greater(t, slack.calls, 50)

		// synctest's clock: the link lives longer than steady, and no real time passes
		time.Sleep(31 * time.Second)
		began := time.Now()
		open()
		require.Zero(t, time.Since(began))

		// The control: without the waits, 5,000 calls take less than a second.
		d.apart, d.most, d.wait = 0, 0, 0
		began = time.Now()
		for range 5000 {
			open()
		}
		require.Less(t, time.Since(began), time.Second)
	})
}
