package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Handled message was judged by the program. Agents see those that are for them.
type Handled struct {
	ID        int64
	ForAgents bool
	Shown     string // instead of the message's own text
	Held      bool   // it waits for somebody who may approve to pass it on
	Answers   bool   // it answers a question of the bot's
}

func (Handled) stage() stage { return stageInbox }

func (h Handled) write(ctx context.Context, tx pgx.Tx, _ *recording) error {
	_, err := tx.Exec(ctx, `update inbox set handled_at = now(), for_agents = $2, shown = $3, held = $4, answers = $5 where id = $1`,
		h.ID, h.ForAgents, clean(h.Shown), h.Held, h.Answers)
	return err
}

// A Completed message is one as the thread has it: what was shared with it came in no event.
type Completed struct {
	ID   int64
	Text string
}

func (Completed) stage() stage { return stageInbox }

func (m Completed) write(ctx context.Context, tx pgx.Tx, _ *recording) error {
	_, err := tx.Exec(ctx, `update inbox set text = $2 where id = $1`, m.ID, clean(m.Text))
	return err
}

// Passed are the ids of held messages that wait no longer.
type Passed []int64

func (Passed) stage() stage { return stageInbox }

func (ids Passed) write(ctx context.Context, tx pgx.Tx, r *recording) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `update inbox set held = false where session_id = $1 and id = any($2)`, r.id, []int64(ids))
	return err
}

// Earlier are messages that stood in the thread before the session. They are kept once
// agents are shown them, so that it is known whose words a request is made of.
type Earlier []workflow.Said

func (Earlier) stage() stage { return stageInbox }

func (list Earlier) write(ctx context.Context, tx pgx.Tx, r *recording) error {
	for _, m := range list {
		_, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, text, handled_at)
			values ($1, $2, $3, $4, $5, $6, now()) on conflict do nothing`,
			r.id, r.id+":earlier:"+m.TS, workflow.IncomingEarlier, m.TS, m.User, clean(m.Text))
		if err != nil {
			return err
		}
	}
	return nil
}

// Told is what the program tells the agents by itself: a message that is judged already, so
// that every agent reads it in its order. The key makes it one; By is who asked for it,
// empty where nobody did.
type Told struct{ Key, Text, By string }

func (Told) stage() stage { return stageWork }

func (m Told) write(ctx context.Context, tx pgx.Tx, r *recording) error {
	_, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, handled_at, for_agents, shown)
		values ($1, $2, $3, '', $5, now(), true, $4) on conflict do nothing`, r.id, r.id+":"+m.Key, workflow.IncomingTold, clean(m.Text), m.By)
	return err
}

const messageColumns = `id, session_id, event_id, kind, message_ts, user_id, user_team, text, shown, action_id, value, at`

func scanMessage(row pgx.CollectableRow) (workflow.Message, error) {
	var m workflow.Message
	err := row.Scan(&m.ID, &m.Session, &m.EventID, &m.Kind, &m.TS, &m.User, &m.UserTeam, &m.Text, &m.Shown, &m.ActionID, &m.Value, &m.At)
	return m, err
}

func (t *Turn) messages(ctx context.Context, sql string, args ...any) ([]workflow.Message, error) {
	rows, err := t.store.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("inbox of %s: %w", t.id, err)
	}
	list, err := pgx.CollectRows(rows, scanMessage)
	if err != nil {
		return nil, fmt.Errorf("inbox of %s: %w", t.id, err)
	}
	return list, nil
}

// Unhandled are the messages that the program has not judged yet, in order of arrival.
func (t *Turn) Unhandled(ctx context.Context) ([]workflow.Message, error) {
	return t.messages(ctx, `select `+messageColumns+` from inbox where session_id = $1 and handled_at is null order by id`, t.id)
}

// Unseen are the messages for agents that the transcript of task (0: the orchestrator)
// does not hold yet.
func (t *Turn) Unseen(ctx context.Context, task int64) ([]workflow.Message, error) {
	seen := `(select seen from sessions where id = $1)`
	if task != 0 {
		seen = `(select seen from tasks where id = $2)`
	}
	return t.messages(ctx, `select `+messageColumns+` from inbox where session_id = $1 and ($2::bigint is not null) and for_agents
		and id > `+seen+` order by id`, t.id, task)
}

