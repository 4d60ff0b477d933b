package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// Reworded is a Part that says a line in place of an earlier one: the newest message that
// still offers a button with this action and label gets the words and buttons of Line. If
// there is no such message, Line is said as a new reply. Slack notifies nobody of an edit.
//
// With a Revision, Line replaces the message that shows that revision, and its
// note of who approved it stays. If there is no such message, nothing is said.
type Reworded struct {
	ActionID workflow.ActionID
	Label    string
	Revision int
	Line     workflow.Line
	// BelowTalk is shown to one person alone if another person than the one who is answered wrote below the
	// earlier line: there nobody would look for the new words, which are in the thread once.
	BelowTalk *PrivateLine
}

func (Reworded) Stage() record.Stage { return record.Thread }

// Mask masks the line. The action and the label by which a message is found are the program's own.
func (w Reworded) Mask(mask func(string) string) record.Part {
	w.Line = w.Line.Mask(mask)
	if w.BelowTalk != nil {
		private, _ := w.BelowTalk.Mask(mask).(PrivateLine)
		w.BelowTalk = &private
	}
	return w
}

func (w Reworded) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	// The job first, then the outbox rows: a poster locks them in this order, too.
	if err := r.Queue.InsertPost(ctx, tx, r.Session); err != nil {
		return err
	}
	if w.Revision > 0 {
		return w.rewordRevision(ctx, tx, r.Session)
	}
	offer, err := json.Marshal([]map[string]string{{"ActionID": string(w.ActionID), "Label": w.Label}})
	if err != nil {
		return err
	}
	var key string
	var tried bool
	err = tx.QueryRow(ctx,
		`select key, batch is not null from outbox where session_id = $1 and settled is null
		and refused is null and buttons::jsonb @> $2::jsonb
		order by id desc limit 1 for update`, r.Session, string(offer)).Scan(&key, &tried)
	if errors.Is(err, pgx.ErrNoRows) {
		return insertLine(ctx, tx, r.Session, w.Line, true)
	}
	if err != nil {
		return fmt.Errorf("find the message to reword: %w", err)
	}
	if talk, err := w.isBelowTalk(ctx, tx, r, key); err != nil {
		return err
	} else if talk {
		if err := w.BelowTalk.Write(ctx, tx, r); err != nil {
			return err
		}
	}
	line, err := keepLine(ctx, tx, r.Session, w.Line)
	if err != nil {
		return err
	}
	if !tried { // the earlier words were never posted
		_, err = tx.Exec(ctx, `update outbox set line_id = $2, buttons = $3 where key = $1`, key,
			line.id, line.buttons)
		return err
	}
	if _, err := tx.Exec(ctx, `update outbox set settled = '' where key = $1`, key); err != nil {
		return err
	}
	return database.Insert(ctx, tx, "outbox", line.rewriting(r.Session, key))
}

// isBelowTalk reports whether others than the writer of the message that is answered wrote below the message
// of the outbox row with that key.
func (w Reworded) isBelowTalk(
	ctx context.Context, tx pgx.Tx, r *record.Recording, key string,
) (talk bool, err error) {
	h, ok := record.Find[inbox.Handled](r)
	if w.BelowTalk == nil || !ok {
		return false, nil
	}
	err = tx.QueryRow(ctx,
		`select exists (select 1 from outbox o left join outbox first on first.key = o.rewrites
			join inbox i on i.session_id = o.session_id and i.kind in ('mention', 'reply')
				and i.message_ts > coalesce(first.ts, o.ts)
			join inbox m on m.id = $2 and m.session_id = o.session_id and i.user_id <> m.user_id
				and i.message_ts < m.message_ts
		where o.key = $1)`, key, h.ID).Scan(&talk)
	return talk, err
}

func (w Reworded) rewordRevision(ctx context.Context, tx pgx.Tx, session string) error {
	var key string
	err := tx.QueryRow(ctx,
		`select o.key from reports r join lines l on l.session_id = r.session_id and l.text = r.text
		join outbox o on o.line_id = l.id
		where r.session_id = $1 and r.revision = $2 and o.rewrites is null order by o.id limit 1`, session,
		w.Revision).Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the message of revision %d: %w", w.Revision, err)
	}
	line, err := keepLine(ctx, tx, session, w.Line)
	if err != nil {
		return err
	}
	return database.Insert(ctx, tx, "outbox", line.rewriting(session, key))
}
