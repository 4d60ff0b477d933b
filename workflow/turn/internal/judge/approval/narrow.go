package approval

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Narrow judges a message of a person who may approve that limits approved work further: "only cart/price.go". The
// limit joins the scope of the approval, whoever gave that, and every change is held against both. It permits nothing.
// ok reports whether the message is such a limit. After the push, the person is told that it came too late.
func (ap *Approvals) Narrow(
	ctx context.Context, m workflow.Message, p workflow.Person,
) (f []store.Part, ok bool, err error) {
	s := ap.Session()
	limit, limits := ap.Words.ReadLimit(m.Text)
	if !limits || s.Revision == 0 || ap.AwaitsConsent() {
		return nil, false, nil
	}
	a, err := ap.Store.Approval(ctx, s.ID, s.Revision)
	if err != nil || a == nil {
		return nil, false, err
	}
	if why, _, err := ap.Permissions.ApprovalRefusal(ctx, p); err != nil || why != "" {
		return nil, false, err
	}
	if talk, err := ap.TalkBelow(ctx, m); err != nil || talk {
		return nil, false, err // "only in production" may answer a colleague
	}
	pushes, err := ap.Store.Pushes(ctx, s.ID)
	if err != nil {
		return nil, false, err
	}
	for _, push := range slices.Backward(pushes) {
		if push.Approval != a.ID || push.State == workflow.PushRefused {
			continue
		}
		if push.State == workflow.PushDone && s.Phase != workflow.PhaseDone && s.Phase != workflow.PhaseAnswered {
			return nil, false, nil // something newer is under way
		}
		return ap.limitTooLate(m, p, push, limit), true, nil
	}
	told := fmt.Sprintf("%s, who may approve, narrows the approval of revision %d. What is changed has to stay "+
		"within this, too; what does not is taken out:\n%s\nTheir words:\n%s",
		prompt.PersonName(p.Name), s.Revision, prompt.Fence("scope", limit),
		prompt.Fence("message", ap.Slack.Readable(ctx, m.Text)))
	narrowed := consent.Narrowing{Revision: s.Revision, Limit: limit, User: p.ID, MessageTS: m.TS}
	said := fmt.Sprintf("Narrowed, as %s says: %s.", plaintext.OneLine(p.Name), limit)
	return append(ap.ForAgents(m, told), narrowed, store.Lines(ap.ProgramLine(said))), true, nil
}

// limitTooLate returns the parts that answer a limit of what was pushed, or is being pushed.
func (ap *Approvals) limitTooLate(
	m workflow.Message, p workflow.Person, push workflow.Push, limit string,
) []store.Part {
	at := fmt.Sprintf("was pushed already, as `%s` at %s", push.Branch, prompt.ShortHash(push.Commit))
	if push.State == workflow.PushIntended {
		at = fmt.Sprintf("is being pushed at this moment, as `%s`", push.Branch)
	}
	revision := ap.Session().Revision
	said := fmt.Sprintf("%s, that limit comes too late: revision %d %s. "+
		"Say what to take out again, and I look into it.", p.Name, revision, at)
	f := ap.Refuse(m, p, consent.Narrowed, "too late: "+limit, said)
	ledger.Change(f, func(d *consent.Decision) { d.Revision = revision })
	return f
}
