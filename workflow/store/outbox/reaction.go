package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// Reactions returns the outbox of reactions; the Outbox itself has everything else.
func (o *Outbox) Reactions() Reactions { return Reactions{o} }

// Reactions is the outbox of the reactions that wait, and of what one person alone is shown. Adding a
// reaction twice changes nothing in Slack, so each step is a single statement, which keeps it cheap: every
// message that comes in gets one.
type Reactions struct{ *Outbox }

// Next returns the oldest reaction of the session that is not on its message yet, marked as tried, or nil.
func (r Reactions) Next(ctx context.Context, session string) (*workflow.Posting, error) {
	first := `o.reaction <> ''`
	if r.inOrder {
		first = `true`
	}
	p := &workflow.Posting{Session: session}
	var line []byte
	var part string
	err := r.db.Retry(ctx, func() error {
		return r.db.Pool.QueryRow(ctx,
			`update outbox set batch = outbox.key, tried_at = coalesce(outbox.tried_at, now())
				from sessions s,
				(select o.id, o.tried_at is not null as tried from outbox o
					where o.session_id = $1 and o.posted_at is null and o.refused is null and `+
				first+` order by o.id limit 1) as next
			where s.id = $1 and outbox.reaction <> '' and outbox.id = next.id
			returning outbox.key, outbox.reaction, outbox.on_ts, outbox.ephemeral_to, outbox.ephemeral,
				outbox.ephemeral_name, outbox.ephemeral_line,
				case when s.part_of is null then '' else s.repository end, next.tried, s.team,
				coalesce(outbox.channel, s.channel),
				coalesce(outbox.thread_ts, split_part(s.thread_ts, ' ', 1))`,
			session).
			Scan(&p.Key, &p.Reaction, &p.OnTS, &p.EphemeralTo, &p.Ephemeral, &p.EphemeralName,
				&line, &part, &p.Tried, &p.Thread.Team, &p.Thread.Channel, &p.Thread.TS)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("outbox of %s: %w", session, err)
	}
	if line == nil {
		return p, nil
	}
	p.Lines = make([]workflow.Line, 1)
	if err := json.Unmarshal(line, &p.Lines[0]); err != nil {
		return nil, fmt.Errorf("the line of %s: %w", p.Key, err)
	}
	l := &p.Lines[0]
	l.Agent = workflow.SignatureIn(l.Agent, part)
	l.Text = addressReplies(l.Text, l.Vouched, part)
	return p, nil
}

// Posted stores that the reaction is on its message.
func (r Reactions) Posted(ctx context.Context, key, ts string) (stands string, err error) {
	return ts, r.db.Retry(ctx, func() error {
		_, err := r.db.Pool.Exec(ctx,
			`update outbox set posted_at = now(), ts = $2 where batch = $1 and posted_at is null`, key, ts)
		return err
	})
}
