package approval

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A Narrowing is the limit that a message sets to approved work.
type Narrowing struct {
	late *workflow.Push // the push that was made, or begun, before; nil: none
}

// Narrows returns how a limit narrows the approval, which may be spent on a push already. It returns nil if
// something newer is under way.
func (ap *Approvals) Narrows(ctx context.Context, a *workflow.Approval) (*Narrowing, error) {
	s := ap.Session()
	pushes, err := ap.Store.Pushes(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	for _, push := range slices.Backward(pushes) {
		if push.Approval != a.ID || push.State == workflow.PushRefused {
			continue
		}
		if push.State == workflow.PushDone && s.Phase != workflow.PhaseDone &&
			s.Phase != workflow.PhaseAnswered {
			return nil, nil
		}
		return &Narrowing{late: &push}, nil
	}
	return &Narrowing{}, nil
}

// Narrow narrows the approval by the limit of a message. The limit joins the scope of the approval, whoever
// gave that, and every change is held against both. It permits nothing. After the push, the person is told
// that it came too late.
func (ap *Approvals) Narrow(
	ctx context.Context, m intent.Message, p workflow.Person, n *Narrowing,
) []store.Part {
	s := ap.Session()
	limit := m.Says.Limit
	if n.late != nil {
		return ap.limitTooLate(m, p, *n.late, limit)
	}
	told := fmt.Sprintf(
		"%s, who may approve, narrows the approval of revision %d. What is changed has to stay "+
			"within this, too; what does not is taken out:\n%s\nTheir words:\n%s",
		prompt.PersonName(p.Name), s.Revision, prompt.Fence("scope", limit),
		prompt.Fence("message", ap.Slack.Readable(ctx, m.Text)))
	narrowed := consent.Narrowing{Revision: s.Revision, Limit: limit, User: p.ID, MessageTS: m.TS}
	said := fmt.Sprintf("Narrowed, as %s asked: %s.", plaintext.OneLine(p.Name), limit)
	return append(ap.ForAgents(m, told), narrowed, store.Lines(ap.ProgramLine(said)))
}

// limitTooLate returns the parts that answer a limit of what was pushed, or is being pushed.
func (ap *Approvals) limitTooLate(
	m intent.Message, p workflow.Person, push workflow.Push, limit string,
) []store.Part {
	at := fmt.Sprintf("was pushed already, as `%s` at %s", push.Branch, prompt.ShortHash(push.Commit))
	if push.State == workflow.PushIntended {
		at = fmt.Sprintf("is being pushed at this moment, as `%s`", push.Branch)
	}
	revision := ap.Session().Revision
	said := fmt.Sprintf("%s, that limit comes too late: revision %d %s. Say what to take out again, "+
		"and I look into it.", p.Name, revision, at)
	f := ap.RefuseInThread(m, p, workflow.DecideNarrow, "too late: "+limit, said)
	ledger.Change(f, func(d *consent.Decision) { d.Revision = revision })
	return f
}
