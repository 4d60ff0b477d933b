package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/quota"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/store/spending"
)

// A Turn is the right to write in one session, until a later turn begins. It is safe for
// the concurrent use of the agents of that turn.
type Turn struct {
	spending.Account // what the session has used

	store *Store
	id    string
	epoch int64

	mu      sync.Mutex
	session workflow.Session
	counted time.Time // until when its time at work was added up; zero: it is not at work
}

// Begin starts a turn of the session and fences every earlier one. Under a job it does so
// only while the job is this worker's: one that was frozen, and given up for dead, has lost
// it, and must not fence whoever works instead.
func (s *Store) Begin(ctx context.Context, id string) (*Turn, error) {
	t := &Turn{Account: spending.AccountOf(s.DB, id), store: s, id: id}
	err := s.Transact(ctx, func(tx pgx.Tx) (err error) {
		// The session first, then the job, as by everybody who puts a job in.
		if t.session, err = ScanSession(tx.QueryRow(ctx, `update sessions set epoch = epoch + 1 where id = $1 returning `+SessionColumns, id)); err != nil {
			return err
		}
		t.epoch = t.session.Epoch
		err = queue.CheckJob(ctx, tx)
		//crash:turn_beginning
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

// Session is the session as this turn last wrote or read it.
func (t *Turn) Session() workflow.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session
}

// A Pulse is what a running turn looks at while its agents are busy.
type Pulse struct {
	Mine      bool // no later turn has begun
	Stop      bool // a person said stop
	Unhandled bool // somebody wrote what was not judged yet
	Paused    bool // whoever runs the program has paused it; see package pauses
}

// Pulse looks once.
func (t *Turn) Pulse(ctx context.Context) (p Pulse, err error) {
	err = t.store.Pool.QueryRow(ctx, `select epoch = $2, stop_asked, exists (select 1 from inbox where session_id = $1 and handled_at is null),
			exists (select 1 from pauses p where p.scope = 'all' or p.scope = 'channel' and p.name = channel or p.scope = 'repository' and p.name = repository)
		from sessions where id = $1`, t.id, t.epoch).Scan(&p.Mine, &p.Stop, &p.Unhandled, &p.Paused)
	return p, err
}

// Inbox reads the messages of the session.
func (t *Turn) Inbox() inbox.Reader { return inbox.OfSession(t.store.DB, t.id) }

// UnderWay keeps that a command runs, until end is called.
func (t *Turn) UnderWay(ctx context.Context, what string) (end func(context.Context) error, err error) {
	var id int64
	err = t.store.Pool.QueryRow(ctx, `with gone as (delete from under_way where session_id = $1 and epoch < $2)
		insert into under_way (session_id, epoch, what) values ($1, $2, left($3, 300)) returning id`, t.id, t.epoch, database.CleanText(what)).Scan(&id)
	if err != nil {
		return nil, fmt.Errorf("keep what is under way in %s: %w", t.id, err)
	}
	return func(ctx context.Context) error {
		_, err := t.store.Pool.Exec(ctx, `delete from under_way where id = $1`, id)
		return err
	}, nil
}

// Work says that from here on the turn's time is the session's time at work, to be added
// up with each fact.
func (t *Turn) Work() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counted = time.Now()
}

// worked is the time at work since it was last added up.
func (t *Turn) worked(now time.Time) time.Duration {
	if t.counted.IsZero() {
		return 0
	}
	return now.Sub(t.counted)
}

// Warn says in the thread that a limit is near, unless that was said already, here or, of
// a day's limit, in another session.
func (t *Turn) Warn(ctx context.Context, u quota.Use, said []outgoing.Line) error {
	err := t.Record(ctx, spending.Warning(u), Lines(said))
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}
