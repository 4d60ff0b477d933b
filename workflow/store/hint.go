package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Hint is a Part: words that one person alone is shown in the thread, once for each Key.
type Hint struct {
	Key, User, Text string
}

func (Hint) Stage() record.Stage { return record.Thread }

// Mask masks the words.
func (h Hint) Mask(mask func(string) string) record.Part {
	h.Text = mask(h.Text)
	return h
}

// Write inserts the outbox row. It is posted with the reactions, which do not wait for lines.
func (h Hint) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	inserted, err := database.InsertOnce(ctx, tx, "outbox", database.Row{
		"key": r.Session + ":hint:" + h.Key, "session_id": r.Session, "reaction": "ephemeral", "ephemeral_to": h.User,
		"ephemeral": h.Text,
	})
	if err != nil || !inserted {
		return err
	}
	return r.Queue.InsertReact(ctx, tx, r.Session)
}
