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
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Part is one thing that Record writes; see package record.
type Part = record.Part

// A transaction is the state of one call of Record.
type transaction struct {
	record.Recording
	turn   *Turn
	update Update     // the updates of all parts combined, for the session's own row
	used   UsageTotal // the usage of all parts added up
}

// Record writes all parts in one transaction, or none of them. It fails with ErrFenced
// if a later turn has begun, with ErrStale if a part came too late (such as the
// approval of an old revision), and with consent.ErrNotApproved if a push is not what
// was approved. While Postgres is unavailable it retries. If the answer to a commit was
// lost, the next try finds the recording by its number and does not write it twice.
func (t *Turn) Record(ctx context.Context, parts ...Part) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := t.session
	before := int64(-1)
	now := time.Now()
	r := t.begin(parts, now)
	err := t.store.Transact(ctx, func(tx pgx.Tx) error {
		recorded, err := t.lock(ctx, tx)
		if err != nil {
			return err
		}
		if before >= 0 && recorded > before { // an earlier try was committed after all
			next, err = ReadSession(ctx, tx, t.id)
			return err
		}
		before = recorded
		if next, err = r.advance(ctx, tx); err != nil {
			return err
		}
		failpoint.Crash("recording_begun")
		for _, p := range r.Parts {
			if err := p.Write(ctx, tx, &r.Recording); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		if errors.Is(err, ErrFenced) || errors.Is(err, ErrStale) || errors.Is(err, consent.ErrNotApproved) {
			return err
		}
		return fmt.Errorf("record in %s: %w", t.id, err)
	}
	failpoint.Crash("recording_committed")
	t.session = next
	if !t.counted.IsZero() {
		t.counted = now
	}
	return nil
}

// begin puts the parts, and those that every recording has, in the order of their stages.
func (t *Turn) begin(parts []Part, now time.Time) *transaction {
	r := &transaction{turn: t, update: Combined(parts), used: UsageTotal{Worked: t.worked(now)}}
	for _, p := range parts {
		if used, ok := p.(Usage); ok {
			r.used.Add(used)
		}
	}
	r.used.Limited = r.update.Limited
	r.used.Freed = r.update.ClearStop || r.update.Opens()
	parts = append(slices.Clone(parts), r.used, readMark{r}, settling{r}, redrawing{r}, endingSigns{t})
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(a.Stage(), b.Stage()) })
	r.Recording = record.Recording{Session: t.id, Queue: t.store.Queue, Parts: parts}
	return r
}

// lock locks the session's row under this turn's epoch, and returns how many
// recordings the session has had. It fails with ErrFenced if a later turn has begun.
func (t *Turn) lock(ctx context.Context, tx pgx.Tx) (recorded int64, err error) {
	err = tx.QueryRow(ctx, `select recorded from sessions where id = $1 and epoch = $2 for update`, t.id,
		t.epoch).Scan(&recorded)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, ErrFenced
	}
	return recorded, err
}

// advance writes the session's own fields, counts the recording, and resets the session's crashes.
func (t *transaction) advance(ctx context.Context, tx pgx.Tx) (workflow.Session, error) {
	s, err := ReadSession(ctx, tx, t.Session)
	if err != nil {
		return s, err
	}
	u := t.update
	before := s.Repository
	if err := u.apply(&s); err != nil {
		return s, err
	}
	// The thread still holds what was said of the earlier repository.
	if before != "" && before != s.Repository && !slices.Contains(s.Before, before) {
		s.Before = append(s.Before, before)
	}
	if report, ok := record.Find[consent.Report](&t.Recording); ok {
		s.Revision = report.Revision
		s.ReportKind = report.Kind
	}
	if p, ok := record.Find[consent.Permission](&t.Recording); record.Has[consent.Approval](&t.Recording) ||
		ok && p.What == workflow.PermitResume {
		s.Halted = ""
	}
	if s.Phase != workflow.PhasePaused {
		s.Trouble = ""
	}
	s.SpentUSD += t.used.USD
	s.Tokens += int64(t.used.Tokens)
	s.Unpriced += int64(t.used.Unpriced)
	_, err = tx.Exec(ctx,
		`update sessions set kind = $2, phase = $3, title = $4, repository = $5, base_commit = $6,
			branch = $7, head = $8, revision = $9, spent_usd = $10,
			stop_asked = stop_asked and not $11, open = coalesce($12, open),
			way = $13, was = $14, asked = $15, may_ask = $16, halted = $17, repositories_before = $18,
			base_branch = $19, voided = $20, pull = $21, pull_into = $22, finding = $23, trouble = $24,
			crashes = 0, recorded = recorded + 1, updated_at = now()
		where id = $1`,
		t.Session, s.Kind, s.Phase, s.Title, s.Repository, s.BaseCommit,
		s.Branch, s.Head, s.Revision, s.SpentUSD,
		u.ClearStop, u.Open,
		s.Workflow, s.PreviousPhase, s.QuestionsAsked, s.QuestionLimit, s.Halted, s.Before,
		s.BaseBranch, s.Voided, s.Pull, s.PullInto, database.CleanText(s.Finding), s.Trouble)
	if u.Open != nil {
		s.Open = *u.Open
	}
	return s, err
}
