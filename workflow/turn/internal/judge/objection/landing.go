package objection

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
)

// withdrawLanding stops a push to a colleague's branch to which a person objects: the order, as long as no
// commit is made, and the words of those who asked for it. It returns nothing if none is under way.
func (o *Objections) withdrawLanding(
	ctx context.Context, p workflow.Person,
) (parts []store.Part, said string, err error) {
	s := o.Session()
	if s.Pull == 0 {
		return nil, "", nil
	}
	register := backports.Register{Store: o.Store}
	push, err := register.NewestPush(ctx, s.ID)
	if err != nil || push == nil {
		return nil, "", err
	}
	key := backports.DirectKey(push.Branch, s.BaseBranch)
	words, err := o.Store.Endorsements(ctx, s.ID, push.Revision, workflow.BackportSubject(key, push.Commit))
	if err != nil {
		return nil, "", err
	}
	rows, err := register.Of(ctx, s.ID)
	if err != nil {
		return nil, "", err
	}
	asked := false
	for _, r := range rows {
		if r.Branch == key && r.State != backports.Asked {
			return nil, "", nil // it is pushed, or too late
		}
		asked = asked || r.Branch == key
	}
	if !asked && len(words) == 0 {
		return nil, "", nil
	}
	stopped := []store.Part{
		backports.Withdraw{},
		consent.EndorsementEnd{Endorsements: words, Why: workflow.EndorsementTakenBack},
	}
	return stopped, fmt.Sprintf("Nothing is pushed to %s: %s objects. Whoever may approve can ask for it "+
		"again.", plaintext.CodeSpan(s.BaseBranch), p.Name), nil
}

// askedFor returns the backport or the push to a colleague's branch that a message asked for, or nil.
func (o *Objections) askedFor(ctx context.Context, ts string) (*backports.Row, error) {
	rows, err := backports.Register{Store: o.Store}.Of(ctx, o.Session().ID)
	for _, r := range rows {
		if r.MessageTS == ts {
			return &r, err
		}
	}
	return nil, err
}
