package orchestrator

import (
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// QuestionText returns a question as the thread sees it. A question of an interview has its number and how
// many decisions come after it, and the first one says how to answer.
func QuestionText(q decision.Question, aligning bool, number int) string {
	text := q.Question
	if aligning {
		text = fmt.Sprintf("Question %d%s: %s", number, moreToDecide(len(q.Open)), q.Question)
	}
	text += ledger.OptionsText(questionOf(q))
	if aligning && number == 1 { // the other questions have the same buttons
		text += "\nPress or write an answer, or say \"wrap up\" to take what I recommend."
	}
	return text
}

// moreToDecide returns how many decisions come after a question, or an empty string if there are none.
func moreToDecide(open int) string {
	if open == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d more)", open)
}

// QuestionButtons returns the buttons of a question.
func QuestionButtons(q decision.Question, aligning bool) []workflow.Button {
	return ledger.QuestionButtons(questionOf(q), aligning)
}

// questionOf returns the question as people are asked.
func questionOf(q decision.Question) workflow.Question {
	return workflow.Question{
		Text: q.Question, Options: q.Options, Recommended: q.Recommended, Open: q.Open,
	}
}
