package queue

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// retrySoon is in 1, 2, 4, … seconds, a minute at most.
func (q *Queue) retrySoon(attempt int) time.Time {
	return q.db.Clock().Now().Add(min(time.Second<<min(attempt-1, 6), time.Minute))
}

// completeWhen completes j when idle says so. The session's row is locked first, as by
// every inserter, so no wake-up falls between the look and the completion, and nobody who
// has the row waits for a job of which we have the lock.
func completeWhen[T river.JobArgs](ctx context.Context, q *Queue, j *river.Job[T], session, idle string) (bool, error) {
	done := false
	err := q.db.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, session); err != nil {
			return err
		}
		if err := CheckJob(ctx, tx); err != nil {
			return err // another worker has it, and its seat
		}
		if err := tx.QueryRow(ctx, idle, session).Scan(&done); err != nil || !done {
			return err
		}
		if j.Kind == (TurnJob{}).Kind() {
			if _, err := tx.Exec(ctx, `delete from seats where session_id = $1`, session); err != nil {
				return err
			}
		}
		//crash:job_completing
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j)
		return err
	})
	return done, err
}

// jobKey is where a worker's ctx holds the row of its job.
type jobKey struct{}

func withJob(ctx context.Context, j *rivertype.JobRow) context.Context {
	return context.WithValue(ctx, jobKey{}, j)
}

// jobOf is the job that ctx runs under; nil where there is none.
func jobOf(ctx context.Context) *rivertype.JobRow {
	j, _ := ctx.Value(jobKey{}).(*rivertype.JobRow)
	return j
}

// CheckJob fails with ErrFenced when the job that ctx runs under is not this worker's any
// more, and keeps it from being taken away in this transaction. It checks nothing where ctx
// runs under no job.
func CheckJob(ctx context.Context, tx pgx.Tx) error {
	j := jobOf(ctx)
	if j == nil {
		return nil
	}
	var id int64
	err := tx.QueryRow(ctx, `select id from river_job where id = $1 and state = 'running' and attempt = $2 for share`, j.ID, j.Attempt).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrFenced
	}
	return err
}
