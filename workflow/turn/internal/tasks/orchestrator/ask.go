package orchestrator

import (
	"context"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// unanswered is the default time that a question waits for its answer.
const unanswered = 24 * time.Hour

// Ask puts one question with its options to the thread, and ends the turn to wait for the answer.
func (l *Tools) Ask(ctx context.Context, q decision.Question) (model.Result, error) {
	s := l.Session()
	aligning := s.Phase == workflow.PhaseAligning
	waiting, err := l.Store.Waiting(ctx, s.ID)
	if err != nil {
		return model.Result{}, err
	}
	number := s.QuestionsAsked + 1
	wentBack := waiting != nil && waiting.AgainOf != 0
	if waiting != nil && !wentBack { // it is put again, after a person asked back, and keeps its number
		number = s.QuestionsAsked
	}
	switch may := max(s.QuestionLimit, workflow.MostQuestions); {
	case len(q.Options) < 2 || len(q.Options) > 4:
		return prompt.Wrong("ask needs two to four options, and one of them as recommended."), nil
	case !slices.Contains(q.Options, q.Recommended):
		return prompt.Wrong("recommended has to be one of the options, word for word."), nil
	case aligning && number > may:
		return prompt.Wrong("%d questions were asked, and nobody asked for more. Take your recommended "+
			"answers for what is open, and call restate_request.", s.QuestionsAsked), nil
	}
	if err := l.Runtime.RefuseUnread(ctx); err != nil {
		return prompt.Refused(err)
	}
	asked := progress.Question(questionOf(q))
	if aligning {
		asked.Number = number
	}
	if wait := l.AnswerTimeout(); wait > 0 {
		asked.Due = l.Store.Clock().Now().Add(wait)
	}
	said, err := l.OwnLine(ctx, QuestionText(q, aligning, number), QuestionButtons(q, aligning)...)
	if err != nil {
		return prompt.Refused(err)
	}
	written := []store.Part{
		asked,
		store.Lines(said),
		store.Update{Change: func(s *workflow.Session) { s.QuestionsAsked = number }, Open: ledger.Rest},
	}
	if wentBack { // it is shown when the question to which somebody went back has its answer
		asked.Answer = workflow.PutAgain
		asked.Due = time.Time{}
		written[0] = asked
		written[1] = store.Lines(nil)
	} else if waiting != nil {
		written = append([]store.Part{progress.Answer{Question: waiting.ID, Text: workflow.PutAgain}},
			written...)
	}
	return ledger.WithParts(model.Result{Text: "Asked. Wait for the answer.", Ends: true}, written...), nil
}

// AnswerTimeout returns how long a question waits for its answer; 0 means without limit.
func (o *Orchestrator) AnswerTimeout() time.Duration {
	switch {
	case o.Unanswered < 0:
		return 0
	case o.Unanswered == 0:
		return unanswered
	}
	return o.Unanswered
}
