package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// PressedElsewhere is a Part: a press of Stop in one thread is about another session. It becomes a press of
// that session, which judges it like one in its own thread, and ends what is running there at once.
type PressedElsewhere struct {
	Session string                 // the session that it is about
	Press   workflow.IncomingEvent // as it came
}

// Stage implements record.Part.
func (PressedElsewhere) Stage() record.Stage { return record.Thread }

// Mask keeps the ids of the press, and nothing else of it is stored.
func (p PressedElsewhere) Mask(func(string) string) record.Part {
	in := p.Press
	p.Press = workflow.IncomingEvent{
		EventID:  in.EventID,
		TS:       in.TS,
		User:     in.User,
		UserTeam: in.UserTeam,
		At:       in.At,
	}
	return p
}

// Write stores the press once. Two sessions that press each other's button at the same moment may deadlock;
// then one of them is written again.
func (p PressedElsewhere) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	var id string
	err := tx.QueryRow(ctx,
		`select id from sessions where id = $1 and cleared_at is null for update`, p.Session).
		Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it was cleaned away, so nothing runs there
	}
	if err != nil {
		return fmt.Errorf("find the session of a press: %w", err)
	}
	in := p.Press
	tag, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, user_team,
			text, action_id, value, at)
		values ($1, $2, $3, $4, $5, $6, '', $8, '', $7) on conflict do nothing`,
		id, "elsewhere:"+r.Session+":"+in.EventID, workflow.MessageAction, in.TS, in.User,
		database.CleanText(in.UserTeam), in.At, workflow.ButtonStop)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if _, err := tx.Exec(ctx, `update sessions set stop_asked = true where id = $1`, id); err != nil {
		return err
	}
	return r.Queue.InsertTurn(ctx, tx, id)
}
