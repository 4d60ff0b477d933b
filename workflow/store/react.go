package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// Reactions tell people that a message arrived, within a second. So they go out by a job of
// their own: behind a busy thread's lines, which Slack takes one a second of, or while Slack
// asks to wait with them, they would come when nobody looks any more. Order means nothing to
// them, and putting one on twice changes nothing.

// A Reaction is shown on a message of the thread.
type Reaction struct{ Name, OnTS string }

func (Reaction) stage() stage { return stageThread }

func (e Reaction) write(ctx context.Context, tx pgx.Tx, r *recording) error {
	_, err := tx.Exec(ctx, `insert into outbox (key, session_id, reaction, on_ts) values ($1, $2, $3, $4) on conflict do nothing`,
		r.id+":"+e.Name+":"+e.OnTS, r.id, e.Name, e.OnTS)
	if err != nil {
		return err
	}
	return r.store.Queue.InsertReact(ctx, tx, r.id)
}

// Reactions is the outbox of reactions; the Store itself is that of all else.
func (s *Store) Reactions() Reactions { return Reactions{s} }

// Reactions are the reactions that wait to be put on.
type Reactions struct{ *Store }

// Next is the oldest reaction of the session that is not on its message yet, marked as tried.
func (r Reactions) Next(ctx context.Context, session string) (*workflow.Posting, error) {
	return r.next(ctx, session, reactions)
}

// The outbox has two halves.
const (
	lines     = `o.reaction = ''`
	reactions = `o.reaction <> ''`
)

// next is what both halves have in common.
func (s *Store) next(ctx context.Context, session, half string) (p *workflow.Posting, err error) {
	err = s.Transact(ctx, func(tx pgx.Tx) error {
		which := half
		if s.inOrder {
			which = `true`
		}
		rows, err := waiting(ctx, tx, session, which)
		if err != nil || len(rows) == 0 || half == reactions && rows[0].Reaction == "" {
			return err
		}
		p, err = s.taken(ctx, tx, session, coalesce(rows))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("outbox of %s: %w", session, err)
	}
	return p, nil
}
