package outbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// guideLease is how long a step of a guide may take before it counts as lost.
const guideLease = "1 minute"

// Guides returns the outbox of the messages that tell the people of a channel how to use the bot. name is the
// signature of the orchestrator. They belong to no session.
func (o *Outbox) Guides(name string) Guides { return Guides{o, name} }

// Guides is the outbox of channel guides. Each is posted as a message of its channel, and then pinned.
type Guides struct {
	*Outbox
	name string
}

// Next returns the next step of a guide, marked as tried: the message, or its pin. It returns nil if there is
// none, or if another worker is at it.
func (g Guides) Next(ctx context.Context, _ string) (*workflow.Posting, error) {
	var p workflow.Posting
	err := g.db.Retry(ctx, func() error {
		p = workflow.Posting{}
		return g.db.Pool.QueryRow(ctx,
			`update guides set tried_at = now(), posting = coalesce(guides.posting, now())
				from (select channel, posting is not null as tried from guides
					where pinned_at is null and refused is null
						and (tried_at is null or tried_at < now() - interval '`+guideLease+`')
					order by at limit 1 for update skip locked) as next
			where guides.channel = next.channel
			returning guides.channel || ' ' || guides.n, guides.channel, coalesce(guides.ts, ''), next.tried,
				guides.posting`).
			Scan(&p.Key, &p.Thread.Channel, &p.OnTS, &p.Tried, &p.TriedAt)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the next guide: %w", err)
	}
	p.Key = "guide:" + p.Key
	p.Pin = p.OnTS != ""
	p.Begins = !p.Pin
	p.Lines = []workflow.Line{workflow.ChannelGuideLine(g.name)}
	return &p, nil
}

// ofKey is the condition for the guide of a key.
const ofKey = ` 'guide:' || channel || ' ' || n = $1 and pinned_at is null and refused is null`

// CheckOwner fails with queue.ErrFenced if the step is done by now.
func (g Guides) CheckOwner(ctx context.Context, key string) error {
	open := false
	err := g.db.Pool.QueryRow(ctx,
		`select exists (select 1 from guides where ts is null and `+ofKey+`)`, key).Scan(&open)
	if err == nil && !open {
		return queue.ErrFenced
	}
	return err
}

// Began stores at which ts the message is in Slack, and returns the ts that counts.
func (g Guides) Began(ctx context.Context, key, ts string) (stands string, err error) {
	err = g.db.Retry(ctx, func() error {
		return g.db.Pool.QueryRow(ctx,
			`update guides set ts = coalesce(ts, $2),
				tried_at = case when ts is null then null else tried_at end
			where `+ofKey+` returning ts`, key, ts).Scan(&stands)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return ts, nil
	}
	return stands, err
}

// NotBegun stores that Slack will never take the message, and why.
func (g Guides) NotBegun(ctx context.Context, key, reason string) error {
	return g.Refused(ctx, key, reason)
}

// Posted stores that the message is pinned.
func (g Guides) Posted(ctx context.Context, key, ts string) (stands string, err error) {
	return ts, g.set(ctx, key, `pinned_at = now()`)
}

// Refused stores that Slack will never pin the message, and why. The message stays.
func (g Guides) Refused(ctx context.Context, key, reason string) error {
	return g.set(ctx, key, `refused = $2`, strings.ToValidUTF8(reason, ""))
}

func (g Guides) set(ctx context.Context, key, what string, args ...any) error {
	return g.db.Retry(ctx, func() error {
		_, err := g.db.Pool.Exec(ctx, `update guides set `+what+` where `+ofKey,
			append([]any{key}, args...)...)
		return err
	})
}
