package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// A Turn is the right to write in one session until a later
// turn begins. The agents of the turn may use it concurrently.
type Turn struct {
	Account // what the session has used

	store   *Store
	id      string
	epoch   int64
	settles SettleRule

	mu      sync.Mutex
	session workflow.Session
	counted time.Time // time up to which work time was added up; zero: the turn is not at work
}

// Begin starts a turn of the session and fences every earlier one. If ctx runs under a job,
// Begin fails with ErrFenced unless the job is still this worker's: a worker that was frozen
// and taken for dead has lost its job, and must not fence the worker that has it now. settles decides
// which messages lose their buttons by what the turn records.
func (s *Store) Begin(ctx context.Context, id string, settles SettleRule) (*Turn, error) {
	t := &Turn{Account: OpenAccount(s.DB, id), store: s, id: id, settles: settles}
	err := s.Transact(ctx, func(tx pgx.Tx) (err error) {
		// The session's row first, then the job's: every transaction
		// that inserts a job locks in this order.
		if t.session, err = ScanSession(tx.QueryRow(
			ctx, `update sessions set epoch = epoch + 1 where id = $1 returning `+SessionColumns, id,
		)); err != nil {
			return err
		}
		t.epoch = t.session.Epoch
		err = queue.CheckJob(ctx, tx)
		failpoint.Crash("turn_beginning")
		return err
	})
	if errors.Is(err, ErrFenced) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("begin a turn of %s: %w", id, err)
	}
	return t, nil
}

// Session returns the session as this turn last wrote or read it.
func (t *Turn) Session() workflow.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session
}

// A TurnStatus is the state that a running turn checks while its agents are busy.
type TurnStatus struct {
	// no later turn has begun
	Current bool
	// a person asked to stop
	StopRequested bool
	// a message was not judged yet
	Unhandled bool
	// the operator has paused the session's channel, repository or everything; see pauses.go
	Paused bool
}

// Status reads the current state once.
func (t *Turn) Status(ctx context.Context) (p TurnStatus, err error) {
	err = t.store.Pool.QueryRow(ctx,
		`select epoch = $2, stop_asked, exists (select 1 from inbox where session_id = $1
			and handled_at is null),
			exists (select 1 from pauses p where p.scope = 'all' or p.scope = 'channel' and p.name = channel
				or p.scope = 'repository' and p.name = repository)
		from sessions where id = $1`, t.id, t.epoch).Scan(&p.Current, &p.StopRequested, &p.Unhandled,
		&p.Paused)
	return p, err
}

// Inbox returns a reader of the session's messages.
func (t *Turn) Inbox() inbox.Reader { return inbox.OfSession(t.store.DB, t.id) }

// UnderWay stores that a command is running, until end is called. It deletes the commands of earlier turns.
func (t *Turn) UnderWay(ctx context.Context, what string) (end func(context.Context) error, err error) {
	r, err := t.NoteRunning(ctx, what, 0)
	if err != nil {
		return nil, err
	}
	return r.End, nil
}

// A Running is the row of a command that is running.
type Running struct {
	store *Store
	id    int64
}

// NoteRunning is UnderWay for a command that has been running for some time, and of which more is told later.
func (t *Turn) NoteRunning(ctx context.Context, what string, ran time.Duration) (*Running, error) {
	r := &Running{store: t.store}
	err := t.store.Pool.QueryRow(ctx,
		`with gone as (delete from under_way where session_id = $1 and epoch < $2)
		insert into under_way (session_id, epoch, what, since)
			values ($1, $2, left($3, 300), now() - $4::interval) returning id`, t.id,
		t.epoch, database.CleanText(what), ran).Scan(&r.id)
	if err != nil {
		return nil, fmt.Errorf("keep what is under way in %s: %w", t.id, err)
	}
	return r, nil
}

// Update stores how far the command is.
func (r *Running) Update(ctx context.Context, what string) error {
	_, err := r.store.Pool.Exec(ctx, `update under_way set what = left($2, 300) where id = $1`, r.id,
		database.CleanText(what))
	return err
}

// End stores that the command has ended.
func (r *Running) End(ctx context.Context) error {
	_, err := r.store.Pool.Exec(ctx, `delete from under_way where id = $1`, r.id)
	return err
}

// Work marks that the turn is at work: from now on its time counts
// as the session's time at work, which each recording adds up.
func (t *Turn) Work() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counted = time.Now()
}

// worked returns the time at work since it was last added up.
func (t *Turn) worked(now time.Time) time.Duration {
	if t.counted.IsZero() {
		return 0
	}
	return now.Sub(t.counted)
}
