package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// A SettleRule decides which messages lose their buttons when the parts are recorded, because the session no
// longer waits for what they offer.
type SettleRule func(parts []Part) Settlement

// NoSettling is the rule by which no message loses its buttons.
func NoSettling([]Part) Settlement { return Settlement{} }

// A Settlement is what a SettleRule decided.
type Settlement struct {
	// Settle returns which of the open messages lose their buttons, in the order in which they are
	// posted again. nil: none does.
	Settle func(open []OpenMessage) []SettledMessage
	// ends the waiting for an answer to the newest question, with this note; empty: it goes on waiting
	EndQuestion string
}

// An OpenMessage is a message of the thread with a button that can still be pressed. Buttons that only
// show details count for nothing.
type OpenMessage struct {
	ID      int64
	Buttons []workflow.Button
	Means   string // what its first button stands for
	InSpite bool   // it asks whether to push in spite of an objection
}

// A SettledMessage is a message that loses its buttons, except for those that show details.
type SettledMessage struct {
	ID    int64
	Note  string // put below it
	Brief bool   // it keeps only its first line
}

// settling is the part of every recording that removes buttons by the turn's SettleRule.
type settling struct{ *transaction }

func (settling) Stage() record.Stage { return record.Settle }

// Mask returns s: what it says is made of the other parts of the recording, which are masked.
func (s settling) Mask(func(string) string) record.Part { return s }

func (s settling) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	decided := s.turn.settles(r.Parts)
	if decided.EndQuestion != "" {
		if err := progress.EndQuestion(ctx, tx, r.Session, decided.EndQuestion); err != nil {
			return err
		}
	}
	if decided.Settle == nil {
		return nil
	}
	open, err := openMessages(ctx, tx, r.Session)
	if err != nil {
		return fmt.Errorf("which buttons are open: %w", err)
	}
	return s.removeButtons(ctx, tx, decided.Settle(open))
}

// openMessages returns the messages of the session with a button that can still be pressed, in order.
func openMessages(ctx context.Context, tx pgx.Tx, session string) ([]OpenMessage, error) {
	rows, err := tx.Query(ctx, `select o.id, o.buttons, coalesce(b.means, ''),
			coalesce(b.action_id = $2 and w.objections <> '{}', false)
		from outbox o
			left join buttons b on b.session_id = o.session_id and b.id = o.buttons::jsonb -> 0 ->> 'Value'
			left join allowances w on w.id = b.means
		where o.session_id = $1 and o.settled is null and o.buttons is not null
			and exists (select 1 from jsonb_array_elements(o.buttons::jsonb) x where x ->> 'ActionID' <> $3)
		order by o.line_id, o.id`, session, workflow.ButtonPush, workflow.ButtonDetails)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m OpenMessage, err error) {
		var buttons []byte
		if err = row.Scan(&m.ID, &buttons, &m.Means, &m.InSpite); err != nil {
			return m, err
		}
		return m, json.Unmarshal(buttons, &m.Buttons)
	})
}

// removeButtons writes the messages again without their buttons. One whose posting was never tried, or was
// refused, is posted without them.
func (s settling) removeButtons(ctx context.Context, tx pgx.Tx, settled []SettledMessage) error {
	if len(settled) == 0 {
		return nil
	}
	// The job first, then the outbox rows: a poster locks them in this order, too.
	if err := s.turn.store.Queue.InsertPost(ctx, tx, s.turn.id); err != nil {
		return err
	}
	ids := make([]int64, len(settled))
	notes := make([]string, len(settled))
	brief := make([]bool, len(settled))
	for i, m := range settled {
		ids[i] = m.ID
		notes[i] = m.Note
		brief[i] = m.Brief
	}
	if _, err := tx.Exec(ctx, `select 1 from outbox where id = any($1) order by id for update`,
		ids); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `update outbox o set settled = n.note, buttons = `+detailButtons+`
		from unnest($1::bigint[], $2::text[]) n (id, note)
		where o.id = n.id and o.settled is null and (o.batch is null or o.refused is not null)`,
		ids, notes, workflow.ButtonDetails)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `with answered as (
			update outbox o set settled = n.note
			from unnest($1::bigint[], $2::text[], $4::boolean[]) with ordinality n (id, note, brief, place)
			where o.id = n.id and o.settled is null and o.refused is null
			returning o.key, o.session_id, o.line_id, `+detailButtons+` as details, n.brief, n.place)
		insert into outbox (key, session_id, line_id, buttons, alone, rewrites, brief)
		select key || ':settled', session_id, line_id, details, true, key, brief from answered
			order by place`,
		ids, notes, workflow.ButtonDetails, brief)
	return err
}

// detailButtons are the buttons of a message that stay, since they decide nothing; $3 is their action.
const detailButtons = `(select jsonb_agg(b)::json from jsonb_array_elements(o.buttons::jsonb) b
	where b ->> 'ActionID' = $3)`
