package orchestrator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// Of a long thread agents are shown the first message and the newest, and how many are left out.
func TestALongThreadSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	tn := &Orchestrator{Ledger: ledgertest.Open(t, nil)}
	said := []workflow.ThreadMessage{{Name: "bea", TS: "1.0", Text: "the request itself"}}
	text, _, err := tn.earlierText(t.Context(), said)
	require.NoError(t, err)
	require.Empty(t, text, "the inbox has it")

	said = []workflow.ThreadMessage{{Name: "bea", TS: "0.1", Text: "the first words"}}
	for i := range 200 {
		said = append(said, workflow.ThreadMessage{
			Name: "ann",
			TS:   fmt.Sprintf("2.%d", i),
			Text: fmt.Sprintf("reply %d %s", i, strings.Repeat("x", 200)),
		})
	}
	said[1].Skipped = 4800
	text, of, err := tn.earlierText(t.Context(), said)
	require.NoError(t, err)
	require.Less(t, len(text), 2*worktree.MaxEarlier)
	require.Contains(t, text, "reply 199 ")
	require.NotContains(t, text, "reply 100 ")
	require.True(t, of["2.199"])
	shown := len(of)
	require.Contains(t, text, fmt.Sprintf("%d messages between them are left out", 4800+201-shown))

	_, err = tn.Store.Pool.Exec(t.Context(), `alter table inbox rename to elsewhere`)
	require.NoError(t, err)
	_, _, err = tn.earlierText(t.Context(), said)
	require.ErrorContains(t, err, "inbox", "no message is left out since the database fails")
}
