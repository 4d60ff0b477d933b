// Sessions at work in whose threads nothing was said for a while, and the line that is then said in them.
//
// The line is said once, however many replicas look: the one that says it has locked the session's row, and
// checks again that the thread is still quiet.

package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A SilentSession describes a session at work in whose thread nothing
// was said for a while, neither by people nor by the bot.
type SilentSession struct {
	Session      workflow.Session
	For          time.Duration
	WaitsForSlot bool // it waits for a slot
	Failing      bool // its turn failed, and will be tried again
	Tasks        []SilentTask
	Commands     []SilentCommand
}

// A SilentTask is a task on which a worker is at work.
type SilentTask struct {
	Number      int
	Category    string
	Description string
	For         time.Duration
}

// A SilentCommand is a command that runs.
type SilentCommand struct {
	What string
	For  time.Duration
}

// isSilent is the condition that a session s has something to do and a job to
// do it by (so it does not wait for people), and that nothing was said in
// its thread for $1. Messages to the bot count as much as lines of the bot.
const isSilent = `s.cleared_at is null
	and (s.open or exists (select 1 from inbox i where i.session_id = s.id and i.handled_at is null)
		or exists (select 1 from inquiries q where q.session_id = s.id and q.answer is null))
	and exists (select 1 from river_job j where j.kind = 'turn'
		and j.args @> jsonb_build_object('session', s.id) and j.finalized_at is null)
	and not exists (select 1 from lines l where l.session_id = s.id and l.at > now() - $1::interval)
	and not exists (select 1 from inbox i where i.session_id = s.id and i.at > now() - $1::interval)`

// ListSilent returns the sessions at work whose threads were quiet for after or longer.
func ListSilent(ctx context.Context, db *database.DB, after time.Duration) ([]string, error) {
	rows, err := db.Pool.Query(ctx,
		`select s.id from sessions s where s.id in (
			select args->>'session' from river_job where kind = 'turn' and finalized_at is null)
		and `+isSilent+` order by s.id`, after)
	if err != nil {
		return nil, fmt.Errorf("quiet threads: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// A SilenceNotifier says a line in quiet threads. It is safe for concurrent use.
type SilenceNotifier struct {
	store *Store

	unguarded bool // tests only: no lock is taken
}

// NewSilenceNotifier returns a SilenceNotifier for the sessions in the store.
func NewSilenceNotifier(s *Store) *SilenceNotifier { return &SilenceNotifier{store: s} }

// Notify says a line in the thread of a session that is still quiet. If another
// transaction has locked the session's row, because it says something there or because
// another replica does the same, Notify does nothing, so the line is said once.
func (n *SilenceNotifier) Notify(
	ctx context.Context, session string, after time.Duration, say func(SilentSession) workflow.Line,
) (notified bool, err error) {
	err = pgx.BeginFunc(ctx, n.store.Pool, func(tx pgx.Tx) error {
		notified = false
		if !n.unguarded {
			rows, err := tx.Query(ctx, `select 1 from sessions where id = $1 for update skip locked`, session)
			if err != nil {
				return err
			}
			if locked, err := pgx.CollectRows(rows, pgx.RowTo[int]); err != nil || len(locked) == 0 {
				return err
			}
		}
		x, still, err := readSilentSession(ctx, tx, session, after)
		if err != nil || !still {
			return err
		}
		notified = true
		return n.store.WriteLine(ctx, tx, session, say(x))
	})
	if err != nil {
		return false, fmt.Errorf("speak in the thread of %s: %w", session, err)
	}
	return notified, nil
}

// readSilentSession reads the state of the session. still is false if the thread is not quiet any more.
func readSilentSession(
	ctx context.Context, tx pgx.Tx, session string, after time.Duration,
) (x SilentSession, still bool, err error) {
	if err := tx.QueryRow(ctx, `select exists (select 1 from sessions s where s.id = $2 and `+isSilent+`)`,
		after, session).Scan(&still); err != nil || !still {
		return x, false, err
	}
	if x.Session, err = ReadSession(ctx, tx, session); err != nil {
		return x, false, err
	}
	err = tx.QueryRow(ctx,
		`select now() - greatest(coalesce((select max(at) from lines where session_id = $1), '-infinity'),
				coalesce((select max(at) from inbox where session_id = $1), '-infinity'), s.created_at),
			exists (select 1 from seats where session_id = $1 and not held),
			exists (select 1 from river_job j where j.kind = 'turn'
				and j.args @> jsonb_build_object('session', s.id) and j.state = 'retryable')
		from sessions s where s.id = $1`, session).Scan(&x.For, &x.WaitsForSlot, &x.Failing)
	if err != nil {
		return x, false, err
	}
	rows, err := tx.Query(ctx, `select k.number, k.category, coalesce(nullif(k.shown, ''), k.description),
			now() - coalesce((select min(at) from transcript where session_id = $1 and task_id = k.id), now())
		from tasks k where k.session_id = $1 and k.state = 'working' order by k.number`, session)
	if err != nil {
		return x, false, err
	}
	if x.Tasks, err = pgx.CollectRows(rows, pgx.RowToStructByPos[SilentTask]); err != nil {
		return x, false, err
	}
	rows, err = tx.Query(ctx,
		`select u.what, now() - u.since from under_way u join sessions s on s.id = u.session_id
		and s.epoch = u.epoch
		where u.session_id = $1 order by u.id`, session)
	if err != nil {
		return x, false, err
	}
	x.Commands, err = pgx.CollectRows(rows, pgx.RowToStructByPos[SilentCommand])
	return x, err == nil, err
}
