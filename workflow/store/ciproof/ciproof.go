// Package ciproof stores the pushed commits that CI is to prove, where nothing can be proven on this machine.
// A row is keyed by the repository and the commit. It is written with the push, and only if a person allowed
// that CI proves exactly these files. It also holds the branch with the new tests alone, which must be red:
// the state of that branch is written before the branch is pushed, and before it is deleted.
//
// A worker that asks the host works under the session's job for pull requests of package queue. It writes
// what it found with Change, together with the line that tells the thread of it. Change writes only while the
// job is still the worker's and the row is as it was read.
package ciproof

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// The states of a Row.
const (
	Waiting  = "waiting" // for the checks of the commit
	Passed   = "passed"
	Failed   = "failed"
	Unproven = "unproven" // the checks show nothing; Reason says why
	Stopped  = "stopped"  // by a stop in the thread
)

// The states of the branch with the new tests alone.
const (
	TestsNone     = "none" // it is not allowed, or there are no new tests
	TestsAsked    = "asked"
	TestsIntended = "intended" // its commit is made and is to be pushed
	TestsPushed   = "pushed"
	TestsRefused  = "refused"  // it could not be made or pushed; TestsReason says why
	TestsUnwanted = "unwanted" // it is to be deleted
	TestsDeleted  = "deleted"
	TestsMoved    = "moved" // somebody changed it, so it stays
)

// A Row is a commit that CI is to prove, and what became of it.
type Row struct {
	Request
	Session     string
	State       string
	Reason      string    // how it ended, in words
	Seen        string    // the checks as they were seen last, for a comparison
	SeenAt      time.Time // since when they are as in Seen
	TestsCommit string    // set from TestsIntended on
	TestsState  string
	TestsReason string
	TestsAt     time.Time // when the branch came into TestsState
	At          time.Time // when the commit was pushed
}

// Open reports whether something is left to do for the row.
func (r Row) Open() bool {
	switch r.TestsState {
	case TestsUnwanted, TestsIntended, TestsPushed:
		return true
	}
	return r.State == Waiting
}

// A Request is what is to be proven.
type Request struct {
	Repository  string // its name in the configuration
	Commit      string // that was pushed
	Allowance   string // id of the allowance that says that CI proves it
	Branch      string
	BaseCommit  string
	Base        string   // the branch that BaseCommit is of
	Tests       []string // paths of the new tests
	TestsBranch string   // the branch for the new tests alone; empty: it is not allowed, or there are none
}

// An Order is a Part: the pushed commit is to be proven by CI.
type Order Request

func (Order) Stage() record.Stage { return record.Push }

// Mask returns o, which has no text but names and paths.
func (o Order) Mask(func(string) string) record.Part { return o }

// Write stores the row, and lets the session's pull request job run at once. It fails with
// consent.ErrNotApproved unless a person allowed that CI proves the tree of the commit, which was pushed
// under the same approval, with a branch of the new tests if there is to be one.
func (o Order) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	var stored bool
	err := tx.QueryRow(ctx,
		`with made as (insert into ci_proofs (repository, commit_hash, session_id, allowance_id, branch,
				base_commit, base, tests, tests_branch, tests_state)
			select $2, p.commit_hash, p.session_id, w.id, p.branch, p.base_commit, $5, $6, $7,
				case when $7 = '' then 'none' else 'asked' end
			from pushes p join allowances w on w.approval_id = p.approval_id and w.tree = p.tree
			where p.session_id = $1 and p.commit_hash = $3 and p.branch = $8 and p.base_commit = $9
				and w.id = $4 and w.user_id <> '' and w.ci <> '' and ($7 = '' or w.ci = 'red')
			on conflict do nothing returning commit_hash)
		select exists (select 1 from made)
			or exists (select 1 from ci_proofs where repository = $2 and commit_hash = $3
				and session_id = $1)`,
		r.Session, o.Repository, o.Commit, o.Allowance, o.Base, append([]string{}, o.Tests...), o.TestsBranch,
		o.Branch, o.BaseCommit).Scan(&stored)
	switch {
	case err != nil:
		return fmt.Errorf("a proof by CI: %w", err)
	case !stored:
		return consent.ErrNotApproved
	}
	if err := consent.AppendAudit(ctx, tx, r.Session, "ci proof", o.Commit); err != nil {
		return err
	}
	return r.Queue.InsertPullRequest(ctx, tx, r.Session)
}

// Stop is a Part that ends the waiting for CI, and has the branches with tests alone deleted.
type Stop struct{}

func (Stop) Stage() record.Stage { return record.Work }

// Mask returns s, which has no text.
func (s Stop) Mask(func(string) string) record.Part { return s }

