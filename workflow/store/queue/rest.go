package queue

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// restPause is the time after which a job that rests looks again.
const restPause = 2 * time.Second

// pausePulse is the interval at which running work looks for a pause in the database.
const pausePulse = 400 * time.Millisecond

var errPaused = errors.New("the operator has paused this session's work")

// isPaused is a condition on a session s: the operator has paused its channel, its repository or everything.
const isPaused = `exists (select 1 from pauses p where p.scope = 'all' or p.scope = 'channel'
	and p.name = s.channel or p.scope = 'repository' and p.name = s.repository)`

// Rests reports whether the work beside a session's turns has to wait: for the end of a pause, or until
// a turn has judged a stop.
func Rests(ctx context.Context, tx pgx.Tx, session string) (rests bool, err error) {
	err = tx.QueryRow(ctx, rest, session).Scan(&rests)
	return rests, err
}

const rest = `select ` + isPaused +
	` or s.stop_asked and exists (select 1 from inbox i where i.session_id = s.id and i.handled_at is null)
		from sessions s where s.id = $1`

// unlessPaused calls work, and cancels its context when a pause begins. It returns a snooze if the session
// rests before, or if the pause ended the work.
func (q *Queue) unlessPaused(
	ctx context.Context, session string, work func(context.Context, string) error,
) error {
	var rests bool
	if err := q.db.Pool.QueryRow(ctx, rest, session).Scan(&rests); err != nil {
		return err
	}
	if rests {
		return river.JobSnooze(restPause)
	}
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		q.watchPause(watched, session, cancel)
	}()
	defer func() {
		cancel(nil)
		<-done
	}()
	err := work(watched, session)
	if err != nil && errors.Is(context.Cause(watched), errPaused) {
		return river.JobSnooze(restPause)
	}
	return err
}

// watchPause cancels ctx with errPaused when a pause of the session begins.
func (q *Queue) watchPause(ctx context.Context, session string, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pausePulse)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var paused bool
		if err := q.db.Pool.QueryRow(ctx, `select `+isPaused+` from sessions s where s.id = $1`,
			session).Scan(&paused); err == nil && paused {
			cancel(errPaused)
		}
	}
}

// mayOpen returns a snooze while a pull request of the session is to be opened and its work is paused.
func (q *Queue) mayOpen(ctx context.Context, session string) error {
	var waits bool
	err := q.db.Pool.QueryRow(ctx,
		`select exists (select 1 from pull_requests r join sessions s on s.id = r.session_id where s.id = $1
			and r.state = 'intended' and `+
			isPaused+`) or exists (select 1 from ci_proofs c join sessions s on s.id = c.session_id
			where s.id = $1 and c.tests_state in ('asked', 'intended') and `+
			isPaused+`)`, session).Scan(&waits)
	if err == nil && waits {
		return river.JobSnooze(restPause)
	}
	return err
}
