package inquiry

import (
	"context"
	"encoding/json"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/experts"
)

// answerOwners answers who knows the files that the question names. If it names none, it takes the
// files that were changed and those that the newest report cites. No model is asked.
func (i *Inquiries) answerOwners(ctx context.Context, q workflow.Inquiry) {
	who := experts.Finder{Ledger: i.Ledger, Trees: i.Trees}
	places := who.InQuestion(q.Question)
	if len(places) == 0 {
		places = who.InChange(ctx)
		if r, err := i.Store.Report(ctx, i.Session().ID, i.Session().Revision); err == nil {
			places = append(places, experts.InReport(r)...)
		}
	}
	parts := []store.Part{store.Lines(i.ProgramLine("Which file do you mean? Write its path as the " +
		"repository has it, and I say who knows it."))}
	if len(places) > 0 {
		asks, err := i.Slack.Person(ctx, i.Session().Thread, q.By)
		if err != nil {
			i.Log.Warn("nobody is mentioned: Slack does not tell who asks", "user", q.By, "err", err)
			asks = workflow.Person{ID: q.By, Guest: true}
		}
		parts = who.Answered(ctx, who.Find(ctx, places), asks)
	}
	if ctx.Err() != nil {
		return // the inquiry is asked again when the session continues
	}
	q.Answer = json.RawMessage(`{"told":true}`)
	parts = append(parts, progress.Inquiry(q))
	if s := i.Session(); s.Phase == workflow.PhaseExploring && !s.Open {
		parts = append(parts, store.Update{OptionalEvents: []workflow.Event{workflow.EventAnswer}})
	}
	if err := i.Record(ctx, parts...); err != nil && ctx.Err() == nil {
		i.Log.Error("record who knows the code", "err", err)
	}
}
