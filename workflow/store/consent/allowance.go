package consent

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// An Allowance is a Part: a separate permission for the files of a push. It is asked
// for if User is empty, otherwise given, by the Permission of the same recording, and
// then it overrules the objections that it names. It lets CI prove no more than was asked for.
type Allowance workflow.Allowance

func (Allowance) Stage() record.Stage { return record.Given }

// Mask masks what the thread was asked about, and the reasons. The line that asks, and the push that the
// reasons are compared with, are masked in the same way, so the words stay the same.
func (a Allowance) Mask(mask func(string) string) record.Part {
	a.Names = mask(a.Names)
	a.Unproven = mask(a.Unproven)
	a.Paths = mask(a.Paths)
	a.Expectations = mask(a.Expectations)
	a.Missing = mask(a.Missing)
	return a
}

// Write stores that the allowance was asked for, or that it was given: once, while it is the newest
// that was asked for, under the approval of the newest report. Otherwise it fails with record.ErrStale.
func (a Allowance) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	// Asking for the same files again, for the same reasons, makes that question the newest one.
	sql := `insert into allowances (id, session_id, approval_id, tree, names, unproven, paths, objections,
			expectations, ci, missing, files)
			values ($2, $1, $3, $4, $5, $6, $7, coalesce($8::bigint[], '{}'), $9, $10, $11,
				coalesce($12::text[], '{}'))
			on conflict (session_id, approval_id, tree, (unproven <> ''), objections, md5(expectations),
				md5(missing))
			do update set asked_at = now(), names = excluded.names, ci = excluded.ci, files = excluded.files
				where allowances.id = excluded.id and allowances.user_id = ''`
	args := []any{
		r.Session, a.ID, a.Approval, a.Tree, database.CleanText(a.Names), database.CleanText(a.Unproven),
		database.CleanText(a.Paths), a.Objections, database.CleanText(a.Expectations),
		a.CI, database.CleanText(a.Missing), a.Files,
	}
	if a.User != "" {
		if err := endorseTree(ctx, tx, r, a); err != nil {
			return err
		}
		sql = `update allowances w set user_id = $3, user_name = $4, message_ts = $5, permission_id = $6,
			allowed_at = now(), ci = $7
			from sessions s join approvals a on a.session_id = s.id and a.revision = s.revision
				and a.base_commit = s.base_commit
			where w.id = $2 and w.session_id = $1 and s.id = $1 and a.id = w.approval_id and w.user_id = ''
				and $7 in ('', w.ci)
				and not exists (select 1 from allowances later where later.session_id = $1
					and later.asked_at > w.asked_at)`
		args = []any{r.Session, a.ID, a.User, a.UserName, a.MessageTS, permitted(r), a.CI}
	}
	tag, err := tx.Exec(ctx, sql, args...)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return record.ErrStale
	}
	if err := AppendAudit(ctx, tx, r.Session, "allowance", a.ID); err != nil || a.User == "" {
		return err
	}
	return overrule(ctx, tx, r.Session, a.ID)
}

// endorseTree writes the word of the person who gives the allowance, for its files.
func endorseTree(ctx context.Context, tx pgx.Tx, r *record.Recording, a Allowance) error {
	var revision int
	var tree string
	err := tx.QueryRow(ctx, `select a.revision, w.tree from allowances w
		join approvals a on a.id = w.approval_id where w.id = $1 and w.session_id = $2`,
		a.ID, r.Session).Scan(&revision, &tree)
	if errors.Is(err, pgx.ErrNoRows) {
		return record.ErrStale
	}
	if err != nil {
		return err
	}
	return endorse(ctx, tx, r, workflow.Endorsement{
		Revision: revision, Subject: workflow.TreeSubject(tree), UserName: a.UserName, Credit: a.Credit,
	})
}

const allowanceColumns = `id, approval_id as approval, tree, names, paths, unproven, objections, ` +
	`expectations, missing, files, ci, '' as credit, user_id as "user", user_name, message_ts`

// Allowance returns the allowance that was asked for, or given, last under the approval, or nil if there
// is none.
func (g Register) Allowance(ctx context.Context, approval string) (*workflow.Allowance, error) {
	return g.allowance(ctx, `select `+allowanceColumns+
		` from allowances where approval_id = $1 order by asked_at desc, id limit 1`, approval)
}

// GivenAllowance returns the newest allowance for the tree of w and its reasons that a person gave, or nil if
// there is none. The objections do not matter: those that it names are overruled by it.
func (g Register) GivenAllowance(ctx context.Context, w workflow.Allowance) (*workflow.Allowance, error) {
	return g.allowance(ctx,
		`select `+allowanceColumns+` from allowances where approval_id = $1 and tree = $2 and user_id <> ''
		and (unproven <> '') = ($3 <> '') and expectations = $4 and ($5 = '' or paths <> '')
			order by allowed_at desc, id limit 1`,
		w.Approval, w.Tree, w.Unproven, database.CleanText(w.Expectations), w.Paths)
}

// GivenAllowances returns the allowances under the approval that a person gave, in order.
func (g Register) GivenAllowances(ctx context.Context, approval string) ([]workflow.Allowance, error) {
	rows, err := g.DB.Pool.Query(ctx, `select `+allowanceColumns+` from allowances
		where approval_id = $1 and user_id <> '' order by allowed_at, id`, approval)
	if err != nil {
		return nil, fmt.Errorf("what was allowed under %s: %w", approval, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Allowance])
}

// AskedAllowance returns the allowance that was asked for, for exactly the tree and the reasons of w, and
// that nobody has given, or nil if there is none.
func (g Register) AskedAllowance(ctx context.Context, w workflow.Allowance) (*workflow.Allowance, error) {
	return g.allowance(ctx,
		`select `+allowanceColumns+` from allowances where approval_id = $1 and tree = $2 and user_id = ''
		and (unproven <> '') = ($3 <> '') and objections = coalesce($4::bigint[], '{}')
			and expectations = $5 and missing = $6`,
		w.Approval, w.Tree, w.Unproven, w.Objections, database.CleanText(w.Expectations),
		database.CleanText(w.Missing))
}

func (g Register) allowance(ctx context.Context, sql string, args ...any) (*workflow.Allowance, error) {
	rows, err := g.DB.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read an allowance: %w", err)
	}
	w, err := pgx.CollectOneRow(rows, pgx.RowToStructByName[workflow.Allowance])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &w, err
}
