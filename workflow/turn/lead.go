package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A lead is the orchestrator's desk.
type lead struct {
	*Orchestrator
	journal *journal
}

// Say puts a line in the thread.
func (l *lead) Say(ctx context.Context, message string) (model.Result, error) {
	return l.journal.Say(ctx, message)
}

// Finish brings the work to its branch.
func (l *lead) Finish(ctx context.Context, f agent.Finish) (model.Result, error) {
	return l.Delivery.finish(ctx, l.journal, f)
}

// Reply answers and rests. A report that waits for its word goes on waiting.
func (l *lead) Reply(ctx context.Context, text string) (model.Result, error) {
	if strings.TrimSpace(text) == "" {
		return wrong("reply needs a text."), nil
	}
	l.journal.say(strings.TrimSpace(text))
	return l.rest(ctx)
}

// NotForMe rests without a word.
func (l *lead) NotForMe(ctx context.Context, reason string) (model.Result, error) {
	l.log.Info("not for the bot", "reason", reason)
	l.journal.add(store.Decision{What: "not_for_me", Reason: reason})
	return l.rest(ctx)
}

// rest ends the turn where nothing more is to do until somebody writes.
func (l *lead) rest(ctx context.Context) (model.Result, error) {
	s := l.Session()
	event := workflow.EventAnswer
	if approval, err := l.approval(ctx); err != nil {
		return model.Result{}, err
	} else if asking := s.Phase == workflow.PhaseExploring || s.Phase == workflow.PhaseDiagnosing; asking && l.waitsForWord(approval) {
		event = workflow.EventReturn
	} else if s.Phase == workflow.PhasePlanning && l.newestKind() == reportPlan && approval == nil {
		event = workflow.EventShowPlan
	}
	if _, err := s.Phase.Next(event); err == nil {
		l.journal.add(store.Update{Events: []workflow.Event{event}})
	}
	l.journal.add(store.Update{Open: no, Rested: true})
	return model.Result{Text: "Posted. The turn ends here.", Ends: true}, nil
}

// waitsForWord: a report was shown, nobody approved it, and nothing was built from it.
func (o *Orchestrator) waitsForWord(approval *workflow.Approval) bool {
	s := o.Session()
	if s.Revision == 0 || approval != nil || o.newestKind() == reportPlan {
		return false
	}
	spent, err := o.Store.Approval(context.Background(), s.ID, s.Revision)
	return err == nil && spent == nil
}

// Consult asks the consultant in the middle of the orchestrator's work.
func (l *lead) Consult(ctx context.Context, question string) (model.Result, error) {
	if strings.TrimSpace(question) == "" {
		return wrong("consult needs a question."), nil
	}
	name := l.Agents[agent.Consultant].Signature()
	if n, err := l.Inquiries.consulted(ctx); err != nil || n >= mostConsultations {
		return wrong("The %s was asked %d times in this thread already. Decide by yourself, or ask the thread.", name, n), err
	}
	q := workflow.Inquiry{Kind: workflow.InquiryConsult, Key: "call:" + agent.CallID(ctx), Question: question}
	said := []store.Part{store.Lines(l.program(fmt.Sprintf("Asking the %s: %s", name, plaintext.OneLine(question))))}
	if !l.Session().Phase.MayWrite() {
		said = append(said, store.Update{Maybe: []workflow.Event{workflow.EventConsult}})
	}
	if _, err := l.Inquiries.kept(ctx, q, said...); err != nil {
		return model.Result{}, err
	}
	q, err := l.Inquiries.inquire(ctx, q, l.Inquiries.consultText(ctx, programMark+"The orchestrator asks:\n"+fence("message", question)), nil)
	if err != nil {
		return model.Result{}, err
	}
	l.journal.add(store.Update{Maybe: []workflow.Event{workflow.EventReturn}})
	var advice workflow.Advice
	if json.Unmarshal(q.Answer, &advice) != nil || advice.BottomLine == "" {
		return model.Result{Text: "The " + name + " gave no answer. Go on without it."}, nil
	}
	return model.Result{Text: "The " + name + " recommends, and the thread has read it:\n" + fence("advice", advice.Text())}, nil
}

// mostConsultations is how often the orchestrator may ask in one thread; people may always.
const mostConsultations = 5

// consulted counts the orchestrator's own consultations.
func (iq *Inquiries) consulted(ctx context.Context) (n int, err error) {
	all, err := iq.Store.Inquiries(ctx, iq.Session().ID)
	for _, q := range all {
		if q.Kind == workflow.InquiryConsult && q.By == "" && len(q.Answer) > 0 {
			n++
		}
	}
	return n, err
}
