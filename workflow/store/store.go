// Package store stores the state of the bot in Postgres. This package has the sessions with their turns,
// lines and cards, what they used, and the small rows about them: pauses, pictures, duplicates and silence.
// Its subpackages have the rest, above all what came in (inbox), what was done (progress), what was allowed
// (consent) and what is posted (outbox).
//
// Contracts:
//   - What belongs together is one recording: Turn.Record writes its parts in one transaction, or none of
//     them. A Part is a small type in the file of its table, and writes itself, so a new kind of row is a
//     new file, beside its migration; store/retention lists what cleaning deletes. Parts are written in the
//     order of their stages (see package record).
//   - A job is inserted into the queue in the transaction of the recording that causes it, and completed in
//     the transaction that saw that nothing is left to do (see package queue).
//   - A turn writes under its epoch. Beginning a later turn fences it: its next write fails with ErrFenced
//     and changes nothing.
//   - The SQL of a row is next to its scan; a test runs every query on a real Postgres.
package store

import (
	"context"
	"log/slog"

	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// ErrFenced means that a later turn of the same session has
// begun: this turn has to end without writing anything more.
var ErrFenced = queue.ErrFenced

// ErrStale means that a part came too late; see package record.
var ErrStale = record.ErrStale

// A Store is the connection to the database, with the queue in it. It is safe for concurrent use.
type Store struct {
	*database.DB
	Queue *queue.Queue

	progress.History // what was done
	consent.Register // what was reported, allowed and pushed
	inbox.Files      // what people attached

	// Cards lets each run show its progress in a card (card.go). It is set before the first turn.
	Cards bool
	// Signs lets the thread see at once that the bot is at work (sign.go). It is set before the first turn.
	Signs bool
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
	return &Store{
		DB:       db,
		Queue:    jobs,
		History:  progress.History{DB: db},
		Register: consent.Register{DB: db},
		Files:    inbox.Files{DB: db},
	}, nil
}
