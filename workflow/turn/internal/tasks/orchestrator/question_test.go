package orchestrator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/tasks/orchestrator"
)

// Short options are on one line, long ones on a line each. The first question of an interview says how
// to answer, and each of its questions can end it.
func TestAQuestionIsShown(t *testing.T) {
	t.Parallel()
	short := decision.Question{
		Question:    "How long?",
		Options:     []string{"a day", "30 days"},
		Recommended: "30 days",
	}
	require.Equal(t, "How long?\n1. a day · 2. 30 days (recommended)",
		orchestrator.QuestionText(short, false, 1))
	require.Contains(t, orchestrator.QuestionText(short, true, 1), "say \"wrap up\"")
	require.Equal(t, "Question 2: How long?\n1. a day · 2. 30 days (recommended)",
		orchestrator.QuestionText(short, true, 2))
	long := decision.Question{
		Question: "Which?",
		Options: []string{
			"keep carts in the database that is there",
			"keep carts in a file beside the program, written at each change",
		},
	}
	require.Equal(t, "Which?\n1. keep carts in the database that is there\n2. keep carts in a file beside "+
		"the program, written at each change", orchestrator.QuestionText(long, false, 1))

	require.Len(t, orchestrator.QuestionButtons(short, false), 2)
	inInterview := orchestrator.QuestionButtons(short, true)
	require.Equal(t, workflow.ButtonWrapUp, inInterview[2].ActionID)
	require.Equal(t, []string{"", "primary"}, []string{inInterview[0].Style, inInterview[1].Style})
}
