package outbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// Began stores that a posting is in Slack that begins a new thread, as Posted does, and that the session
// belongs to that thread: what is posted from then on goes there. What was posted before keeps its thread.
// Messages whose buttons can still be pressed are posted in the new thread, too, and lose their buttons in
// the one that is left.
func (o *Outbox) Began(ctx context.Context, key, ts string) (stands string, err error) {
	err = o.db.Transact(ctx, func(tx pgx.Tx) error {
		r, err := lockMove(ctx, tx, key)
		if err != nil {
			return err
		}
		if r.posted != "" || r.move.State != workflow.MoveIntended {
			stands = r.posted
			return nil
		}
		stands = ts
		r.move.TS = ts
		for _, step := range []func(context.Context, pgx.Tx) error{
			r.enter, r.keepPlaces, r.takeButtons, r.endCard,
		} {
			if err := step(ctx, tx); err != nil {
				return err
			}
		}
		failpoint.Crash("move_switching")
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("go on in the thread %s: %w", ts, err)
	}
	failpoint.Crash("move_switched")
	return stands, nil
}

// NotBegun stores that Slack will never take the posting that was to begin a new thread, and tells the
// thread of the session, where everything goes on.
func (o *Outbox) NotBegun(ctx context.Context, key, reason string) error {
	err := o.db.Transact(ctx, func(tx pgx.Tx) error {
		r, err := lockMove(ctx, tx, key)
		if err != nil || r.posted != "" || r.move.State != workflow.MoveIntended {
			return err
		}
		_, err = tx.Exec(ctx, `update moves set state = 'refused', reason = $3
			where (session_id, number) = ($1, $2)`, r.session, r.move.Number, reason)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update outbox set refused = $2 where key = $1`, key, reason); err != nil {
			return err
		}
		// the line that was to say where it goes on says that it does not
		_, err = tx.Exec(ctx, `update lines set text = $3 where id = (select line_id from outbox
			where session_id = $1 and key = $2)`, r.session, key+":left", r.move.NotMoved(reason))
		return err
	})
	if err != nil {
		return fmt.Errorf("a thread that was not begun: %w", err)
	}
	return nil
}

// A moving is a move whose first message is in Slack.
type moving struct {
	session string
	row     int64  // of the outbox, of that message
	posted  string // its ts, if it is on record
	move    workflow.Move
}

// lockMove reads the move that the posting with that key begins, and locks the session's row.
func lockMove(ctx context.Context, tx pgx.Tx, key string) (r moving, err error) {
	err = tx.QueryRow(ctx, `select session_id from moves where key = $1`, key).Scan(&r.session)
	if err != nil {
		return r, err
	}
	if _, err = tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, r.session); err != nil {
		return r, err
	}
	m := &r.move
	err = tx.QueryRow(ctx, `select o.id, coalesce(o.ts, ''), m.number, m.team, m.channel, m.thread_ts,
			m.to_channel, m.to_name, m.link, m.state, m.to_ts, m.user_name
		from moves m join outbox o on o.key = m.key where m.key = $1 for update of o`, key).
		Scan(&r.row, &r.posted, &m.Number, &m.From.Team, &m.From.Channel, &m.From.TS, &m.Channel, &m.Name,
			&m.Link, &m.State, &m.TS, &m.UserName)
	return r, err
}

// enter writes the new thread into the session's row, and its address into the line for the one that is left.
func (r moving) enter(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx,
		`update moves set state = 'moved', to_ts = $3, newest = greatest($3, (select max(message_ts)
			from inbox where session_id = $1))
		where (session_id, number) = ($1, $2)`, r.session, r.move.Number, r.move.TS)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx,
		`update sessions set channel = $2, thread_ts = $3, updated_at = now() where id = $1`,
		r.session, r.move.Channel, r.move.TS)
	if err != nil {
		return err
	}
	// a part that was begun while the message was posted
	_, err = tx.Exec(ctx, `update sessions set channel = $2, thread_ts = $3 || ' ' || repository
		where part_of = $1`, r.session, r.move.Channel, r.move.TS)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `update lines l set text = replace(l.text, $3, $4) from outbox o
		where o.line_id = l.id and o.session_id = $1 and o.move = $2`, r.session, r.move.Number,
		workflow.LinkTS, workflow.LinkAt(workflow.LinkTS, r.move.TS))
	return err
}

// keepPlaces stores of what was posted, and of reactions, in which thread it is.
func (r moving) keepPlaces(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx,
		`update outbox set channel = $3, thread_ts = $4
		where session_id = $1 and channel is null and (id < $2 or reaction <> '')`,
		r.session, r.row, r.move.From.Channel, r.move.From.TS)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `update outbox set posted_at = now(), ts = $2, channel = null, thread_ts = null
		where id = $1`, r.row, r.move.TS)
	return err
}

// endCard ends the card in the thread that is left. What goes on gets another one in the new thread.
func (r moving) endCard(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx,
		`update cards c set ended = $2, ended_ms = s.worked_ms, ended_usd = s.spent_usd,
			ended_tokens = s.tokens, ended_unpriced = s.unpriced,
			ended_task = (select coalesce(max(number), 0) from tasks
				where session_id = $1 and state <> 'open'), due_at = now()
		from sessions s where c.session_id = $1 and s.id = $1 and c.ended is null`,
		r.session, workflow.CardMoved)
	return err
}

// An openRow is a message of the thread that is left with buttons that can still be pressed.
type openRow struct {
	id      int64
	key     string
	buttons []byte
}

// takeButtons posts the messages with buttons in the new thread, too, with new buttons that mean the same,
// and takes the old ones away. Those of the newest report are below the message that begins the thread, and
// of buttons that only show something none are needed there.
func (r moving) takeButtons(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `select id, key, buttons from outbox o
		where session_id = $1 and id < $3 and settled is null and buttons is not null and refused is null
			and exists (select 1 from jsonb_array_elements(o.buttons::jsonb) b
				where b ->> 'ActionID' <> all($4))
			and not `+database.DecidesRevision+`
		order by coalesce((select id from outbox was where was.key = o.rewrites), id), id`, r.session,
		workflow.RevisionButtons(), r.row, onlyShowing)
	if err != nil {
		return err
	}
	open, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (x openRow, err error) {
		return x, row.Scan(&x.id, &x.key, &x.buttons)
	})
	if err != nil {
		return err
	}
	for _, x := range open {
		again, err := r.newButtons(ctx, tx, x.buttons)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into outbox (key, session_id, line_id, buttons, files, alone)
			select key || $2, session_id, line_id, $3, files, true from outbox where id = $1`, x.id,
			fmt.Sprint(":moved:", r.move.Number), again)
		if err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `with left_there as (
			update outbox o set settled = $3 where session_id = $1 and id < $2 and settled is null
				and buttons is not null and refused is null
			returning id, key, session_id, line_id, channel, thread_ts)
		insert into outbox (key, session_id, line_id, alone, rewrites, channel, thread_ts)
		select key || ':settled', session_id, line_id, true, key, channel, thread_ts from left_there
			order by id`,
		r.session, r.row, r.move.GoesOnNote())
	return err
}

// onlyShowing are the buttons that decide nothing, and the one that had the session moved.
var onlyShowing = []workflow.ActionID{
	workflow.ButtonMove, workflow.ButtonDetails, workflow.ButtonShowDiff, workflow.ButtonExplain,
	workflow.ButtonWorks, workflow.ButtonBroken,
}

// newButtons returns buttons that mean the same under ids of their own.
func (r moving) newButtons(ctx context.Context, tx pgx.Tx, stored []byte) ([]byte, error) {
	var buttons []workflow.Button
	if err := json.Unmarshal(stored, &buttons); err != nil {
		return nil, err
	}
	for i, b := range buttons {
		buttons[i].Value = strings.ToLower(rand.Text())
		tag, err := tx.Exec(ctx, `insert into buttons (id, session_id, action_id, revision, means)
			select $1, session_id, action_id, revision, means from buttons where id = $2 and session_id = $3`,
			buttons[i].Value, b.Value, r.session)
		if err == nil && tag.RowsAffected() == 0 {
			err = errors.New("a button without a row")
		}
		if err != nil {
			return nil, err
		}
	}
	return json.Marshal(buttons)
}
