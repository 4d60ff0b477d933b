package queue

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// retrySoon returns a time in 1, 2, 4, … seconds, in a minute at most.
func (q *Queue) retrySoon(attempt int) time.Time {
	return q.db.Clock().Now().Add(min(time.Second<<min(attempt-1, 6), time.Minute))
}

// completeWhen completes j if the query idle is true. It locks the session's row first,
// as every inserter does. So no new work comes between the query and the completion, and
// no transaction that holds the session's row waits for a job that this one has locked.
func completeWhen[T river.JobArgs](ctx context.Context, q *Queue, j *river.Job[T], session, idle string) (bool, error) {
	done := false
	err := q.db.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, session); err != nil {
			return err
		}
		if err := CheckJob(ctx, tx); err != nil {
			return err // another worker has the job, and its slot
		}
		if err := tx.QueryRow(ctx, idle, session).Scan(&done); err != nil || !done {
			return err
		}
		if j.Kind == (TurnJob{}).Kind() {
			if _, err := tx.Exec(ctx, `delete from seats where session_id = $1`, session); err != nil {
				return err
			}
		}
		failpoint.Crash("job_completing")
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j)
		return err
	})
	return done, err
}

// jobKey is the key under which a worker's ctx holds the row of its job.
type jobKey struct{}

func withJob(ctx context.Context, j *rivertype.JobRow) context.Context {
	return context.WithValue(ctx, jobKey{}, j)
}

// jobOf returns the job that ctx runs under, or nil if there is none.
func jobOf(ctx context.Context) *rivertype.JobRow {
	j, _ := ctx.Value(jobKey{}).(*rivertype.JobRow)
	return j
}

// CheckJob fails with ErrFenced if the job that ctx runs under is not this
// worker's any more. Otherwise it locks the job, so that it cannot be taken away
// before this transaction ends. It checks nothing if ctx runs under no job.
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
