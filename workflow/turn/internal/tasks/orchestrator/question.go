package orchestrator

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// QuestionText returns a question as the thread sees it. A question of an interview has its number and how
// many decisions come after it, and the first one says how to answer.
func QuestionText(q decision.Question, aligning bool, number int) string {
	text := q.Question
	if aligning {
		text = fmt.Sprintf("Question %d%s: %s", number, moreToDecide(len(q.Open)), q.Question)
	}
	text += optionsText(q)
	if aligning && number == 1 { // the other questions have the same buttons
		text += "\nPress or write an answer, or say \"wrap up\" to take what I recommend."
	}
	return text
}

// optionsText returns the numbered options: on one line if they are short, otherwise one per line.
func optionsText(q decision.Question) string {
	var options []string
	for i, o := range q.Options {
		o = fmt.Sprintf("%d. %s", i+1, o)
		if q.Options[i] == q.Recommended {
			o += " (recommended)"
		}
		options = append(options, o)
	}
	if len(options) == 0 {
		return ""
	}
	if all := strings.Join(options, " · "); utf8.RuneCountInString(all) <= 80 {
		return "\n" + all
	}
	return "\n" + strings.Join(options, "\n")
}

// moreToDecide returns how many decisions come after a question, or an empty string if there are none.
func moreToDecide(open int) string {
	if open == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d more)", open)
}

// QuestionButtons returns one button per option, with the recommended one highlighted. A question of an
// interview also has a button that ends the interview.
func QuestionButtons(q decision.Question, aligning bool) []workflow.Button {
	var buttons []workflow.Button
	for _, o := range q.Options {
		b := workflow.Button{ActionID: workflow.ButtonOption, Label: o, Value: store.NewToken(), Means: o}
		if o == q.Recommended {
			b.Style = "primary"
		}
		buttons = append(buttons, b)
	}
	if aligning {
		buttons = append(buttons,
			workflow.Button{ActionID: workflow.ButtonWrapUp, Label: "Wrap up", Value: store.NewToken()})
	}
	return buttons
}
