package ledger

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// OptionsText returns the numbered options of a question below its text: on one line if they are short,
// otherwise one per line.
func OptionsText(q workflow.Question) string {
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

// QuestionButtons returns one button per option, with the recommended one highlighted. A question of an
// interview also has a button that ends the interview.
func QuestionButtons(q workflow.Question, aligning bool) []workflow.Button {
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
