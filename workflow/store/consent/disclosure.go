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

// A Disclosure is a Part: the question whether words of a private thread may be pushed to a public
// repository, or, with a choice, the answer of a person, by the Permission of the same recording.
type Disclosure workflow.Disclosure

func (Disclosure) Stage() record.Stage { return record.Given }

// Mask masks what was shown. The commit is masked in the same way.
func (d Disclosure) Mask(mask func(string) string) record.Part {
	d.Title = mask(d.Title)
	d.Summary = mask(d.Summary)
	d.Shown = mask(d.Shown)
	return d
}

// Write stores the question, or the answer to the newest one, once: otherwise it fails with record.ErrStale.
func (d Disclosure) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	sql := `insert into disclosures (id, session_id, repository, tree, title, summary, shown)
		values ($2, $1, $3, $4, $5, $6, $7)`
	args := []any{
		r.Session, d.ID, d.Repository, d.Tree, database.CleanText(d.Title), database.CleanText(d.Summary),
		database.CleanText(d.Shown),
	}
	if d.Choice != workflow.DisclosureOpen {
		sql = `update disclosures d set choice = $3, permission_id = $4, user_id = $5, user_name = $6,
				message_ts = $7, chosen_at = now()
			where d.id = $2 and d.session_id = $1 and d.choice = ''
				and not exists (select 1 from disclosures later where later.session_id = $1
					and later.asked_at > d.asked_at)`
		args = []any{
			r.Session, d.ID, d.Choice, permitted(r), d.User, database.CleanText(d.UserName), d.MessageTS,
		}
	}
	tag, err := tx.Exec(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("disclosure: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return record.ErrStale
	}
	return AppendAudit(ctx, tx, r.Session, "disclosure", d.ID)
}

const disclosureColumns = `id, repository, tree, title, summary, shown, choice, ` +
	`coalesce(user_id, '') as "user", user_name, coalesce(message_ts, '') as message_ts`

// AskedDisclosure returns the newest question of the session, answered or not, or nil if there is none.
func (g Register) AskedDisclosure(ctx context.Context, session string) (*workflow.Disclosure, error) {
	return g.disclosure(ctx, `select `+disclosureColumns+` from disclosures where session_id = $1
		order by asked_at desc, id limit 1`, session)
}

// ChosenDisclosure returns the newest answer of the session for that repository, or nil if there is none.
func (g Register) ChosenDisclosure(
	ctx context.Context, session, repository string,
) (*workflow.Disclosure, error) {
	return g.disclosure(ctx, `select `+disclosureColumns+` from disclosures
		where session_id = $1 and repository = $2 and choice <> '' order by chosen_at desc, id limit 1`,
		session, repository)
}

func (g Register) disclosure(ctx context.Context, sql string, args ...any) (*workflow.Disclosure, error) {
	rows, err := g.DB.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read a disclosure: %w", err)
	}
	d, err := pgx.CollectOneRow(rows, pgx.RowToStructByName[workflow.Disclosure])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &d, err
}
