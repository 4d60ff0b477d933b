// Package queue holds the work that waits: turns, postings, reactions, questions
// that are due, pull requests, and work beside the turns. Each is a job of River
// in the same Postgres. The package also decides which replica does a job.
//
// Contracts:
//   - A job is inserted in the transaction of what causes it; a session has at most one live job of a kind.
//     It is completed only in a transaction that saw, under the lock of the session's row, that nothing is
//     left to do.
//   - Code that writes because of a job checks with CheckJob that the job is still its own. A worker that
//     was frozen has lost its job, and gets ErrFenced.
//   - A Replica takes over the jobs of dead processes, and wakes sessions that have something to do and no
//     job. A session that keeps killing its workers is given up.
//   - ConcurrencyLimits hold over all replicas; slots are given in the order of asking.
package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/tracing"
)

// ErrFenced means that another worker has taken over: a later turn of the session, or the worker
// that has the job now. The caller that gets it has to end without writing anything more.
var ErrFenced = errors.New("a later turn of this session has taken over")

// errNoSlot means that as many sessions are at work as are allowed: this session waits.
var errNoSlot = errors.New("the limit of concurrent sessions is reached")

// A Queue inserts jobs. A program that works them registers this
// package's workers with a River client, whose clock is the database's.
type Queue struct {
	db      *database.DB
	client  inserter
	running runningJobs
}

// An inserter is the part of River's client that inserts jobs. The client itself is a generic type: as a
// field of Queue it would be compiled again in each of the fifty packages that use a store.
type inserter interface {
	InsertTx(
		ctx context.Context, tx pgx.Tx, args river.JobArgs, opts *river.InsertOpts,
	) (*rivertype.JobInsertResult, error)
	InsertManyTx(
		ctx context.Context, tx pgx.Tx, jobs []river.InsertManyParams,
	) ([]*rivertype.JobInsertResult, error)
}

// carryTrace stores with each job the trace under which it was inserted.
var carryTrace = river.JobInsertMiddlewareFunc(func(
	ctx context.Context,
	jobs []*rivertype.JobInsertParams,
	do func(context.Context) ([]*rivertype.JobInsertResult, error),
) ([]*rivertype.JobInsertResult, error) {
	for _, j := range jobs {
		j.Metadata = tracing.AddTo(ctx, j.Metadata)
	}
	return do(ctx)
})

// New returns the queue in a database.
func New(db *database.DB) (*Queue, error) {
	client, err := river.NewClient(riverpgxv5.New(db.Pool), &river.Config{
		Logger:     db.Log,
		Test:       river.TestConfig{Time: database.InsertClock{Clock: db.Clock()}},
		Middleware: []rivertype.Middleware{carryTrace},
	})
	if err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	return &Queue{db: db, client: client}, nil
}
