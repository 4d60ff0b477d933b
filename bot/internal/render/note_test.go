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
		Vouched: []int{1, 3},
		Text: "**it rounds**\n✓ Reproduced · sure of the cause\nSplit cuts.\n" +
			"shop@c0ffee · revision 1 · nothing is changed yet. Reply \"fix it\", or say what is wrong.",
	}
	shown := Part{Text: Style{}.Line(l)}
	require.Contains(t, shown.Text, "\n◆ shop@c0ffee · revision 1 · nothing is changed yet. Reply")
	require.Equal(t, "[orchestrator] *it rounds*\n✓ Reproduced · sure of the cause\nSplit cuts.\n"+
		"◆ shop@c0ffee · revision 1\n&gt; ◆ Approved by bea.", shown.WithNote("Approved by bea.", nil).Text)
	l.Text = "A request\nRevision 1. Reply \"yes\" to start."
	l.Vouched = []int{1}
	shown = Part{Text: Style{}.Line(l)}
	require.Equal(t, "[orchestrator] A request\n◆ Revision 1.\n&gt; ◆ Approved by bea.",
		shown.WithNote("Approved by bea.", nil).Text)
}
