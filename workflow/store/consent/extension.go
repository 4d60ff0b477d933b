package consent

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/record"
)

// An Extension is a Part: more of a limit, as a person allowed it, by the
// Permission of the same recording. Of two at the same moment, one is stored.
type Extension workflow.LimitExtension

func (Extension) Stage() record.Stage { return record.Given }

// Mask returns a: it has names and numbers, and no text.
func (a Extension) Mask(func(string) string) record.Part { return a }

func (a Extension) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx, `insert into extensions (name, subject, day, number, amount, session_id, user_id, user_name, message_ts, permission_id)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
		a.Limit, a.Subject, a.Day, a.Number+1, a.Step, r.Session, a.User, a.UserName, a.MessageTS, permitted(r))
	return err
}
