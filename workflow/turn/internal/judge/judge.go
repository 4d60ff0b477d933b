package judge

import (
	"sync"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/duplicates"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/objection"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// A Judge judges each message that was not judged yet.
type Judge struct {
	approval.Judgements
	Catalog     *catalog.Catalog
	Permissions *permission.Permissions
	Approvals   *approval.Approvals
	Held        *approval.HeldWords
	Objections  *objection.Objections
	Duplicates  *duplicates.Duplicates
	Interview   *Interview
	Budget      *budget.Budget
	Skills      []skill.Skill
	Helper      Helper                             // nil: help says what holds everywhere
	Judged      func(intent.Message, []store.Part) // called after each message was judged

	// guards JudgeAll, which every agent of the turn calls between its model calls
	judging sync.Mutex
	// authors of the plain replies that the current JudgeAll judges, by user id
	writers map[string]workflow.Person
}

// turnAway refuses a message from a person whom the bot does not listen to, and clears the stop that
// such a person asked for. It is answered in the thread only if it began the thread, mentions the bot,
// was sent to it, permits something, or is a press or a form.
func (j *Judge) turnAway(m intent.Message, p workflow.Person, reason string) []store.Part {
	f := j.Ignore(m)
	// until a person who may approve adopts it
	ledger.Change(f, func(h *inbox.Handled) { h.Held = permission.IsMessage(m.Kind) })
	if j.Session().IsRoot(m.TS) {
		// a refused message gives the session no title
		f = append(f, store.Update{Change: func(s *workflow.Session) { s.Title = "" }})
	}
	if j.Session().IsRoot(m.TS) || m.Says.Permits() || m.Kind == workflow.MessageMention ||
		m.Kind == workflow.MessageSent || m.Kind == workflow.MessageAction || m.Kind == workflow.MessageForm {
		f = append(f, j.Tell(m, p, "I cannot take this: "+reason+"."))
	}
	f = append(f, store.Update{ClearStop: true})
	f = append(f, consent.Decision{What: workflow.DecideSpeak, Reason: reason, User: p.ID, MessageTS: m.TS})
	return f
}

// addressedElsewhere reports whether a message is for another person: it begins with the mention of a
// person, and the bot is not mentioned (the gateway removes the bot's own mention, and then the kind is
// not Reply).
func addressedElsewhere(m intent.Message) bool {
	return (m.Kind == workflow.MessageReply || m.Kind == workflow.MessageEdit) && m.Says.ToColleague
}
