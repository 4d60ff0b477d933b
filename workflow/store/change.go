package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// ChangeRow changes a row of a session outside of its turns, and writes the parts that go with it, such as
// the line in the thread. change is one statement that finds the row only as it was before. Nothing is
// written if it finds none, if the session's words were cleaned away, or if another worker has the job now.
func (s *Store) ChangeRow(
	ctx context.Context, session string, change func(pgx.Tx) (pgconn.CommandTag, error), parts ...Part,
) error {
	return s.Transact(ctx, func(tx pgx.Tx) error {
		// The session's row first, like everything else that says a line in the session's thread.
		here, err := tx.Exec(ctx,
			`select 1 from sessions where id = $1 and cleared_at is null for update`, session)
		if err != nil || here.RowsAffected() == 0 {
			return err
		}
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		if changed, err := change(tx); err != nil || changed.RowsAffected() == 0 {
			return err
		}
		return s.WriteParts(ctx, tx, session, parts)
	})
}

// WriteParts writes parts of a session in tx, in their order.
func (s *Store) WriteParts(ctx context.Context, tx pgx.Tx, session string, parts []Part) error {
	r := &record.Recording{Session: session, Queue: s.Queue}
	for _, p := range parts {
		if err := p.Write(ctx, tx, r); err != nil {
			return err
		}
	}
	return nil
}
