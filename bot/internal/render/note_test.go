package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// TestANoteReplacesHowToAnswer shows a report after it was answered: the program's line that says how to
// answer goes, with its mark.
func TestANoteReplacesHowToAnswer(t *testing.T) {
	t.Parallel()
	l := workflow.Line{
		Agent:   "orchestrator",
		Vouched: []int{0, 2},
		Text: "Shown by a command that fails. Root cause (revision 1, at c0ffee): “it rounds”\n" +
			"Confidence: high.\n" +
			"No code was changed. Reply \"fix it\", or say what is wrong.",
	}
	shown := Part{Text: Style{}.Line(l)}
	require.Contains(t, shown.Text, "\n◆ No code was changed.")
	require.Equal(
		t,
		"[orchestrator] ◆ Shown by a command that fails. Root cause (revision 1, at c0ffee): “it rounds”\n"+
			"Confidence: high.\n&gt; ◆ Approved by bea.",
		shown.WithNote("Approved by bea.", nil).Text,
	)
}