func (Stop) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	rows, err := tx.Query(ctx,
		`update ci_proofs set state = 'stopped', tests_at = now(), tests_state = case
			when tests_state in ('intended', 'pushed') then 'unwanted'
			when tests_state = 'asked' then 'none' else tests_state end
		where session_id = $1 and state = 'waiting' returning commit_hash`, r.Session)
	if err != nil {
		return fmt.Errorf("stop waiting for CI: %w", err)
	}
	commits, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(commits) == 0 {
		return err
	}
	for _, commit := range commits {
		if err := consent.AppendAudit(ctx, tx, r.Session, "ci proof", commit); err != nil {
			return err
		}
	}
	if err := redrawCard(ctx, tx, r.Session); err != nil {
		return err
	}
	return r.Queue.InsertPullRequest(ctx, tx, r.Session)
}

// redrawCard has the card of the session's last run drawn again: it says whether CI is waited for.
func redrawCard(ctx context.Context, tx pgx.Tx, session string) error {
	_, err := tx.Exec(ctx,
		`update cards set due_at = least(due_at, greatest(now(), drawn_at + interval '2 seconds'))
		where session_id = $1 and run = (select max(run) from cards where session_id = $1)`, session)
	return err
}

// A Register reads and changes the rows.
type Register struct{ Store *store.Store }

const columns = `repository, commit_hash as commit, allowance_id as allowance, branch, base_commit, base,
	tests, tests_branch, session_id as session, state, reason, seen, seen_at, tests_commit, tests_state,
	tests_reason, tests_at, at`

// Of returns the proofs by CI of the session, oldest first. It returns none if the session's words were
// cleaned away.
func (g Register) Of(ctx context.Context, session string) ([]Row, error) {
	rows, err := g.Store.Pool.Query(ctx, `select `+columns+` from ci_proofs where session_id = $1
		and not exists (select 1 from sessions where id = $1 and cleared_at is not null)
		order by at, commit_hash`, session)
	if err != nil {
		return nil, fmt.Errorf("proofs by CI of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Row])
}

// Awaited returns the commit of the session whose checks are waited for, or an empty string.
func (g Register) Awaited(ctx context.Context, session string) (commit string, err error) {
	all, err := g.Of(ctx, session)
	for _, r := range all {
		if r.State == Waiting {
			commit = r.Commit
		}
	}
	return commit, err
}

// Change writes what became of a row, and the parts that go with it, such as the line in the thread. It
// writes nothing and returns false if the row is not as before any more, or if the session's work is paused
// or stopped and after intends to push a branch.
func (g Register) Change(
	ctx context.Context, before, after Row, parts ...store.Part,
) (changed bool, err error) {
	err = g.Store.Transact(ctx, func(tx pgx.Tx) error {
		changed = false // of an earlier try that was not committed
		// The session's row first, like everything else that says a line in the session's thread.
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`,
			before.Session); err != nil {
			return err
		}
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		intends := after.TestsState == TestsIntended && before.TestsState != TestsIntended
		if rests, err := queue.Rests(ctx, tx, before.Session); err != nil || rests && intends {
			return err
		}
		tag, err := tx.Exec(ctx,
			`update ci_proofs c set state = $5, reason = $6, seen = $7, tests_commit = $8, tests_state = $9,
				tests_reason = $10, seen_at = case when c.seen = $7 then c.seen_at else now() end,
				tests_at = case when c.tests_state = $9 then c.tests_at else now() end
			from sessions s
			where c.repository = $1 and c.commit_hash = $2 and c.state = $3 and c.tests_state = $4
				and s.id = c.session_id and s.cleared_at is null and (not $11::bool or s.halted = '')`,
			before.Repository, before.Commit, before.State, before.TestsState,
			after.State, database.CleanText(after.Reason), database.CleanText(after.Seen), after.TestsCommit,
			after.TestsState, database.CleanText(after.TestsReason), intends)
		if changed = err == nil && tag.RowsAffected() > 0; !changed {
			return err
		}
		return g.changed(ctx, tx, before, after, parts)
	})
	return changed && err == nil, err
}

// changed records in tx what goes with a changed row.
func (g Register) changed(ctx context.Context, tx pgx.Tx, before, after Row, parts []store.Part) error {
	if before.State != after.State || before.TestsState != after.TestsState {
		if err := consent.AppendAudit(ctx, tx, before.Session, "ci proof", before.Commit); err != nil {
			return err
		}
	}
	if before.State != after.State {
		if err := redrawCard(ctx, tx, before.Session); err != nil {
			return err
		}
	}
	return g.Store.WriteParts(ctx, tx, before.Session, parts)
}
