// Package record is what a recording of a session is made of: parts, each a small type that
// stands beside the SQL of its table and writes itself, so that a new kind of row is a new
// file. All parts of a Recording are written in one transaction, stage by stage; see Record of
// package store, which nobody goes around.
package record

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// ErrStale means that an approval named a revision that is no longer the newest, or that
// somebody else's approval came first; or that a fact which is to be kept once was kept before.
var ErrStale = errors.New("this revision cannot be approved any more")

// A Part is one thing that a recording keeps: a row, or what several rows have in common.
type Part interface {
	// Stage is when the part is written. Parts of one stage are written in the order in
	// which they were given.
	Stage() Stage
	// Write writes the part in tx, which has the session's row locked.
	Write(ctx context.Context, tx pgx.Tx, r *Recording) error
}

// A Stage is a step of a recording. A part may rely on what earlier stages wrote: an
// approval on the messages that were judged with it, a line's buttons on the revision that
// the session has by then.
type Stage int

// The stages, in their order.
const (
	Session    Stage = iota // use and limits, beside the session's own row
	Inbox                   // messages that were judged, or that stood in the thread before
	Transcript              // what agents said, and up to where they have read
	Rest                    // where the thread rests
	Decision                // who was allowed what
	Report                  // a new revision
	Permission              // a person's yes
	Given                   // what the permission gives: an approval, more of a limit
	Work                    // tasks, attempts, checks, questions, files: they need nothing of each other
	Push                    // only what was approved by now
	Settle                  // the buttons of what was answered
	Thread                  // what people read: lines, the card
)

// A Recording is one transaction, as its parts see it.
type Recording struct {
	Session string // its id
	Queue   *queue.Queue
	Parts   []Part // in the order of their stages
}

// Find returns the first part of kind P in the recording.
func Find[P Part](r *Recording) (p P, ok bool) {
	for _, x := range r.Parts {
		if p, ok := x.(P); ok {
			return p, true
		}
	}
	return p, false
}

// Has reports whether the recording has a part of kind P.
func Has[P Part](r *Recording) bool {
	_, ok := Find[P](r)
	return ok
}
