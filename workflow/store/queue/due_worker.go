package queue

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A DueWorker works DueJobs.
type DueWorker struct {
	river.WorkerDefaults[DueJob]
	Queue *Queue
}

// Work inserts a message into the session's inbox that the
// question is due. The turn checks whether that still matters.
func (w *DueWorker) Work(ctx context.Context, j *river.Job[DueJob]) error {
	err := w.Queue.db.Transact(ctx, func(tx pgx.Tx) error {
		// The session's row first, as every inserter does: a turn that
		// completes at the same time sees the message.
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, j.Args.Session); err != nil {
			return err
		}
		_, err := database.InsertOnce(ctx, tx, "inbox", database.Row{
			"session_id": j.Args.Session, "event_id": fmt.Sprintf("due:%d", j.Args.Question),
			"kind": workflow.MessageDue, "message_ts": "", "user_id": "", "value": strconv.FormatInt(j.Args.Question, 10),
		})
		if err != nil {
			return err
		}
		return w.Queue.InsertTurn(ctx, tx, j.Args.Session)
	})
	if err != nil {
		return fmt.Errorf("question %d is due: %w", j.Args.Question, err)
	}
	return nil
}
