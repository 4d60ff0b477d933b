// Package question shows a question to the thread: its text, and the buttons that answer it.
package question

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// Text is a question as the thread sees it. Of an interview it has its number and how many
// decisions come after it; the first one says how to answer.
func Text(q decision.Question, aligning bool, number int) string {
	text := q.Question
	if aligning {
		text = fmt.Sprintf("Question %d%s: %s", number, moreToDecide(len(q.Open)), q.Question)
	}
	text += optionsText(q)
	if aligning && number == 1 { // the others have the same buttons
		text += "\nPress or write an answer, or say \"wrap up\" to take what I recommend."
	}
	return text
}

// optionsText is the options by number: on one line where they are short, else a line each.
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

// moreToDecide is how many decisions come after a question; empty for none.
func moreToDecide(open int) string {
	if open == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d more)", open)
}

// Buttons are a question's options, the recommended one marked; those of an interview end it, too.
func Buttons(q decision.Question, aligning bool) []outgoing.Button {
	var buttons []outgoing.Button
	for _, o := range q.Options {
		b := outgoing.Button{ActionID: "option", Label: o, Value: store.NewToken(), Means: o}
		if o == q.Recommended {
			b.Style = "primary"
		}
		buttons = append(buttons, b)
	}
	if aligning {
		buttons = append(buttons, outgoing.Button{ActionID: "wrap_up", Label: "Wrap up", Value: store.NewToken()})
	}
	return buttons
}
