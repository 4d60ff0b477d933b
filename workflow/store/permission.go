package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// permission keeps a person's yes: ErrStale where its message gave one before. The schema
// refuses one whose person did not write its message. What an adoption rests on is found here, since the fact may bring the adopted
// messages with it: all of Adopts that stood there before its own message.
func (t *Turn) permission(ctx context.Context, tx pgx.Tx, f Fact) error {
	p := f.Permission
	if p == nil {
		return nil
	}
	var revision *int
	if p.Revision > 0 {
		revision = &p.Revision
	}
	tag, err := tx.Exec(ctx, `insert into permissions (id, session_id, what, revision, message_id, message_ts, user_id, user_name, rests_on)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9::bigint[] || coalesce((select array_agg(m.id order by m.id) from inbox m
			where m.session_id = $2 and m.message_ts = any($10) and m.kind in ('mention', 'reply', 'edit', 'form', 'sent', 'earlier') and (m.id < $5 or m.kind = 'earlier')), '{}'))
		on conflict (message_id, what) do nothing`,
		p.ID, t.id, p.What, revision, p.Message, p.MessageTS, p.User, clean(p.UserName), append([]int64{}, p.RestsOn...), append([]string{}, f.Adopts...))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return ErrStale
	}
	return t.audit(ctx, tx, "permission", p.ID)
}

// earlier keeps messages that were in the thread before the session, once agents are shown
// them, so that it is known whose words a request is made of.
func (t *Turn) earlier(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, m := range f.Earlier {
		_, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, text, handled_at)
			values ($1, $2, $3, $4, $5, $6, now()) on conflict do nothing`,
			t.id, t.id+":earlier:"+m.TS, workflow.IncomingEarlier, m.TS, m.User, clean(m.Text))
		if err != nil {
			return err
		}
	}
	return nil
}

// rest keeps up to where agents have read when the thread rests. A stop also ends what was
// written before it and never read.
func (t *Turn) rest(ctx context.Context, tx pgx.Tx, f Fact) error {
	delivered := f.delivers()
	if !delivered && !f.rests() {
		return nil
	}
	var stop int64
	if len(f.Handled) > 0 && slices.Contains(f.Events, workflow.EventStop) {
		stop = f.Handled[0].ID
	}
	// What stood in the thread before is read with the first message, and kept after it.
	_, err := tx.Exec(ctx, `with read as (select greatest(seen, (select max(id) from inbox where session_id = $1 and kind = 'earlier')) as last
			from sessions where id = $1)
		update sessions set rested = greatest(rested, read.last, $3), delivered = case when $2 then read.last else delivered end from read where id = $1`, t.id, delivered, stop)
	return err
}

// Permissions are everything that people allowed in the session, in order.
func (s *Store) Permissions(ctx context.Context, session string) ([]workflow.Permission, error) {
	rows, err := s.Pool.Query(ctx, `select id, what, coalesce(revision, 0) as revision, message_id as message, message_ts, user_id as "user", user_name, rests_on, at
		from permissions where session_id = $1 order by at, id`, session)
	if err != nil {
		return nil, fmt.Errorf("permissions of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Permission])
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

// Undelivered reports whether something was approved after what was pushed last: its
// changes may be in the session's files.
func (t *Turn) Undelivered(ctx context.Context) (undelivered bool, err error) {
	err = t.store.Pool.QueryRow(ctx, `select exists (select 1 from approvals a where a.session_id = $1 and a.revision > coalesce((select max(b.revision)
		from approvals b join pushes p on p.approval_id = b.id where b.session_id = $1 and p.state = 'pushed'), 0))`, t.id).Scan(&undelivered)
	return undelivered, err
}

// DeliveredTS is the ts of the newest message that agents had been shown when a push last
// went out; empty before one did.
func (t *Turn) DeliveredTS(ctx context.Context) (ts string, err error) {
	err = t.store.Pool.QueryRow(ctx, `select coalesce(max(message_ts), '') from inbox i join sessions s on s.id = i.session_id
		where s.id = $1 and i.id <= s.delivered and i.kind in ('mention', 'reply')`, t.id).Scan(&ts)
	return ts, err
}

// Adopted are the ts of the messages that the message of that row adopts or passes on.
func (t *Turn) Adopted(ctx context.Context, row int64) ([]string, error) {
	rows, err := t.store.Pool.Query(ctx, `select distinct m.message_ts from permissions p join inbox m on m.id = any(p.rests_on)
		where p.session_id = $1 and p.message_id = $2 and p.what = 'adopt' order by 1`, t.id, row)
	if err != nil {
		return nil, fmt.Errorf("what row %d of %s adopts: %w", row, t.id, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
