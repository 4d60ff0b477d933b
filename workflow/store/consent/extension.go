package consent

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// An Extension is a Part: more of a limit, as a person allowed it, by the
// Permission of the same recording. Of two at the same moment, one is stored.
type Extension workflow.LimitExtension

func (Extension) Stage() record.Stage { return record.Given }

// Mask returns e: it has names and numbers, and no text.
func (e Extension) Mask(func(string) string) record.Part { return e }

func (e Extension) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := database.InsertOnce(ctx, tx, "extensions", database.Row{
		"name": e.Limit, "subject": e.Subject, "day": e.Day, "number": e.Number + 1, "amount": e.Step,
		"session_id": r.Session, "user_id": e.User, "user_name": e.UserName, "message_ts": e.MessageTS,
		"permission_id": permitted(r),
	})
	return err
}
