package pullrequest

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// InThread returns the pull requests of the thread's other repositories, oldest first.
func (g Register) InThread(ctx context.Context, session string) ([]Row, error) {
	rows, err := g.Store.Pool.Query(ctx, `select `+columns+` from pull_requests
		where session_id in (`+record.OthersInThread+`) order by at, branch`, session)
	if err != nil {
		return nil, fmt.Errorf("pull requests in the thread of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Row])
}

// NameInThread is a Part: the pull requests of the thread's other repositories are looked at at once, so that
// their texts name the session's.
type NameInThread struct{}

// Stage implements record.Part.
func (NameInThread) Stage() record.Stage { return record.Thread }

// Mask returns n, which has no text.
func (n NameInThread) Mask(func(string) string) record.Part { return n }

// Write wakes the looks.
func (NameInThread) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	rows, err := tx.Query(ctx, `update pull_requests set woken = true
		where state = 'open' and session_id in (`+record.OthersInThread+`) returning session_id`, r.Session)
	if err != nil {
		return fmt.Errorf("wake the pull requests of a thread: %w", err)
	}
	sessions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("wake the pull requests of a thread: %w", err)
	}
	for _, session := range sessions {
		if err := r.Queue.InsertPullRequest(ctx, tx, session); err != nil {
			return err
		}
	}
	return nil
}
