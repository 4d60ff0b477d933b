// Package store keeps everything in Postgres: sessions, what came in, transcripts, lines,
// what has to be posted, reports, approvals, tasks and pushes.
//
// Contracts:
//   - What belongs together is one recording: Turn.Record writes its parts in one
//     transaction, or none of them. A Part is a small type that stands in the file of its
//     table and writes itself, so that a new kind of row is a new file. The order of the
//     arguments says nothing but the order within one kind: each Part has a stage, and stages
//     are written in their own order (see record.go).
//   - A job is put in the queue in the transaction of the recording that it follows from, and
//     finished in the transaction that saw nothing was left to do (see jobs.go).
//   - A turn writes under its epoch. Whoever begins a later turn fences it: its next
//     write fails with ErrFenced and changes nothing.
//   - The SQL stands beside its scan; every query is run by a test on a real Postgres.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// ErrFenced means that a later turn of the same session has begun: this one has to end
// without another word.
var ErrFenced = errors.New("a later turn of this session has taken over")

// ErrNoSeat means that as many sessions are at work as may be at once: this one waits.
var ErrNoSeat = errors.New("as many sessions are at work as may be at once")

// ErrStale means that an approval named a revision that is no longer the newest, or that
// somebody else's approval came first; or that a fact which is to be kept once was kept before.
var ErrStale = errors.New("this revision cannot be approved any more")

// ErrNotApproved means that a push is not what an approval is of: another base, another
// report, a newer revision, or files that need a word of their own.
var ErrNotApproved = errors.New("this push is not what was approved")

// A Store is the database. It is safe for concurrent use.
type Store struct {
	Pool *pgxpool.Pool
	jobs *river.Client[pgx.Tx] // inserts only; whoever works the queue has a client of its own
	log  *slog.Logger

	// Cards has each run shown by a card (card.go). It is set before the first turn.
	Cards bool

	clock *Clock

	atWork atWork

	unguarded bool // tests only: whoever breaks a silence takes no lock
	inOrder   bool // tests only: reactions wait behind the lines before them
}

// idleTimeout is the setting of Postgres that ends a transaction nobody goes on with: a
// replica that is frozen in the middle of one would lock its sessions away from the others.
const idleTimeout = "idle_in_transaction_session_timeout"

// Open connects to the database at url and checks that it answers. It does not migrate.
func Open(ctx context.Context, url string, log *slog.Logger) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	if _, given := config.ConnConfig.RuntimeParams[idleTimeout]; !given {
		config.ConnConfig.RuntimeParams[idleTimeout] = "4s"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	s := &Store{Pool: pool, log: log, clock: &Clock{}}
	if err := s.lookAtClock(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("database does not answer: %w", err)
	}
	s.jobs, err = river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: log, Test: river.TestConfig{Time: inserting{s.clock}}})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("job queue: %w", err)
	}
	return s, nil
}

// Close ends all connections.
func (s *Store) Close() { s.Pool.Close() }
