package consent

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/store/audit"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/record"
)

// An Allowance is a Part: a separate permission for the files of a push. It is asked
// for if User is empty, otherwise given, by the Permission of the same recording.
type Allowance permit.Allowance

func (Allowance) Stage() record.Stage { return record.Given }

// Mask masks what the thread was asked about, and why nothing was proven. The line that asks
// is masked in the same way, so the words stay the same.
func (w Allowance) Mask(mask func(string) string) record.Part {
	w.Names, w.Unproven = mask(w.Names), mask(w.Unproven)
	return w
}

// Write stores that the allowance was asked for, or that it was given: once, while it is the newest
// that was asked for, under the approval of the newest report. Otherwise it fails with record.ErrStale.
func (w Allowance) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	// Asking for the same files again makes that question the newest one.
	sql, args := `insert into allowances (id, session_id, approval_id, tree, names, unproven) values ($2, $1, $3, $4, $5, $6)
			on conflict (session_id, approval_id, tree, (unproven <> '')) do update set asked_at = now(), names = excluded.names where allowances.id = excluded.id and allowances.user_id = ''`,
		[]any{r.Session, w.ID, w.Approval, w.Tree, database.CleanText(w.Names), database.CleanText(w.Unproven)}
	if w.User != "" {
		sql, args = `update allowances w set user_id = $3, user_name = $4, message_ts = $5, permission_id = $6, allowed_at = now()
			from sessions s join approvals a on a.session_id = s.id and a.revision = s.revision and a.base_commit = s.base_commit
			where w.id = $2 and w.session_id = $1 and s.id = $1 and a.id = w.approval_id and w.user_id = ''
				and not exists (select 1 from allowances later where later.session_id = $1 and later.asked_at > w.asked_at)`,
			[]any{r.Session, w.ID, w.User, w.UserName, w.MessageTS, permitted(r)}
	}
	tag, err := tx.Exec(ctx, sql, args...)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return record.ErrStale
	}
	return audit.Append(ctx, tx, r.Session, "allowance", w.ID)
}

// Allowance returns the allowance that was asked for, or given, last under the approval, or nil if there
// is none. A tree that is not empty selects the allowance for that tree, as proven or as unproven.
func (g Register) Allowance(ctx context.Context, approval, tree string, unproven bool) (*permit.Allowance, error) {
	var w permit.Allowance
	err := g.DB.Pool.QueryRow(ctx, `select id, approval_id, tree, names, unproven, user_id, user_name, message_ts from allowances
		where approval_id = $1 and ($2 = '' or tree = $2 and (unproven <> '') = $3) order by asked_at desc, id limit 1`, approval, tree, unproven).
		Scan(&w.ID, &w.Approval, &w.Tree, &w.Names, &w.Unproven, &w.User, &w.UserName, &w.MessageTS)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &w, err
}
