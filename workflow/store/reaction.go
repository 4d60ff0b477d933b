package store

import (
	"context"

	"github.com/jackc/pgx/v5"
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
