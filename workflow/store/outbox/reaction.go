package outbox

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/outgoing"
)

// Reactions is the outbox of reactions; the Outbox itself is that of all else.
func (o *Outbox) Reactions() Reactions { return Reactions{o} }

// Reactions are the reactions that wait to be put on.
type Reactions struct{ *Outbox }

// Next is the oldest reaction of the session that is not on its message yet, marked as tried.
func (r Reactions) Next(ctx context.Context, session string) (*outgoing.Posting, error) {
	return r.takeNext(ctx, session, reactions)
}

// The outbox has two halves.
const (
	lines     = `o.reaction = ''`
	reactions = `o.reaction <> ''`
)

// takeNext is what both halves have in common.
func (o *Outbox) takeNext(ctx context.Context, session, half string) (p *outgoing.Posting, err error) {
	err = o.db.Transact(ctx, func(tx pgx.Tx) error {
		which := half
		if o.inOrder {
			which = `true`
		}
		rows, err := readWaiting(ctx, tx, session, which)
		if err != nil || len(rows) == 0 || half == reactions && rows[0].Reaction == "" {
			return err
		}
		batch := joinLines(rows)
		if p, err = takeRows(ctx, tx, session, batch); err != nil {
			return err
		}
		return growReply(ctx, tx, p, batch)
	})
	if err != nil {
		return nil, fmt.Errorf("outbox of %s: %w", session, err)
	}
	return p, nil
}
