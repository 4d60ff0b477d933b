// Package outbox returns what still has to happen in Slack: lines,
// reactions, and the cards of runs, which are drawn again as the runs go on.
//
// The store inserts the rows, in the transaction of what they are about. A posting is marked as tried,
// and that is committed, before it is returned: after a crash its key is looked up in the thread
// before it is posted again. A poster whose job is another worker's by now gets queue.ErrFenced.
package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// maxReply is the length, in bytes, below which a reply of several joined lines stays.
const maxReply = 3000

// An Outbox reads and updates everything that waits to be posted. It is safe for concurrent use.
type Outbox struct {
	db *database.DB

	inOrder    bool // tests only: reactions wait behind the lines before them
	guardEdits bool // false in tests only: a late edit does not look for what it overwrote
}

// New returns the outbox of the database.
func New(db *database.DB) *Outbox { return &Outbox{db: db, guardEdits: true} }

type row struct {
	ID      int64
	Key     string
	Agent   string
	Text    string
	Buttons []byte
	Files   []byte
	Alone   bool
	OnTS    string
	Batch   *string
	Rewriting
	Calls   []string
	Card    *int
	Code    []byte
	Vouched []int
	Part    string // repository of the part of a thread that it is of; empty: of the thread's own session
	TriedAt time.Time
	Sign    []byte // the line of a sign that the bot is at work
	Ends    bool   // the row deletes a sign, whose message is at OnTS
	Place
}

// partOfRow selects the Part of a row o.
const partOfRow = `(select case when part_of is null then '' else repository end
	from sessions where id = o.session_id) as part`

// A Place is the thread of a row that is not posted in the session's present one.
type Place struct {
	Channel  *string
	ThreadTS *string // empty: the row begins a thread
}

// equals reports whether two rows go to the same thread.
func (p Place) equals(o Place) bool {
	return (p.Channel == nil) == (o.Channel == nil) &&
		(p.Channel == nil || *p.Channel == *o.Channel && *p.ThreadTS == *o.ThreadTS)
}

// Rewriting says how a row is related to a message that is in Slack already.
type Rewriting struct {
	Rewrites string
	Note     string
	Progress bool
	Brief    bool
}

// Next returns the oldest posting of the session that is not in Slack yet, or nil if there
// is none. Reactions are separate (reaction.go). Lines that wait one behind another become
// one reply. Before Next returns, the posting is marked as tried and that is committed: if
// the program dies now, the next try looks the key up in the thread before it posts.
func (o *Outbox) Next(ctx context.Context, session string) (p *workflow.Posting, err error) {
	err = o.db.Transact(ctx, func(tx pgx.Tx) error {
		rows, err := readWaiting(ctx, tx, session)
		if err != nil || len(rows) == 0 {
			return err
		}
		batch := joinLines(rows)
		if p, err = takeRows(ctx, tx, session, batch); err != nil {
			return err
		}
		return joinProgress(ctx, tx, p, batch)
	})
	if err != nil {
		return nil, fmt.Errorf("outbox of %s: %w", session, err)
	}
	return p, nil
}

