package deliveries

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// TestAMessageIsSeenWhileNoLineComesThrough shows that a message is marked as seen even if Slack accepts no
// lines in its thread. In the control, reactions wait for the lines before them.
func TestAMessageIsSeenWhileNoLineComesThrough(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		echoOptions
		within time.Duration
		seen   bool
	}{
		"apart":  {echoOptions{}, harness.StepTimeout, true},
		"behind": {echoOptions{behind: true}, 3 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openGale(t, 1, 0)
			c.replicas, c.connections = 1, 1
			s.start(c.echoOptions)
			channel := s.channel("busy")
			s.slack.Order(slacktest.Fault{
				Method: "chat.postMessage",
				Times:  -1,
				Status: http.StatusTooManyRequests,
			})
			thread := s.ask(channel)
			eyes := func(ts string) func([]slacktest.Message) bool {
				return func(all []slacktest.Message) bool {
					return slices.ContainsFunc(all,
						func(m slacktest.Message) bool { return m.TS == ts && len(m.Reactions) == 1 })
				}
			}
			_, err := s.slack.WaitFor(harness.Soon(t), channel, thread.root,
				func([]slacktest.Message) bool { return len(s.slack.Requests("chat.postMessage")) > 0 })
			require.NoError(t, err)
			person := s.slack.Thread(channel, thread.root)[0].User
			began := time.Now()
			ts, err := s.slack.Say(channel, person, "stop", thread.root)
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), c.within)
			defer cancel()
			_, err = s.slack.WaitFor(ctx, channel, thread.root, eyes(ts))
			require.Equal(t, c.seen, err == nil, "%v", err)
			t.Logf("seen after %s: %t", time.Since(began).Round(time.Millisecond), err == nil)
			s.slack.ClearFaults()
			s.echoBots.settle()
		})
	}
}
