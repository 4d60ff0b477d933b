package inbox

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// Newest returns the ts of the newest message that is stored, or an empty string if there is none.
func (i *Inbox) Newest(ctx context.Context) (ts string, err error) {
	err = i.db.Pool.QueryRow(ctx,
		`select coalesce(max(message_ts), '') from inbox where kind in ('mention', 'reply')`).Scan(&ts)
	if err != nil {
		return "", fmt.Errorf("newest message: %w", err)
	}
	return ts, nil
}

// Threads returns the threads of the sessions that changed
// since then, the last changed first, at most most.
func (i *Inbox) Threads(ctx context.Context, since time.Time, most int) ([]workflow.Thread, error) {
	rows, err := i.db.Pool.Query(ctx,
		`select team, channel, thread_ts from sessions
		where updated_at > $1 and part_of is null
		order by updated_at desc, id
		limit $2`,
		since, most)
	if err != nil {
		return nil, fmt.Errorf("open threads: %w", err)
	}
	threads, err := pgx.CollectRows(rows, pgx.RowToStructByPos[workflow.Thread])
	if err != nil {
		return nil, fmt.Errorf("open threads: %w", err)
	}
	return threads, nil
}
