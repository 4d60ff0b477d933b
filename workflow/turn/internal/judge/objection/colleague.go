package objection

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// RefusedToColleague returns the standing approval if a message that is said to another person has something
// against the work, or nil.
func (o *Objections) RefusedToColleague(ctx context.Context, m intent.Message) (*workflow.Approval, error) {
	a, err := o.contested(ctx)
	if err != nil || a == nil || m.Says.RefusalTo(a.User, a.UserName) == intent.RefusalNone {
		return nil, err
	}
	return a, nil
}

// ToColleague returns the parts of what a message that is said to another person has against the work that a
// permits. Nobody is answered: the question before the push names it.
func (o *Objections) ToColleague(
	ctx context.Context, m intent.Message, p workflow.Person, a *workflow.Approval,
) ([]store.Part, error) {
	ends, said, err := o.TakeBack(ctx, p)
	f := append(ends,
		o.objection(ctx, m, p, a, workflow.ObjectionByMessage), o.decided(m, p, "said to a colleague"))
	if said != "" {
		f = append(f, store.Lines(o.ProgramLine(said)))
	}
	return f, err
}
