package store

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// most is how long one reply may grow by taking further lines in.
const most = 3000

type outboxRow struct {
	ID       int64
	Key      string
	Agent    string
	Text     string
	Buttons  []byte
	Files    []byte
	Alone    bool
	Reaction string
	OnTS     string
	Batch    *string
	Rewrites string
	Note     string
	Calls    []string
	Card     *int
	Code     []byte
}

// Next is the oldest posting of the session that is not in Slack yet; nil when there is
// none. Reactions are apart (react.go). Lines that wait behind each other become one reply. Before it returns, the
// posting is marked as tried and that is committed: should the program die now, the next
// try looks the key up in the thread before it posts.
func (s *Store) Next(ctx context.Context, session string) (*workflow.Posting, error) {
	return s.next(ctx, session, lines)
}

// taken makes a posting of rows, and marks them as tried.
func (s *Store) taken(ctx context.Context, tx pgx.Tx, session string, batch []outboxRow) (*workflow.Posting, error) {
	p, err := posting(session, batch)
	if err != nil {
		return nil, err
	}
	if err := tx.QueryRow(ctx, `select team, channel, thread_ts, repository from sessions where id = $1`, session).
		Scan(&p.Thread.Team, &p.Thread.Channel, &p.Thread.TS, &p.Repository); err != nil {
		return p, err
	}
	if run := batch[0].Card; run != nil {
		if p.Card, err = s.cardOf(ctx, tx, session, *run, p.Tried); err != nil {
			return p, err
		}
	}
	if p.Tried {
		return p, nil
	}
	ids := make([]int64, len(batch))
	for i, r := range batch {
		ids[i] = r.ID
	}
	_, err = tx.Exec(ctx, `update outbox set batch = $1, tried_at = now() where id = any($2)`, p.Key, ids)
	return p, err
}

func waiting(ctx context.Context, tx pgx.Tx, session, half string) ([]outboxRow, error) {
	rows, err := tx.Query(ctx, `select o.id, o.key, coalesce(l.agent, '') as agent, coalesce(l.text, '') as text, coalesce(l.calls, '{}') as calls,
			o.buttons, o.files, o.alone, o.reaction, coalesce(was.ts, o.on_ts) as on_ts, o.batch,
			coalesce(o.rewrites, '') as rewrites, coalesce(was.settled, '') as note, o.card, l.code
		from outbox o left join lines l on l.id = o.line_id left join outbox was on was.key = o.rewrites
		where o.session_id = $1 and o.posted_at is null and o.refused is null and `+half+` order by o.id limit 40 for update of o`, session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[outboxRow])
}

// coalesce takes the rows that make the next reply: those of a batch that was tried stay
// together as they were; otherwise plain lines join the first one while it stays short.
func coalesce(rows []outboxRow) []outboxRow {
	first := rows[0]
	if first.Batch != nil {
		n := 1
		for n < len(rows) && rows[n].Batch != nil && *rows[n].Batch == *first.Batch {
			n++
		}
		return rows[:n]
	}
	if first.Alone || first.Reaction != "" {
		return rows[:1]
	}
	n, size := 1, len(first.Text)
	for n < len(rows) && !rows[n].Alone && rows[n].Reaction == "" && size+len(rows[n].Text) < most {
		size += len(rows[n].Text)
		n++
	}
	return rows[:n]
}

func posting(session string, batch []outboxRow) (*workflow.Posting, error) {
	first := batch[0]
	p := &workflow.Posting{
		Key: first.Key, Session: session, Reaction: first.Reaction, OnTS: first.OnTS, Tried: first.Batch != nil,
		Rewrites: first.Rewrites, Note: first.Note,
	}
	for _, r := range batch {
		line := workflow.Line{Agent: r.Agent, Text: r.Text, Calls: r.Calls}
		if len(r.Buttons) > 0 {
			if err := json.Unmarshal(r.Buttons, &line.Buttons); err != nil {
				return nil, err
			}
		}
		if len(r.Files) > 0 {
			if err := json.Unmarshal(r.Files, &line.Files); err != nil {
				return nil, err
			}
		}
		if len(r.Code) > 0 {
			if err := json.Unmarshal(r.Code, &line.Code); err != nil {
				return nil, err
			}
		}
		if r.Reaction == "" && r.Card == nil {
			p.Lines = append(p.Lines, line)
		}
	}
	return p, nil
}

// Mine fails with ErrFenced when another worker has the session's postings by now, or this
// one stands in Slack already.
func (s *Store) Mine(ctx context.Context, key string) error {
	open := false
	err := s.Transact(ctx, func(tx pgx.Tx) error {
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `select exists (select 1 from outbox where batch = $1 and posted_at is null and refused is null)`, key).Scan(&open)
	})
	if err == nil && !open {
		return ErrFenced
	}
	return err
}

// Posted keeps where the posting stands in Slack, and says where that is: where another
// worker kept it first, it is not here.
func (s *Store) Posted(ctx context.Context, key, ts string) (stands string, err error) {
	err = s.Retry(ctx, func() error {
		if _, err := s.Pool.Exec(ctx, `update outbox set posted_at = now(), ts = $2 where batch = $1 and posted_at is null`, key, ts); err != nil {
			return err
		}
		return s.Pool.QueryRow(ctx, `select coalesce(min(ts), $2) from outbox where batch = $1`, key, ts).Scan(&stands)
	})
	return stands, err
}

// Refused keeps that Slack will never take the posting, and why; what stands behind it goes on.
func (s *Store) Refused(ctx context.Context, key, reason string) error {
	_, err := s.Pool.Exec(ctx, `update outbox set refused = $2 where batch = $1 and posted_at is null`, key, reason)
	return err
}
