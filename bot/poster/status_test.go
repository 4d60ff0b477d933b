package poster

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// TestSlackShowsThatTheBotIsAtWork checks that the status is set again while a turn works, and cleared at its
// end. An app that is not an agent uses the older method.
func TestSlackShowsThatTheBotIsAtWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent   bool
		on, off string
	}{
		"an agent":    {true, "processing", "active"},
		"another app": {false, "is looking into it", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openPosterOffice(t, slacktest.Config{Agent: c.agent})
			root := o.AdaSays("it fails", "")
			light := &StatusIndicator{Slack: o.Bot, Again: time.Millisecond, Timeout: time.Minute}
			trouble := errors.New("of the work itself")
			err := light.During(t.Context(), o.ThreadOf(root), func(context.Context) error {
				require.Eventually(t, func() bool { return len(o.Statuses()) > 2 }, time.Minute,
					time.Millisecond)
				require.Equal(t, c.on, o.Status(o.ThreadOf(root).Channel, root))
				return trouble
			})
			require.Equal(t, trouble, err)
			require.Empty(t, o.Status(o.ThreadOf(root).Channel, root))
			shown := o.Statuses()
			require.Equal(t, []string{c.on, c.on, c.off}, []string{shown[0], shown[1], shown[len(shown)-1]})
			if !c.agent {
				require.Len(t, o.Requests("agents.sessions.setStatus"), 1,
					"it is not asked twice whether it is one")
			}
		})
	}
}

func TestAStatusThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	o.Order(slacktest.Fault{Method: "assistant.threads.setStatus", Times: -1, Error: "missing_scope"})
	root := o.AdaSays("it fails", "")
	var log bytes.Buffer
	light := &StatusIndicator{
		Slack:   o.Bot,
		Timeout: time.Minute,
		Log:     slog.New(slog.NewTextHandler(&log, nil)),
	}
	for range 3 {
		require.NoError(t,
			light.During(t.Context(), o.ThreadOf(root), func(context.Context) error { return nil }))
	}
	require.Equal(t, 1, strings.Count(log.String(), "missing_scope"), log.String())
}

// TestASignIsALineOrSlacksOwnStatus checks that the line of a sign is posted and deleted, twice without harm,
// and that none is where Slack shows its own status.
func TestASignIsALineOrSlacksOwnStatus(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]bool{"a line": false, "Slack's own": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openPosterOffice(t, slacktest.Config{})
			root := o.AdaSays("it fails", "")
			light := &StatusIndicator{Slack: o.Bot, Timeout: time.Minute}
			sign := o.Posting("s:sign", root, "Looking into it …")
			sign.Sign = true
			out := (&bottest.Outbox{}).Put(sign)
			p := o.poster(out)
			p.OwnStatus = light.Shown
			post := func(context.Context) error { return p.Drain(t.Context(), "s") }
			if own {
				thread := o.ThreadOf(root)
				require.NoError(t, light.During(t.Context(), thread, func(ctx context.Context) error {
					require.Eventually(t, func() bool { return light.Shown(thread) }, time.Minute,
						time.Millisecond)
					return post(ctx)
				}))
				require.Empty(t, o.replies(root))
				require.False(t, light.Shown(o.ThreadOf(root)), "the work is over")
			} else {
				require.NoError(t, post(t.Context()))
				require.Equal(t, []string{"[deep] Looking into it …"}, o.replies(root))
			}
			for _, key := range []string{"s:sign:end", "s:sign:again"} {
				end := o.Posting(key, root, "")
				end.Lines = nil
				end.EndsSign = true
				end.OnTS = out.ByKey["s:sign"]
				out.Put(end)
			}
			require.NoError(t, post(t.Context()))
			require.Empty(t, o.replies(root))
		})
	}
}
