package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/intent"
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
	said := fmt.Sprintf("Asking the %s: %s", i.Agents[agent.Consultant].Signature(),
		plaintext.QuoteLine(question))
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
	return append(i.Ignore(m), progress.Inquiry{
		Kind:     workflow.InquiryOwners,
		Key:      fmt.Sprintf("message:%d", m.ID),
		Question: m.Text,
		By:       m.User,
	})
}

// showDiff asks the program to show the change.
func (i inquiries) showDiff(m intent.Message) []store.Part {
	return append(i.Ignore(m), progress.Inquiry{
		Kind:     workflow.InquiryDiff,
		Key:      fmt.Sprintf("message:%d", m.ID),
		Question: m.Text,
		By:       m.User,
	})
}

// explain asks the explainer to explain the change.
func (i inquiries) explain(m intent.Message) []store.Part {
	f := i.Ignore(m)
	return append(f, progress.Inquiry{
		Kind:     workflow.InquiryExplain,
		Key:      fmt.Sprintf("message:%d", m.ID),
		Question: m.Text,
		By:       m.User,
	})
}

// review asks the critic to review the change.
func (i inquiries) review(m intent.Message) []store.Part {
	q := progress.Inquiry{
		Kind:     workflow.InquiryReview,
		Key:      fmt.Sprintf("message:%d", m.ID),
		Question: m.Text,
		By:       m.User,
	}
	return append(i.Ignore(m), q)
}

// onlyThese returns the questions to agents that only read, if a stop ended nothing but them.
func (i inquiries) onlyThese(ctx context.Context) ([]workflow.Inquiry, error) {
	all, err := i.Store.Inquiries(ctx, i.Session().ID)
	all = slices.DeleteFunc(all, func(q workflow.Inquiry) bool { return !q.Stopped })
	if err != nil || slices.ContainsFunc(all, func(q workflow.Inquiry) bool { return !q.Alone }) {
		return nil, err
	}
	return all, nil
}

// askAgain asks those questions again. No other agent is woken.
func (i inquiries) askAgain(m intent.Message, all []workflow.Inquiry) []store.Part {
	// Only a person who may let the session go on can cause this event (see Reopen).
	update := store.Update{Events: []workflow.Event{workflow.EventRequest}}
	if slices.ContainsFunc(all, func(q workflow.Inquiry) bool { return q.Kind == workflow.InquiryConsult }) {
		update.OptionalEvents = []workflow.Event{workflow.EventConsult}
	}
	question := plaintext.CutLine(plaintext.OneLine(all[0].Question), 200)
	said := i.ProgramLine("Asking again: " + plaintext.QuoteLine(question))
	return append(i.Ignore(m), update, store.Lines(said))
}
