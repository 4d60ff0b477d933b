// Package merges stores the merges of a base branch into pushed branches, and what threads were told of
// conflicts between the two.
//
// An Order is written with the approval of its revision, before anything is merged; Merged is written with
// the merged files. Both are keyed by the session and the revision, so that a merge that was interrupted is
// made again from the same commits, and one that was made is not made twice.
//
// A Branch holds what the thread was told of the conflicts of a pushed branch, so that it is told once, also
// after a restart, and again only after they were gone. A worker that looks works under the session's job for
// pull requests of package queue, and writes with Change.
package merges

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// The states of a Row.
const (
	Asked  = "asked"
	MadeIn = "merged" // the session's files hold the merge
)

// A Request is a merge that a person approved as a revision.
type Request struct {
	Revision   int
	Repository string // its name in the configuration
	Branch     string
	Ours       string   // the commit of the branch
	Base       string   // the name of the branch that is merged
	Theirs     string   // and its commit
	Common     string   // the nearest common ancestor of both
	Files      []string // the paths that may differ from what the merge alone makes of them
	Clashes    []string // the paths that conflict
}

// A Row is a Request and what became of it.
type Row struct {
	Request
	State string
	Tree  string // the merged files, with conflicts between markers; empty before MadeIn
}

// An Order is a Part: the merge is approved, and is to be made.
type Order Request

func (Order) Stage() record.Stage { return record.Work }

// Mask returns o, which has no text but names and paths.
func (o Order) Mask(func(string) string) record.Part { return o }

