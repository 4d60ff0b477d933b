package approval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// RefuseUnknown handles a message whose author Slack does not tell. It refuses a message or press that
// would permit something. For any other it returns an error, so that the message is judged when Slack
// answers again.
func (ap *Approvals) RefuseUnknown(m intent.Message, err error) ([]store.Part, error) {
	permits := slices.Contains(
		[]workflow.ActionID{
			workflow.ButtonFix, workflow.ButtonPush, workflow.ButtonProveByCI, workflow.ButtonConfirm,
			workflow.ButtonFixLimited,
			workflow.ButtonTakeUp, workflow.ButtonPutBack, workflow.ButtonBackport, workflow.ButtonGoOn,
			workflow.ButtonPassOn, workflow.ButtonFile, workflow.ButtonPostReview, workflow.ButtonPushShown,
			workflow.ButtonPushNeutral, workflow.ButtonMove,
		},
		m.ActionID,
	)
	if m.Kind == workflow.MessageSent || !permits && !m.Says.Permits() {
		return nil, fmt.Errorf("read who wrote: %w", err)
	}
	ap.Log.Warn("approval refused: cannot read who gave it", "user", m.User, "err", err)
	return ap.Refuse(m, workflow.Person{ID: m.User}, workflow.DecideApprove,
		"the person could not be looked up",
		"Slack does not tell me who you are at this moment, so I take no approval. Please try again."+
			prompt.EnteredText(m.Message)), nil
}

// mayDecide reports whether the person may take that decision on that revision. If not, or if that cannot
// be read, parts hold the refusal.
func (ap *Approvals) mayDecide(
	ctx context.Context, m intent.Message, p workflow.Person, revision int,
	what workflow.DecisionKind,
) (parts []store.Part, may bool, err error) {
	why, approvers, err := ap.Permissions.RevisionRefusal(ctx, p, revision)
	switch {
	case err != nil:
		parts, err = ap.RefuseUnknown(m, err)
		return parts, false, err
	case why != "":
		return ap.Refuse(m, p, what, why, ap.Permissions.RefusalText(ctx, p, why, approvers)), false, nil
	}
	return nil, true, nil
}

// ForAgents returns the parts that give a message to the agents and open the session for them. told is
// what they are shown in place of the message's text, unless it is empty.
func (j *Judgements) ForAgents(m intent.Message, told string) []store.Part {
	return []store.Part{inbox.Handled{ID: m.ID, ForAgents: true, AgentText: told}, j.Wake(m.Message)}
}

