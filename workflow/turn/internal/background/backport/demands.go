package backport

import (
	"context"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// demandsTime is how long the host may take to tell what it demands.
const demandsTime = 10 * time.Second

// tellDemands tells the thread, before the proof, what the host demands of the release and of the
// backport's branch and what is pushed would not meet. stored is the row as it is in the database. A demand
// that the thread was told of is not repeated, so a run that is begun again says nothing twice. A host that
// does not answer now keeps nothing from being proven.
func (b *backportRun) tellDemands(ctx context.Context, stored backports.Row) error {
	if b.repository.Pulls.Host == nil || b.row.Direct {
		return nil
	}
	asked, cancel := context.WithTimeout(ctx, demandsTime)
	defer cancel()
	found, err := b.repository.FindDemandsOf(asked, b.row.Branch, b.row.Release)
	if err != nil && ctx.Err() == nil {
		b.Log.Warn("what the git host demands is not known", "repository", b.row.Repository, "err", err)
	}
	if ctx.Err() != nil || len(found.Unmet) == 0 {
		return ctx.Err()
	}
	said, err := b.Rows.Store.Lines(ctx, b.row.Session)
	if err != nil {
		return err
	}
	text := found.Text(store.Texts(said), b.hide.Mask)
	if text == "" {
		return nil
	}
	line := workflow.Line{Agent: b.Signature, Text: text, Vouched: []int{0}}
	_, err = b.Rows.Change(ctx, stored, stored, store.Lines{line})
	return err
}
