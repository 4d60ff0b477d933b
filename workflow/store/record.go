package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Part is one thing that Record keeps: a row, or what several rows have in common. Each
// kind stands in the file of its table and writes itself.
type Part interface {
	// stage is when the part is written. Parts of one stage are written in the order in
	// which they were given to Record.
	stage() stage
	write(ctx context.Context, tx pgx.Tx, r *recording) error
}

// A stage is a step of a recording. A part may rely on what earlier stages wrote: an
// approval on the messages that were judged with it, a line's buttons on the revision that
// the session has by then.
type stage int

const (
	stageSession    stage = iota // use and limits, beside the session's own row
	stageInbox                   // messages that were judged, or that stood in the thread before
	stageTranscript              // what agents said, and up to where they have read
	stageRest                    // where the thread rests
	stageDecision                // who was allowed what
	stageReport                  // a new revision
	stagePermission              // a person's yes
	stageGiven                   // what the permission gives: an approval, more of a limit
	stageWork                    // tasks, attempts, checks, questions, files: they need nothing of each other
	stagePush                    // only what was approved by now
	stageSettle                  // the buttons of what was answered
	stageThread                  // what people read: lines, the card, reactions
)

// A recording is one transaction of Record.
type recording struct {
	*Turn
	parts  []Part
	update Update // all that the parts change in the session's own row
	used   Usage  // in all
	worked time.Duration
}

// part is the first part of kind P in the recording.
func part[P Part](r *recording) (p P, ok bool) {
	for _, x := range r.parts {
		if p, ok := x.(P); ok {
			return p, true
		}
	}
	return p, false
}

// has reports whether the recording has a part of kind P.
func has[P Part](r *recording) bool {
	_, ok := part[P](r)
	return ok
}

// Record writes all parts in one transaction, or nothing. It fails with ErrFenced when a
// later turn has begun, with ErrStale when one of the parts is an approval that no longer
// counts, and with ErrNotApproved when one is a push that is not what was approved. While
// Postgres is away it tries again; a recording whose commit was cut off is found by its
// number.
func (t *Turn) Record(ctx context.Context, parts ...Part) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, before, now := t.session, int64(-1), time.Now()
	r := t.recording(parts, now)
	err := t.store.Transact(ctx, func(tx pgx.Tx) error {
		recorded, err := t.lock(ctx, tx)
		if err != nil {
			return err
		}
		if before >= 0 && recorded > before { // an earlier try got through after all
			next, err = ReadSession(ctx, tx, t.id)
			return err
		}
		before = recorded
		if next, err = r.advance(ctx, tx); err != nil {
			return err
		}
		//crash:fact_begun
		for _, p := range r.parts {
			if err := p.write(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		if errors.Is(err, ErrFenced) || errors.Is(err, ErrStale) || errors.Is(err, ErrNotApproved) {
			return err
		}
		return fmt.Errorf("record in %s: %w", t.id, err)
	}
	//crash:fact_recorded
	t.session = next
	if !t.counted.IsZero() {
		t.counted = now
	}
	return nil
}

// recording puts the parts, and those that every recording has, in the order of their stages.
func (t *Turn) recording(parts []Part, now time.Time) *recording {
	r := &recording{Turn: t, parts: append(slices.Clone(parts), spending{}, rest{}, settling{}, redrawing{}), worked: t.worked(now)}
	slices.SortStableFunc(r.parts, func(a, b Part) int { return cmp.Compare(a.stage(), b.stage()) })
	for _, p := range r.parts {
		switch p := p.(type) {
		case Update:
			r.update.add(p)
		case Usage:
			r.used.add(p)
		}
	}
	return r
}

// lock takes the session's row under this turn's epoch, and returns how many recordings it
// has had.
func (t *Turn) lock(ctx context.Context, tx pgx.Tx) (recorded int64, err error) {
	err = tx.QueryRow(ctx, `select recorded from sessions where id = $1 and epoch = $2 for update`, t.id, t.epoch).Scan(&recorded)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, ErrFenced
	}
	return recorded, err
}

// advance writes the session's own fields, and that it got somewhere.
func (r *recording) advance(ctx context.Context, tx pgx.Tx) (workflow.Session, error) {
	s, err := ReadSession(ctx, tx, r.id)
	if err != nil {
		return s, err
	}
	u := r.update
	if err := u.apply(&s); err != nil {
		return s, err
	}
	if report, ok := part[Report](r); ok {
		s.Revision = report.Revision
	}
	if p, ok := part[Permission](r); has[Approval](r) || ok && p.What == workflow.PermitResume {
		s.Halted = ""
	}
	s.SpentUSD += r.used.USD
	_, err = tx.Exec(ctx, `update sessions set kind = $2, phase = $3, title = $4, repository = $5, base_commit = $6, branch = $7, head = $8,
			revision = $9, spent_usd = $10, stop_asked = stop_asked and not $11, open = coalesce($12, open), way = $13, was = $14, asked = $15,
			may_ask = $16, halted = $17, crashes = 0, recorded = recorded + 1, updated_at = now() where id = $1`,
		r.id, s.Kind, s.Phase, s.Title, s.Repository, s.BaseCommit, s.Branch, s.Head, s.Revision, s.SpentUSD, u.ClearStop, u.Open,
		s.Workflow, s.PreviousPhase, s.QuestionsAsked, s.QuestionLimit, s.Halted)
	if u.Open != nil {
		s.Open = *u.Open
	}
	return s, err
}
