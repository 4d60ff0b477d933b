// Package store keeps everything in Postgres: sessions, what came in, transcripts, lines,
// postings, reports, approvals, tasks and pushes.
//
// Contracts:
//   - What belongs together is one recording: Turn.Record writes its parts in one
//     transaction, or none of them. A Part is a small type that stands in the file of its
//     table and writes itself, so that a new kind of row is a new file, beside its
//     migration; what cleaning deletes is listed in store/retention. Each Part has a stage,
//     and stages are written in a fixed order (see record.go); the order of the arguments counts
//     only among parts of the same stage.
//   - A job is put in the queue in the transaction of the recording that it follows from, and
//     finished in the transaction that saw nothing was left to do (see package queue).
//   - A turn writes under its epoch. Whoever begins a later turn fences it: its next
//     write fails with ErrFenced and changes nothing.
//   - The SQL stands beside its scan; every query is run by a test on a real Postgres.
package store

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// ErrFenced means that a later turn of the same session has begun: this one has to end
// without another word.
var ErrFenced = queue.ErrFenced

// ErrStale means that an approval named a revision that is no longer the newest, or that
// somebody else's approval came first; or that a fact which is to be kept once was kept before.
var ErrStale = errors.New("this revision cannot be approved any more")

// ErrNotApproved means that a push is not what an approval is of: another base, another
// report, a newer revision, or files that need a word of their own.
var ErrNotApproved = errors.New("this push is not what was approved")

// A Store is the database. It is safe for concurrent use.
type Store struct {
	*database.DB
	Queue *queue.Queue

	// Cards has each run shown by a card (card.go). It is set before the first turn.
	Cards bool
}

// Open connects to the database at url and checks that it answers. It does not migrate.
func Open(ctx context.Context, url string, log *slog.Logger) (*Store, error) {
	db, err := database.Open(ctx, url, log)
	if err != nil {
		return nil, err
	}
	jobs, err := queue.New(db)
	if err != nil {
		db.Close()
		return nil, err
	}
	return &Store{DB: db, Queue: jobs}, nil
}