// Original is the text that a message of this session had before the inbox row given;
// empty when there is none.
func (t *Turn) Original(ctx context.Context, ts string, before int64) (string, error) {
	var text string
	err := t.store.Pool.QueryRow(ctx, `select text from inbox where session_id = $1 and message_ts = $2 and id < $3
		and kind <> 'action' order by id desc limit 1`, t.id, ts, before).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return text, err
}

// ReadByAgents reports whether agents were given a message of the thread, before the inbox
// row given. What is not in the inbox is older than the session, and they read it with the
// thread.
func (t *Turn) ReadByAgents(ctx context.Context, ts string, before int64) (read bool, err error) {
	err = t.store.Pool.QueryRow(ctx, `select coalesce(bool_or(for_agents or exists (select 1 from permissions p where p.session_id = $1 and i.id = any(p.rests_on))), true)
		from inbox i where session_id = $1 and message_ts = $2 and id < $3 and kind in ('mention', 'reply', 'edit')`, t.id, ts, before).Scan(&read)
	return read, err
}

// Taken reports whether a message was given to the agents before the inbox row given.
func (t *Turn) Taken(ctx context.Context, ts string, before int64) (taken bool, err error) {
	err = t.store.Pool.QueryRow(ctx, `select exists (select 1 from inbox where session_id = $1 and message_ts = $2 and id < $3 and for_agents)`,
		t.id, ts, before).Scan(&taken)
	return taken, err
}

// A Read is a message that agents were shown, or an answer or a press that they were told.
type Read struct {
	workflow.Message
	Rested  bool // the thread has rested since
	Answers bool // it answers a question of the bot's
	Changed bool // it was edited or deleted since
}

// Read are what agents were shown since the newest push, or since the beginning, in order
// of arrival: what people wrote, changed, answered and pressed, and what stood in the
// thread before. What the program told them by itself is not in it, unless somebody asked
// for it.
func (t *Turn) Read(ctx context.Context) ([]Read, error) {
	rows, err := t.store.Pool.Query(ctx, `select `+messageColumns+`, id <= s.rested, answers,
			exists (select 1 from inbox d where d.session_id = i.session_id and d.message_ts = i.message_ts and d.id > i.id and d.kind in ('edit', 'delete'))
		from inbox i, lateral (select rested, delivered from sessions where id = i.session_id) s
		where session_id = $1 and id > s.delivered and (for_agents or kind = 'earlier') and kind not in ('delete', 'due') and (user_id <> '' or kind <> 'told')
		order by i.id`, t.id)
	if err != nil {
		return nil, fmt.Errorf("what agents of %s were shown: %w", t.id, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (x Read, err error) {
		m := &x.Message
		err = row.Scan(&m.ID, &m.Session, &m.EventID, &m.Kind, &m.TS, &m.User, &m.UserTeam, &m.Text, &m.Shown, &m.ActionID, &m.Value, &m.At,
			&x.Rested, &x.Answers, &x.Changed)
		return x, err
	})
}

// Held are the messages that wait for somebody who may approve, in order.
func (t *Turn) Held(ctx context.Context) ([]workflow.Message, error) {
	return t.messages(ctx, `select `+messageColumns+` from inbox where session_id = $1 and held order by id`, t.id)
}

// Offered are those of the held messages that people were offered to pass on, in messages
// that stand above ts in the thread.
func (t *Turn) Offered(ctx context.Context, ts string) ([]int64, error) {
	rows, err := t.store.Pool.Query(ctx, `select distinct i.id from inbox i
		join buttons b on b.session_id = i.session_id and b.action_id = 'pass_on' and b.means = i.id::text
		join outbox o on o.session_id = i.session_id and o.buttons::jsonb -> 0 ->> 'Value' = b.id
		where i.session_id = $1 and i.held and o.ts < $2 and i.message_ts < $2 order by i.id`, t.id, ts)
	if err != nil {
		return nil, fmt.Errorf("what %s offers: %w", t.id, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// DeliveredTS is the ts of the newest message that agents had been shown when a push last
// went out; empty before one did.
func (t *Turn) DeliveredTS(ctx context.Context) (ts string, err error) {
	err = t.store.Pool.QueryRow(ctx, `select coalesce(max(message_ts), '') from inbox i join sessions s on s.id = i.session_id
		where s.id = $1 and i.id <= s.delivered and i.kind in ('mention', 'reply')`, t.id).Scan(&ts)
	return ts, err
}
