package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// A window that refuses has the name of the button that was pressed.
func TestARefusalHasTheNameOfItsButton(t *testing.T) {
	t.Parallel()
	for action, title := range map[workflow.ActionID]string{
		workflow.ButtonReport:  "Report a bug",
		workflow.ButtonFeature: "Ask for a feature",
		workflow.ButtonCorrect: "Too late",
	} {
		view := Modal(workflow.Form{ActionID: action, Late: "Guests cannot."}, "")
		require.Equal(t, title, view.Title.Text)
		require.Nil(t, view.Submit, title)
	}
}
