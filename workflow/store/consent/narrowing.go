package consent

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Narrowing is a Part: a person who may approve limits the approved work of a revision further. It permits
// nothing. Its row is a decision, which names the person and the message, and the scope of the approval is
// from then on the approval's own and all such limits together (see Register.Approval).
type Narrowing struct {
	Revision  int
	Limit     string
	User      string
	MessageTS string
}

func (Narrowing) Stage() record.Stage { return record.Decision }

// Mask masks the limit.
func (n Narrowing) Mask(mask func(string) string) record.Part {
	n.Limit = mask(n.Limit)
	return n
}

// Write fails with record.ErrStale if the change of that revision is pushed, or is being pushed.
func (n Narrowing) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	var open bool
	err := tx.QueryRow(ctx, `select exists (select 1 from approvals a
			join sessions s on s.id = a.session_id and s.revision = a.revision
		where a.session_id = $1 and a.revision = $2 and not exists (select 1 from pushes p
			where p.approval_id = a.id and p.state in ('intended', 'pushed')))`,
		r.Session, n.Revision).Scan(&open)
	if err != nil {
		return err
	}
	if !open {
		return record.ErrStale
	}
	d := Decision{
		What: workflow.DecideNarrow, Allowed: true, Reason: n.Limit, User: n.User, MessageTS: n.MessageTS,
		Revision: n.Revision,
	}
	return d.Write(ctx, tx, r)
}
