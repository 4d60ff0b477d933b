package permission

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
)

// TicketsNamed returns a function that reads which issues, of the repository's host and of the trackers,
// people who may approve named in the thread, in their order. Only what they typed counts: no model's words,
// no guest's, no app's, and nothing that was edited since.
func (ps *Permissions) TicketsNamed(
	trackers []*tracker.Tracker,
) func(context.Context) ([]catalog.Ticket, error) {
	return func(ctx context.Context) ([]catalog.Ticket, error) {
		r, ok, err := ps.Catalog.Current(ctx)
		if err != nil || !ok {
			return nil, err
		}
		typed, err := ps.Inbox().Typed(ctx)
		if err != nil {
			return nil, err
		}
		var all []catalog.Ticket
		var who *authors
		for _, m := range typed {
			found := catalog.TicketsIn(m.Text, r, trackers)
			if len(found) == 0 {
				continue
			}
			if who == nil {
				approvers, err := ps.Approvers(ctx)
				if err != nil {
					return nil, fmt.Errorf("who named a ticket: %w", err)
				}
				approvers.OtherThanRequester = false // who asked may say what it is about
				who = &authors{Permissions: ps, approvers: approvers, known: map[string]author{}}
			}
			by := who.lookUp(ctx, m.User)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if by.why != "" {
				continue
			}
			for _, t := range found {
				t.By = by.person.Name
				t.Pushed = m.Pushed
				all = append(all, t)
			}
		}
		return all, nil
	}
}
