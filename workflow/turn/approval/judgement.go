package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// RefuseUnknown handles a message whose author Slack does not tell. It refuses a message or press that
// would permit something. For any other it returns an error, so that the message is judged when Slack
// answers again.
func (ap *Approvals) RefuseUnknown(m incoming.Message, err error) ([]store.Part, error) {
	permits := slices.Contains([]string{"fix_it", "push_it", "confirm", button.FixLimited, button.TakeUp, button.PutBack, button.Backport, ActionGoOn, button.PassOn}, m.ActionID)
	if m.Kind == incoming.Sent || !permits && !ap.Words.Permits(m.Text) {
		return nil, fmt.Errorf("read who wrote: %w", err)
	}
	ap.Log.Warn("approval refused: cannot read who gave it", "user", m.User, "err", err)
	return ap.Refuse(m, workflow.Person{ID: m.User}, "approve", "the person could not be looked up",
		"Slack does not tell me who you are at this moment, so I take no approval. Please try again."+prompt.EnteredText(m)), nil
}

// mayDecide reports whether the person may take that decision on that revision. If not, or if that cannot
// be read, parts hold the refusal.
func (ap *Approvals) mayDecide(ctx context.Context, m incoming.Message, p workflow.Person, revision int, what, this string) (parts []store.Part, may bool, err error) {
	why, approvers, err := ap.Permissions.RevisionRefusal(ctx, p, revision)
	switch {
	case err != nil:
		parts, err = ap.RefuseUnknown(m, err)
		return parts, false, err
	case why != "":
		return ap.Refuse(m, p, what, why, fmt.Sprintf("%s, I cannot take your word on %s: %s. %s", p.Name, this, why, approvers.Who())), false, nil
	}
	return nil, true, nil
}

// ForAgents returns the parts that give a message to the agents and open the session for them. told is
// what they are shown in place of the message's text, unless it is empty.
func (j *Judgements) ForAgents(m incoming.Message, told string) []store.Part {
	return []store.Part{inbox.Handled{ID: m.ID, ForAgents: true, Shown: told}, j.Wake(m)}
}

// Wake returns the part that opens the session for the agents, who have the message to read. A session that only
// waits for the consultant goes on as it was before: the advice comes beside what the agents do.
func (j *Judgements) Wake(m incoming.Message) store.Update {
	s, update := j.Session(), store.Update{Open: ledger.Wake}
	if s.Title == "" && permission.IsMessage(m.Kind) {
		update.Change = func(s *workflow.Session) { s.Title = prompt.FirstLine(strings.TrimSpace(m.Text)) }
	}
	if s.Phase == workflow.PhaseConsulting && !s.Open {
		update.Events = []workflow.Event{workflow.EventReturn}
		_ = s.Happen(workflow.EventReturn) // a consulting session always takes it
	}
	switch p := s.Phase; {
	case p == workflow.PhaseReported && s.ReportKind == workflow.ReportDiagnosis:
		update.Events = append(update.Events, workflow.EventDiagnose)
	case p.Ended(), p == workflow.PhaseReported, p == workflow.PhasePlanShown:
		update.Events = append(update.Events, workflow.EventRequest)
	}
	return update
}

func (j *Judgements) Ignore(m incoming.Message) []store.Part {
	return []store.Part{inbox.Handled{ID: m.ID}}
}

// Answer returns the parts with which the program itself answers a message, without an agent.
func (j *Judgements) Answer(m incoming.Message, text string, buttons ...outgoing.Button) []store.Part {
	f := j.Ignore(m)
	f = append(f, store.Lines(j.ProgramLine(text, buttons...)))
	return f
}

func (j *Judgements) Refuse(m incoming.Message, p workflow.Person, what, reason, said string) []store.Part {
	f := j.Answer(m, said)
	f = append(f, consent.Decision{What: what, Reason: reason, User: p.ID, MessageTS: m.TS, Revision: j.Session().Revision})
	return f
}

// ConsultantNames returns the names that people may use for the consultant.
func (j Judgements) ConsultantNames() []string {
	return []string{"consultant", "oracle", j.Agents[agent.Consultant].Signature()}
}
