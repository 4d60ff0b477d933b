// Package record defines the parts of which a recording of a session is made. A Part is a small type
// beside the SQL of its table, and writes itself, so a new kind of row is a new file. Turn.Record of
// package store writes all parts of a Recording in one transaction, stage by stage. Work outside of
// turns writes single parts in a transaction of its own that has locked the session's row.
package record

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// ErrStale means that a part does not count any more: what it refers to was replaced, or the part was recorded
// before. An approval, for example, names a revision that is not the newest or is approved already.
var ErrStale = errors.New("recorded too late or twice")

// A Part is one change that a Recording writes: usually one row and the rows that depend on it.
type Part interface {
	// Stage returns when the part is written. Parts of the same
	// stage are written in the order in which they were given.
	Stage() Stage
	// Mask returns a copy of the part in which mask was applied to every text that people or agents are shown
	// of it, or that is only stored. The comment of each Mask says which texts stay word for word, and why. A
	// part without text returns itself.
	Mask(mask func(string) string) Part
	// Write writes the part in tx, which has the session's row locked.
	Write(ctx context.Context, tx pgx.Tx, r *Recording) error
}

// A Stage is a step of a recording. A part may rely on what earlier stages wrote: an approval on
// the messages that were judged with it, a line's buttons on the newest revision of the session.
type Stage int

// The stages, in their order.
const (
	Session    Stage = iota // use and limits, beside the session's own row
	Inbox                   // messages that were judged, or that were in the thread before the session
	Transcript              // what agents said, and up to where they have read
	Rest                    // up to where agents had read when the thread came to rest
	Decision                // who was allowed what
	Report                  // a new revision
	Permission              // a person's permission
	Given                   // what the permission gives: an approval, more of a limit
	Work                    // tasks, attempts, checks, questions, files: they do not depend on each other
	Push                    // pushes, which need an approval
	Settle                  // removes the buttons of what was answered
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
