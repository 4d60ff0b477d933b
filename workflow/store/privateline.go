package store

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A PrivateLine is a Part: a line that one person alone is shown in the thread, once for each Key. If Slack
// does not show it to the person alone, or may not have, it is posted in the thread, with the person's name.
// It has no buttons, files or mentions.
type PrivateLine struct {
	Key, User, Name string
	Line            workflow.Line
}

func (PrivateLine) Stage() record.Stage { return record.Thread }

// Mask masks the line.
func (p PrivateLine) Mask(mask func(string) string) record.Part {
	p.Name = mask(p.Name)
	p.Line = p.Line.Mask(mask)
	return p
}

// Write inserts the outbox row. It is posted with the reactions, which do not wait for lines.
func (p PrivateLine) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	line, err := json.Marshal(p.Line)
	if err != nil {
		return err
	}
	inserted, err := database.InsertOnce(ctx, tx, "outbox", database.Row{
		"key":            r.Session + ":private:" + p.Key,
		"session_id":     r.Session,
		"reaction":       "ephemeral",
		"ephemeral_to":   p.User,
		"ephemeral":      database.CleanText(p.Line.String()),
		"ephemeral_name": database.CleanText(p.Name),
		"ephemeral_line": database.CleanJSON(line),
	})
	if err != nil || !inserted {
		return err
	}
	return r.Queue.InsertReact(ctx, tx, r.Session)
}
