package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// TestWhatWasRefusedWhileTheBotWasOutIsPostedAgain checks that a message in the thread, and nothing else, has
// the lines posted that Slack refused while the bot was out of the channel.
func TestWhatWasRefusedWhileTheBotWasOutIsPostedAgain(t *testing.T) {
	t.Parallel()
	for code, again := range map[string]bool{
		"not_in_channel":                  true,
		"channel_not_found":               true,
		"is_archived":                     true,
		"is_inactive":                     true,
		"restricted_action":               true,
		"restricted_action_thread_locked": true,
		"msg_too_long":                    false,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := storetest.Open(t)
			turn := storetest.BeginTurn(t, s)
			out := outbox.New(s.DB)
			refuse := func(lines ...workflow.Line) {
				require.NoError(t, turn.Record(ctx, store.Lines(lines)))
				p, err := out.Next(ctx, turn.Session().ID)
				require.NoError(t, err)
				require.NoError(t, out.Refused(ctx, p.Key, code))
			}
			refuse(workflow.Line{Agent: "orchestrator", Text: "still reading", Progress: true})
			refuse(workflow.Line{Agent: "orchestrator", Text: "read", Progress: true}, workflow.Line{
				Agent: "orchestrator",
				Text:  "the cause",
			})
			receive := func(kind workflow.MessageKind, ts string) *workflow.Posting {
				in := workflow.IncomingEvent{
					EventID: "Ev" + ts,
					Kind:    kind,
					Thread:  turn.Session().Thread,
					TS:      ts,
					User:    "U1",
					Text:    "fix it",
				}
				require.NoError(t, storetest.Inbox(s).Receive(ctx, in))
				p, err := out.Next(ctx, turn.Session().ID)
				require.NoError(t, err)
				return p
			}
			require.Nil(t, receive(workflow.MessageAction, "1700000020.000100"),
				"a press tells nothing of the channel")
			p := receive(workflow.MessageReply, "1700000030.000100")
			if !again {
				require.Nil(t, p)
				return
			}
			require.NotNil(t, p)
			require.Equal(t, "[orchestrator] read\n[orchestrator] the cause", p.Text())
			require.True(t, p.Tried, "it is looked up first")
			require.NoError(t, out.CheckOwner(ctx, p.Key))
			require.Equal(t, 1, storetest.CountRows(t, s,
				`select count(*) from river_job where kind = 'post' and state = 'available'`))
		})
	}
}
