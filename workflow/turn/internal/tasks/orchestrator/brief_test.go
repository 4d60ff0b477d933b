package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// elsewhere is a Slack that knows only where people are.
type elsewhere struct{ ledger.Slack }

func (elsewhere) Zone(_ context.Context, user string) *time.Location {
	if user == "" {
		return nil
	}
	return time.FixedZone("", 2*60*60)
}

// Of a long thread agents are shown the first message and the newest with their times, and how many are left
// out, from which number on, and who wrote them.
func TestALongThreadSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	tn := &Orchestrator{Ledger: ledgertest.Open(t, elsewhere{})}
	said := []workflow.ThreadMessage{{Name: "bea", TS: "1.0", Text: "the request itself"}}
	text, _, err := tn.earlierText(t.Context(), said)
	require.NoError(t, err)
	require.Empty(t, text, "the inbox has it")

	said = []workflow.ThreadMessage{{Name: "bea", TS: "60.1", Text: "the first words", Number: 1}}
	for i := range 200 {
		said = append(said, workflow.ThreadMessage{
			Name: "ann",
			TS:   fmt.Sprintf("3602.%d", i),
			Text: fmt.Sprintf("reply %d %s", i, strings.Repeat("x", 200)),

			Number: 4802 + i,
		})
	}
	said[200].User = "U1"
	said[1].Skipped = 4800
	said[1].SkippedBy = map[string]int{"cem (program)": 4795, "ann": 4}
	text, of, err := tn.earlierText(t.Context(), said)
	require.NoError(t, err)
	require.Less(t, len(text), 2*worktree.MaxEarlier)
	require.Contains(t, text, "reply 199 ")
	require.NotContains(t, text, "reply 100 ")
	require.True(t, of["3602.199"])
	shown := len(of)
	left := 4800 + 201 - shown
	require.Contains(t, text, fmt.Sprintf("%d messages between them are left out, of cem \"program\" "+
		"(4795), ann (%d), bea (1); read_thread has them, from 1); ann's clock is UTC+2:\n", left,
		4+200-shown))
	require.Contains(t, text, "\nann (Thu 1970-01-01 01:00 UTC): reply 198 ")
	require.Contains(t, text, "\nann (Thu 1970-01-01 01:00 UTC, 03:00 local): reply 199 ")

	// The thread is told unless the agent has read something of this thread.
	brief := model.Message{Role: model.User, Text: "(program) Repository shop.\n\n" + text}
	asked := func(args, result string) []model.Message {
		return []model.Message{
			brief,
			{Role: model.Assistant, Calls: []model.Call{{ID: "1", Name: "read_thread", Args: []byte(args)}}},
			{Role: model.ToolRole, CallID: "1", Text: result},
		}
	}
	require.Equal(t, left, leftOutIn([]model.Message{brief}))
	require.Equal(t, left, leftOutIn(asked(`{"words":"x"}`, "Slack does not give the thread at the moment.")))
	require.Equal(t, left, leftOutIn(asked(`{"link":"https://x"}`, "That thread in #x has 9 messages.")))
	const none = "This thread has 5001 messages; as asked for: 0."
	require.Equal(t, left, leftOutIn(asked(`{"words":"x"}`, none)), "it saw nothing")
	require.Zero(t, leftOutIn(asked(`{"words":"x"}`, none+"\n<message>\n7. ann: x\n</message>")))
	require.Zero(t, leftOutIn([]model.Message{{Text: "(program) Said in the thread before:\n<message>\nx\n" +
		"  (program) Said in the thread before (it is long; 9 messages between\n</message>"}}))

	_, err = tn.Store.Pool.Exec(t.Context(), `alter table inbox rename to elsewhere`)
	require.NoError(t, err)
	_, _, err = tn.earlierText(t.Context(), said)
	require.ErrorContains(t, err, "inbox", "no message is left out since the database fails")
}
