package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow"
)

// Reactions tell people that a message arrived, within a second. So they go out by a job of
// their own: behind a busy thread's lines, which Slack takes one a second of, or while Slack
// asks to wait with them, they would come when nobody looks any more. Order means nothing to
// them, and putting one on twice changes nothing.

// A Reaction is shown on a message of the thread.
type Reaction struct{ Name, OnTS string }

func (Reaction) stage() stage { return stageThread }

func (e Reaction) write(ctx context.Context, tx pgx.Tx, r *recording) error {
	_, err := tx.Exec(ctx, `insert into outbox (key, session_id, reaction, on_ts) values ($1, $2, $3, $4) on conflict do nothing`,
		r.id+":"+e.Name+":"+e.OnTS, r.id, e.Name, e.OnTS)
	if err != nil {
		return err
	}
	return r.store.queueReaction(ctx, tx, r.id)
}

// A ReactJob puts the reactions on that one session has in the outbox.
type ReactJob struct {
	Session string `json:"session" river:"unique"`
}

// Kind names the job in the queue.
func (ReactJob) Kind() string { return "react" }

// InsertOpts make it one job a session.
func (ReactJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1000, Queue: ReactQueue, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: live}}
}

// ReactQueue keeps reactions apart from what is said.
const ReactQueue = "react"

func (s *Store) queueReaction(ctx context.Context, tx pgx.Tx, session string) error {
	_, err := s.jobs.InsertTx(ctx, tx, ReactJob{Session: session}, nil)
	return err
}

// A ReactWorker works ReactJobs.
type ReactWorker struct {
	river.WorkerDefaults[ReactJob]
	Store *Store
	Drain func(ctx context.Context, session string) error
}

// Timeout is none: Slack may ask to wait for minutes.
func (w *ReactWorker) Timeout(*river.Job[ReactJob]) time.Duration { return -1 }

// NextRetry is soon.
func (w *ReactWorker) NextRetry(j *river.Job[ReactJob]) time.Time {
	return w.Store.retrySoon(j.Attempt)
}

// Work reacts until nothing is left.
func (w *ReactWorker) Work(ctx context.Context, j *river.Job[ReactJob]) error {
	defer w.Store.atWork.begin(j.ID)()
	ctx = context.WithValue(ctx, jobKey{}, j.JobRow)
	for {
		err := w.Drain(ctx, j.Args.Session)
		switch {
		case errors.Is(err, ErrFenced):
			return nil
		case err != nil && ctx.Err() != nil:
			return river.JobSnooze(0)
		case Passing(err):
			return river.JobSnooze(time.Second)
		case err != nil:
			return err
		}
		done, err := completeWhen(ctx, w.Store, j, j.Args.Session,
			`select not exists (select 1 from outbox where session_id = $1 and reaction <> '' and posted_at is null and refused is null)`)
		if errors.Is(err, ErrFenced) {
			return nil
		}
		if done || err != nil {
			return err
		}
	}
}

// Reactions is the outbox of reactions; the Store itself is that of all else.
func (s *Store) Reactions() Reactions { return Reactions{s} }

// Reactions are the reactions that wait to be put on.
type Reactions struct{ *Store }

// Next is the oldest reaction of the session that is not on its message yet, marked as tried.
func (r Reactions) Next(ctx context.Context, session string) (*workflow.Posting, error) {
	return r.next(ctx, session, reactions)
}

// The outbox has two halves.
const (
	lines     = `o.reaction = ''`
	reactions = `o.reaction <> ''`
)

// next is what both halves have in common.
func (s *Store) next(ctx context.Context, session, half string) (p *workflow.Posting, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) error {
		which := half
		if s.inOrder {
			which = `true`
		}
		rows, err := waiting(ctx, tx, session, which)
		if err != nil || len(rows) == 0 || half == reactions && rows[0].Reaction == "" {
			return err
		}
		p, err = s.taken(ctx, tx, session, coalesce(rows))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("outbox of %s: %w", session, err)
	}
	return p, nil
}
