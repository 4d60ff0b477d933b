package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
)

// inquiries records the questions to agents that only read, which run in parallel to the work.
type inquiries struct{ approval.Judgements }

// askConsultant asks the consultant a person's question, or about the newest report if the question is
// empty. The orchestrator's tools need the phase that it works in, so the phase changes only while it rests.
func (i inquiries) askConsultant(m intent.Message, p workflow.Person, question string) []store.Part {
	s := i.Session()
	if question == "" {
		question = "Is the newest report right, and is its fix the best one?"
		if s.Revision == 0 {
			question = "What is the cause of what this thread is about, and what is to be done?"
		}
	}
	f := i.Ignore(m)
	whole := question
	if len(m.Text) > len(question)+len("ask the consultant whether ") {
		whole = m.Text // the question was only the end of a longer message
	}
	q := progress.Inquiry{
		Kind: workflow.InquiryConsult, Key: fmt.Sprintf("message:%d", m.ID), Question: whole, By: p.ID,
	}
	said := fmt.Sprintf("Asking the %s: %s", i.Agents[agent.Consultant].Signature(), plaintext.QuoteLine(question))
	f = append(f, q, store.Lines(i.ProgramLine(said)))
	var update store.Update
	if !s.Phase.MayWrite() && !s.Open {
		update.OptionalEvents = []workflow.Event{workflow.EventConsult}
		if s.Phase.Ended() {
			update.OptionalEvents = []workflow.Event{workflow.EventRequest, workflow.EventConsult}
		}
	}
	update.Change = func(s *workflow.Session) {
		if s.Kind == workflow.KindUnknown && s.Revision == 0 && !s.Open {
			s.Kind = workflow.KindConsultation
		}
	}
	return append(f, update)
}

// owners asks the program who knows the code.
func (i inquiries) owners(m intent.Message) []store.Part {
	return append(i.Ignore(m), progress.Inquiry{Kind: workflow.InquiryOwners, Key: fmt.Sprintf("message:%d", m.ID), Question: m.Text, By: m.User})
}

// explain asks the explainer to explain the change.
func (i inquiries) explain(m intent.Message) []store.Part {
	f := i.Ignore(m)
	return append(f, progress.Inquiry{Kind: workflow.InquiryExplain, Key: fmt.Sprintf("message:%d", m.ID), Question: m.Text, By: m.User})
}

// review asks the critic to review the change.
func (i inquiries) review(m intent.Message) []store.Part {
	q := progress.Inquiry{Kind: workflow.InquiryReview, Key: fmt.Sprintf("message:%d", m.ID), Question: m.Text, By: m.User}
	return append(i.Ignore(m), q)
}

// askAgain judges "go on" if a stop ended nothing but people's questions to agents that only read. The
// questions are asked again, and no other agent is woken. ok reports whether the message was that.
func (i inquiries) askAgain(ctx context.Context, m intent.Message, _ workflow.Person) (f []store.Part, ok bool, err error) {
	if i.Session().Phase != workflow.PhaseStopped || !m.Says.SaysGoOn {
		return nil, false, nil
	}
	if a, err := i.StandingApproval(ctx); a != nil || err != nil {
		return nil, false, err
	}
	all, err := i.Store.Inquiries(ctx, i.Session().ID)
	all = slices.DeleteFunc(all, func(q workflow.Inquiry) bool { return !q.Stopped })
	if err != nil || len(all) == 0 || slices.ContainsFunc(all, func(q workflow.Inquiry) bool { return !q.Alone }) {
		return nil, false, err
	}
	update := store.Update{Events: []workflow.Event{workflow.EventRequest}} // only a person who may let the session go on can cause this event (see Reopen)
	if slices.ContainsFunc(all, func(q workflow.Inquiry) bool { return q.Kind == workflow.InquiryConsult }) {
		update.OptionalEvents = []workflow.Event{workflow.EventConsult}
	}
	question := plaintext.CutLine(plaintext.OneLine(all[0].Question), 200)
	said := i.ProgramLine("Asking again: " + plaintext.QuoteLine(question))
	return append(i.Ignore(m), update, store.Lines(said)), true, nil
}