func (o Order) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`insert into base_merges (session_id, revision, repository, branch, ours, base, theirs, common, files,
			clashes) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		r.Session, o.Revision, o.Repository, o.Branch, o.Ours, o.Base, o.Theirs, o.Common,
		append([]string{}, o.Files...), append([]string{}, o.Clashes...))
	if err != nil {
		return fmt.Errorf("merge %s: %w", o.Base, err)
	}
	return consent.AppendAudit(ctx, tx, r.Session, "merge", strconv.Itoa(o.Revision))
}

// Merged is a Part: the session's files hold the merge of that revision.
type Merged struct {
	Revision int
	Tree     string
}

func (Merged) Stage() record.Stage { return record.Work }

// Mask returns m, which has no text.
func (m Merged) Mask(func(string) string) record.Part { return m }

func (m Merged) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	tag, err := tx.Exec(ctx,
		`update base_merges set state = 'merged', tree = $3 where session_id = $1 and revision = $2`,
		r.Session, m.Revision, m.Tree)
	if err != nil {
		return fmt.Errorf("merge of revision %d: %w", m.Revision, err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	return consent.AppendAudit(ctx, tx, r.Session, "merge", strconv.Itoa(m.Revision))
}

// Retargeted is a Part: a pull request's branch is to be merged into another base than before, with which
// nothing is known of conflicts yet.
type Retargeted struct{ Repository, Branch, Base string }

func (Retargeted) Stage() record.Stage { return record.Work }

// Mask returns t, which has names only.
func (t Retargeted) Mask(func(string) string) record.Part { return t }

func (t Retargeted) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`update branch_conflicts set base = $4, onto = '', state = 'clear', files = '{}'
		where repository = $1 and branch = $2 and session_id = $3`,
		t.Repository, t.Branch, r.Session, t.Base)
	if err != nil {
		return fmt.Errorf("retarget %s: %w", t.Branch, err)
	}
	return nil
}

// A Register reads and changes the rows.
type Register struct{ Store *store.Store }

const columns = `revision, repository, branch, ours, base, theirs, common, files, clashes, state, tree`

// Of returns the merge of a revision, or nil if the revision is none.
func (g Register) Of(ctx context.Context, session string, revision int) (*Row, error) {
	return g.one(ctx, `select `+columns+` from base_merges where session_id = $1 and revision = $2`, session,
		revision)
}

// ToMake returns the merge that the session's files do not hold yet, or nil.
func (g Register) ToMake(ctx context.Context, session string) (*Row, error) {
	return g.one(ctx, `select `+columns+` from base_merges where session_id = $1 and state = 'asked'
		order by revision desc limit 1`, session)
}

func (g Register) one(ctx context.Context, query string, args ...any) (*Row, error) {
	rows, err := g.Store.Pool.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Row])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &row, err
}

// The states of a Branch.
const (
	Clear     = "clear"
	Conflicts = "conflicts" // and the thread was told
	Ended     = "ended"     // it was merged or deleted, or nothing happened for long
)

// A Branch is what the thread was told of the conflicts of a pushed branch.
type Branch struct {
	Repository string // its name in the configuration
	Branch     string
	Session    string
	Base       string   // the branch that it is to be merged into
	Head       string   // the pushed commit that was looked at last
	Onto       string   // the base's commit that it was looked at with
	State      string   // empty: there is no row yet
	Files      []string // the paths that conflict
	Followed   bool     // it has no pull request
	NewsAt     time.Time
}

// Watch is a Part: a pushed branch without a pull request is followed from now on.
type Watch struct{ Repository, Branch, Base, Head string }

func (Watch) Stage() record.Stage { return record.Push }

// Mask returns w, which has names only.
func (w Watch) Mask(func(string) string) record.Part { return w }

// Write stores the row, and lets the session's pull request job run. What the thread was told stays.
func (w Watch) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`insert into branch_conflicts (repository, branch, session_id, base, head, followed)
			values ($1, $2, $3, $4, $5, true)
		on conflict (repository, branch) do update set base = excluded.base, head = excluded.head,
			followed = true, news_at = now(),
			state = case when branch_conflicts.state = 'ended' then 'clear' else branch_conflicts.state end
		where branch_conflicts.session_id = excluded.session_id`,
		w.Repository, w.Branch, r.Session, w.Base, w.Head)
	if err != nil {
		return fmt.Errorf("follow %s: %w", w.Branch, err)
	}
	return r.Queue.InsertPullRequest(ctx, tx, r.Session)
}

// Told is a Part: a turn told the thread that the branch conflicts with its base.
type Told struct {
	Repository, Branch, Base, Head, Onto string
	Files                                []string
}

func (Told) Stage() record.Stage { return record.Work }

// Mask returns t, which has names and paths only.
func (t Told) Mask(func(string) string) record.Part { return t }

func (t Told) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`insert into branch_conflicts (repository, branch, session_id, base, head, onto, state, files)
			values ($1, $2, $3, $4, $5, $6, 'conflicts', $7)
		on conflict (repository, branch) do update set head = excluded.head, onto = excluded.onto,
			state = excluded.state, files = excluded.files
		where branch_conflicts.session_id = excluded.session_id`,
		t.Repository, t.Branch, r.Session, t.Base, t.Head, t.Onto, append([]string{}, t.Files...))
	if err != nil {
		return fmt.Errorf("conflicts of %s: %w", t.Branch, err)
	}
	return nil
}

// Branches returns what is known of the session's branches. It returns none if the session's words were
// cleaned away.
func (g Register) Branches(ctx context.Context, session string) ([]Branch, error) {
	rows, err := g.Store.Pool.Query(ctx,
		`select repository, branch, session_id as session, base, head, onto, state, files, followed, news_at
		from branch_conflicts where session_id = $1
			and not exists (select 1 from sessions where id = $1 and cleared_at is not null)
		order by repository, branch`, session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Branch])
}

// Change writes what was found, and the parts that go with it, such as the line in the thread. It writes
// nothing if the row is not as before any more, or if the session's words were cleaned away.
func (g Register) Change(ctx context.Context, before, after Branch, parts ...store.Part) error {
	change := func(tx pgx.Tx) (pgconn.CommandTag, error) {
		return tx.Exec(ctx,
			`insert into branch_conflicts as c (repository, branch, session_id, base, head, onto, state,
				files, followed) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			on conflict (repository, branch) do update set base = excluded.base, head = excluded.head,
				onto = excluded.onto, state = excluded.state, files = excluded.files,
				news_at = case when c.state = excluded.state then c.news_at else now() end
			where c.session_id = excluded.session_id and c.state = $10 and c.head = $11 and c.onto = $12`,
			before.Repository, before.Branch, before.Session, after.Base, after.Head, after.Onto, after.State,
			append([]string{}, after.Files...), after.Followed, before.State, before.Head, before.Onto)
	}
	return g.Store.ChangeRow(ctx, before.Session, change, parts...)
}
