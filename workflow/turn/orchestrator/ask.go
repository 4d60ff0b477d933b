package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// unanswered is how long a question waits where the configuration does not say.
const unanswered = 24 * time.Hour

// Ask puts one question with its options, and waits.
func (l *Tools) Ask(ctx context.Context, q decision.Question) (model.Result, error) {
	s := l.Session()
	aligning := s.Phase == workflow.PhaseAligning
	waiting, err := l.Store.Waiting(ctx, s.ID)
	if err != nil {
		return model.Result{}, err
	}
	number := s.QuestionsAsked + 1
	if waiting != nil { // it is put again, after a question back, and keeps its number
		number = s.QuestionsAsked
	}
	switch may := max(s.QuestionLimit, workflow.MostQuestions); {
	case len(q.Options) < 2 || len(q.Options) > 4:
		return prompt.Wrong("ask needs two to four options, and one of them as recommended."), nil
	case !slices.Contains(q.Options, q.Recommended):
		return prompt.Wrong("recommended has to be one of the options, word for word."), nil
	case aligning && number > may:
		return prompt.Wrong("%d questions were asked, and nobody asked for more. Take your recommended answers for what is open, and call restate_request.", s.QuestionsAsked), nil
	}
	asked := progress.Question{Text: q.Question, Options: q.Options, Recommended: q.Recommended, Open: q.Open}
	if wait := l.AnswerTimeout(); wait > 0 {
		asked.Due = l.Store.Clock().Now().Add(wait)
	}
	written := []store.Part{
		asked,
		store.Lines(l.ProgramLine(QuestionText(q, aligning, number), QuestionButtons(q, aligning)...)),
		store.Update{Change: func(s *workflow.Session) { s.QuestionsAsked = number }, Open: ledger.Rest},
	}
	if waiting != nil {
		written = append([]store.Part{progress.Answer{Question: waiting.ID, Text: "put again below"}}, written...)
	}
	return ledger.WithParts(model.Result{Text: "Asked. Wait for the answer.", Ends: true}, written...), nil
}

// AnswerTimeout is how long a question waits for its answer; zero: for ever.
func (o *Orchestrator) AnswerTimeout() time.Duration {
	switch {
	case o.Unanswered < 0:
		return 0
	case o.Unanswered == 0:
		return unanswered
	}
	return o.Unanswered
}

func QuestionText(q decision.Question, aligning bool, number int) string {
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

func QuestionButtons(q decision.Question, aligning bool) []workflow.Button {
	var buttons []workflow.Button
	for _, o := range q.Options {
		b := workflow.Button{ActionID: "option", Label: o, Value: store.NewToken(), Means: o}
		if o == q.Recommended {
			b.Style = "primary"
		}
		buttons = append(buttons, b)
	}
	if aligning {
		buttons = append(buttons, workflow.Button{ActionID: "wrap_up", Label: "Wrap up", Value: store.NewToken()})
	}
	return buttons
}
