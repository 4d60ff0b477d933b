package approval

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// Amend adds the amendment that m makes to the parts f, if there is one: a correction of the approved
// work, or an answer to a question about it, by a person who may approve. Questions, thanks and "go on"
// amend nothing. Neither does a message before an approval, since it leads to a new revision.
func (hw *HeldWords) Amend(
	ctx context.Context, m intent.Message, p workflow.Person, f []store.Part,
) ([]store.Part, error) {
	passed, passes := ledger.Find[consent.Amendment](f) // other people's words, passed on or adopted by p
	f = ledger.Without[consent.Amendment](f)
	h, _ := ledger.Find[inbox.Handled](f)
	_, approves := ledger.Find[consent.Approval](f)
	_, pushes := ledger.Find[consent.Allowance](f) // "push it" does not say what is wanted
	_, words := ledger.Find[consent.Disclosure](f)
	if approves || pushes || words || !h.ForAgents {
		return f, nil
	}
	approval, err := hw.StandingApproval(ctx)
	if err != nil || approval == nil {
		return f, err
	}
	a := consent.Amendment{
		Revision:  approval.Revision,
		Message:   m.ID,
		MessageTS: m.TS,
		User:      p.ID,
		UserName:  p.Name,
	}
	if passes {
		a.Text = passed.Text
	} else if a.Text, a.Words, err = hw.amendment(ctx, m, f); err != nil {
		return f, err
	}
	if a.Text == "" && m.Kind != workflow.MessageEdit && m.Kind != workflow.MessageDelete {
		return f, nil
	}
	if m.Kind != workflow.MessageDelete {
		if why, err := hw.Permissions.HoldReason(ctx, p); why != "" || err != nil {
			return f, err
		}
	}
	return append(f, a), nil
}

// amendment returns what m says about the approved work, or an empty string if it says nothing about it. For
// an answer, words is how many words the person wrote, of which an option that was chosen is one.
func (hw *HeldWords) amendment(
	ctx context.Context, m intent.Message, f []store.Part,
) (text string, words *int, err error) {
	if answer, ok := ledger.Find[progress.Answer](f); ok {
		q, err := hw.Store.Waiting(ctx, hw.Session().ID)
		if err != nil || q == nil {
			return "", nil, err
		}
		own := len(strings.Fields(answer.Text))
		if answer.Chosen {
			own = 1
			return hw.Slack.Readable(ctx, fmt.Sprintf("(chose the option %s of the question %s)",
				plaintext.QuoteLine(answer.Text), plaintext.QuoteLine(q.Text))), &own, nil
		}
		return hw.Slack.Readable(ctx, q.Text+" → "+answer.Text), &own, nil
	}
	says := permission.IsMessage(m.Kind) && m.Kind != workflow.MessageSent ||
		m.Kind == workflow.MessageForm || m.Kind == workflow.MessageEdit
	if !says || m.Says.OnlyAsks || m.Says.Acknowledges || m.Says.GoesOn && !m.Says.Redirects ||
		m.Says.Consent.Kind == intent.ConsentApprove {
		return "", nil, nil
	}
	return hw.Slack.Readable(ctx, m.Text), nil, nil
}