// Wake returns the part that opens the session for the agents, who have the message to read. A session that
// only waits for the consultant goes on as it was before: the advice comes beside what the agents do.
func (j *Judgements) Wake(m workflow.Message) store.Update {
	s := j.Session()
	update := store.Update{Open: ledger.Wake}
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

func (j *Judgements) Ignore(m intent.Message) []store.Part {
	return []store.Part{inbox.Handled{ID: m.ID}}
}

// Answer returns the parts with which the program itself answers a message, without an agent.
func (j *Judgements) Answer(m intent.Message, text string, buttons ...workflow.Button) []store.Part {
	f := j.Ignore(m)
	f = append(f, store.Lines(j.ProgramLine(text, buttons...)))
	return f
}

// Refuse returns the parts of a refusal: what the person is told, alone if possible, and the decision.
func (j *Judgements) Refuse(
	m intent.Message, p workflow.Person, what workflow.DecisionKind, reason, said string,
) []store.Part {
	return append(j.Ignore(m), j.Tell(m, p, said), j.refusal(m, p, what, reason))
}

// RefuseInThread returns the parts of a refusal that the whole thread has to know of, or that has buttons.
func (j *Judgements) RefuseInThread(
	m intent.Message, p workflow.Person, what workflow.DecisionKind, reason, said string,
	buttons ...workflow.Button,
) []store.Part {
	return append(j.Answer(m, said, buttons...), j.refusal(m, p, what, reason))
}

func (j *Judgements) refusal(
	m intent.Message, p workflow.Person, what workflow.DecisionKind, reason string,
) consent.Decision {
	return consent.Decision{
		What:      what,
		Reason:    reason,
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  j.Session().Revision,
	}
}

// Tell returns the part that tells the writer of a message something that concerns nobody else. It is shown
// to that person alone, except where Slack shows nobody anything alone, or where it would lose words: below
// a message that has no reply yet, in a direct message, and with what was entered in a form.
func (j *Judgements) Tell(m intent.Message, p workflow.Person, said string) store.Part {
	said = plaintext.Capitalize(said)
	s := j.Session()
	direct := strings.HasPrefix(s.Thread.Channel, "D")
	if p.ID == "" || p.Bot || direct || s.IsRoot(m.TS) || !showsAlone(m) {
		if p.Name != "" && !direct {
			said = p.Name + ": " + said
		}
		return store.Lines(j.ProgramLine(said))
	}
	return store.PrivateLine{
		Key:  strconv.FormatInt(m.ID, 10),
		User: p.ID,
		Name: p.Name,
		Line: j.ProgramLine(said)[0],
	}
}

// showsAlone reports whether the answer to a message may be shown to its writer alone.
func showsAlone(m intent.Message) bool {
	switch m.Kind {
	case workflow.MessageForm:
		return strings.TrimSpace(m.Text) == ""
	case workflow.MessageMention, workflow.MessageReply, workflow.MessageEdit, workflow.MessageAction:
		return true
	}
	return false
}

// readsAsBefore reports whether a message still has the same text in the thread: for a held message, so that
// the person who passes it on has read the same text, and for one that permits something, since it may have
// been edited before it was judged. The text of a form cannot change. A remark at a git host is passed on as
// it was received.
func (j *Judgements) readsAsBefore(ctx context.Context, m workflow.Message) (bool, error) {
	s := j.Session()
	switch {
	case m.Kind == workflow.MessageForm, m.Kind == workflow.MessageAction, m.Kind == workflow.MessageRemark,
		s.IsRoot(m.TS) && strings.HasPrefix(m.Text, "/"): // the bot posts a slash command's root message
		return true, nil
	}
	newest, err := j.Inbox().Original(ctx, m.TS, 1<<62)
	if err != nil || newest != m.Text {
		return false, err
	}
	text, _, found, err := j.Slack.Reread(ctx, s.ThreadOf(m.TS), m.TS)
	return found && ReadsSame(m.Text, text), err
}

// ReadsSame reports whether the text of a message is what it was, or has only got what was shared with the
// message.
func ReadsSame(before, now string) bool {
	more, same := strings.CutPrefix(now, before)
	return same && (more == "" || strings.HasPrefix(more, "\n[attached: ") ||
		strings.HasPrefix(more, "\n[not read: ") || strings.HasPrefix(more, "\n> "))
}

// refuseEdited refuses a message that permits something, if it does not read any more as it was received. f
// is nil if it does.
func (j *Judgements) refuseEdited(
	ctx context.Context, m intent.Message, p workflow.Person, what workflow.DecisionKind,
) (f []store.Part, err error) {
	stands, err := j.readsAsBefore(ctx, m.Message)
	switch {
	case err != nil:
		j.Log.Warn("nothing is permitted: cannot read the message again", "user", p.ID, "err", err)
		return j.Refuse(m, p, what, "the message could not be read again",
			"Slack does not let me read your message again at this moment, so it permits nothing. "+
				"Please write it again."), nil
	case !stands:
		return j.Refuse(m, p, what, "edited or deleted before it was judged",
			"That message was edited or deleted before I read it, so it permits nothing. "+
				"Please write it again."), nil
	}
	return nil, nil
}

// void returns what voids an approval: the edit or the deletion of its message, unless somebody pushed all
// the same since. It returns nil if nothing does.
func (j *Judgements) void(ctx context.Context, a *workflow.Approval) (*workflow.Objection, error) {
	all, err := j.Store.Objections(ctx, a.ID, "")
	for _, x := range all {
		if x.How == workflow.ObjectionByEdit || x.How == workflow.ObjectionByDeletion {
			return &x, err
		}
	}
	return nil, err
}

// ConsultantName returns the name by which people may call the consultant besides the usual ones.
func (j Judgements) ConsultantName() string { return j.Agents[agent.Consultant].Signature() }
