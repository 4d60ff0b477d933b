package consent

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Decision is a Part: what a person asked for, and whether it was allowed.
type Decision workflow.Decision

func (Decision) Stage() record.Stage { return record.Decision }

// Mask masks the reason, which may be the words of a person.
func (d Decision) Mask(mask func(string) string) record.Part {
	d.Reason = mask(d.Reason)
	return d
}

func (d Decision) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	id, err := database.InsertID(ctx, tx, "decisions", database.Row{
		"session_id": r.Session, "what": d.What, "allowed": d.Allowed, "reason": d.Reason, "user_id": d.User,
		"message_ts": d.MessageTS, "revision": d.Revision,
	})
	if err != nil {
		return err
	}
	return AppendAudit(ctx, tx, r.Session, "decision", strconv.FormatInt(id, 10))
}

// Decisions returns everything that was allowed or refused in the session, in order.
func (g Register) Decisions(ctx context.Context, session string) ([]workflow.Decision, error) {
	rows, err := g.DB.Pool.Query(ctx, `select what, allowed, reason, user_id as "user", message_ts, revision
		from decisions where session_id = $1 order by id`, session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Decision])
}