// takeRows makes a posting of the rows, and marks them as tried.
func takeRows(ctx context.Context, tx pgx.Tx, session string, batch []row) (*workflow.Posting, error) {
	p, err := makePosting(session, batch)
	if err != nil {
		return nil, err
	}
	if err := tx.QueryRow(ctx,
		`select team, channel, split_part(thread_ts, ' ', 1), repositories_before || repository
		from sessions where id = $1`,
		session).
		Scan(&p.Thread.Team, &p.Thread.Channel, &p.Thread.TS, &p.Repositories); err != nil {
		return p, err
	}
	if at := batch[0].Place; at.Channel != nil {
		p.Thread.Channel = *at.Channel
		p.Thread.TS = *at.ThreadTS
		p.Begins = p.Thread.TS == ""
		p.TriedAt = batch[0].TriedAt
	}
	if run := batch[0].Card; run != nil {
		if p.Card, err = drawFirst(ctx, tx, session, *run, p.Tried); err != nil {
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

// readWaiting reads the rows of the outbox that wait, without reactions, oldest first.
func readWaiting(ctx context.Context, tx pgx.Tx, session string) ([]row, error) {
	rows, err := tx.Query(ctx,
		`select o.id, o.key, coalesce(l.agent, '') as agent, coalesce(l.text, '') as text, coalesce(l.calls,
			'{}') as calls,
			o.buttons, o.files, o.alone, coalesce(was.ts, sign.ts, o.on_ts) as on_ts,
			o.batch, o.sign, o.ends is not null as ends,
			coalesce(o.rewrites, '') as rewrites, coalesce(was.settled, '') as note,
			o.card, l.code, o.progress, o.brief, coalesce(l.vouched, '{}') as vouched,
			`+partOfRow+`,
			coalesce(o.tried_at, now()) as tried_at, coalesce(o.channel, was.channel) as channel,
			coalesce(o.thread_ts, was.thread_ts) as thread_ts
		from outbox o left join lines l on l.id = o.line_id left join outbox was on was.key = o.rewrites
			left join outbox sign on sign.key = o.ends
		where o.session_id = $1 and o.posted_at is null and o.refused is null and o.reaction = ''
			order by o.id limit 40 for update of o`,
		session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[row])
}

// joinLines returns the rows that make the next reply. The rows of a batch that was tried stay
// together as they were; otherwise plain lines join the first one while the reply stays short.
func joinLines(rows []row) []row {
	first := rows[0]
	if first.Batch != nil {
		n := 1
		for n < len(rows) && rows[n].Batch != nil && *rows[n].Batch == *first.Batch {
			n++
		}
		return rows[:n]
	}
	if first.Alone {
		return rows[:1]
	}
	n := 1
	size := len(first.Text)
	for n < len(rows) && !rows[n].Alone && rows[n].equals(first.Place) &&
		size+len(rows[n].Text) < maxReply {
		size += len(rows[n].Text)
		n++
	}
	return rows[:n]
}

func makePosting(session string, batch []row) (*workflow.Posting, error) {
	first := batch[0]
	p := &workflow.Posting{
		Key: first.Key, Session: session, OnTS: first.OnTS, Tried: first.Batch != nil,
		Rewrites: first.Rewrites, Note: first.Note, Brief: first.Brief, EndsSign: first.Ends,
	}
	if len(first.Sign) > 0 {
		p.Sign = true
		p.Lines = make([]workflow.Line, 1)
		if err := json.Unmarshal(first.Sign, &p.Lines[0]); err != nil {
			return nil, err
		}
		p.Lines[0].Agent = workflow.SignatureIn(p.Lines[0].Agent, first.Part)
		return p, nil
	}
	for _, r := range batch {
		line := workflow.Line{
			Agent:    workflow.SignatureIn(r.Agent, r.Part),
			Text:     addressReplies(r.Text, r.Vouched, r.Part),
			Mentions: r.Calls,
			Vouched:  r.Vouched,
		}
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
		if r.Card == nil && !r.Ends {
			p.Lines = append(p.Lines, line)
		}
	}
	return p, nil
}

// CheckOwner fails with queue.ErrFenced if another worker has the
// session's postings by now, or if this posting is in Slack already.
func (o *Outbox) CheckOwner(ctx context.Context, key string) error {
	open := false
	err := o.db.Transact(ctx, func(tx pgx.Tx) error {
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		return tx.QueryRow(ctx,
			`select exists (select 1 from outbox where batch = $1 and posted_at is null and refused is null)`,
			key).Scan(&open)
	})
	if err == nil && !open {
		return queue.ErrFenced
	}
	return err
}

// Posted stores at which ts the posting is in Slack, and returns the
// ts that counts: another one, if another worker stored it first.
func (o *Outbox) Posted(ctx context.Context, key, ts string) (stands string, err error) {
	err = o.db.Retry(ctx, func() error {
		if _, err := o.db.Pool.Exec(ctx,
			`update outbox set posted_at = now(), ts = $2 where batch = $1 and posted_at is null`, key,
			ts); err != nil {
			return err
		}
		return o.db.Pool.QueryRow(ctx, `select coalesce(min(ts), $2) from outbox where batch = $1`, key,
			ts).Scan(&stands)
	})
	return stands, err
}

// Refused stores that Slack will never take the posting, and why. The postings behind it go on.
func (o *Outbox) Refused(ctx context.Context, key, reason string) error {
	_, err := o.db.Pool.Exec(ctx,
		`update outbox set refused = $2 where batch = $1 and posted_at is null`, key, reason)
	return err
}
