package progress

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Snapshot is a Part: a tree of files at the time of a recording,
// with the git objects from which any machine can write it again.
type Snapshot struct {
	Task int64 // 0: the session's own tree
	Tree string
	Pack []byte
}

func (Snapshot) Stage() record.Stage { return record.Work }

// Mask returns s. The pack has the files as they are, and nobody is shown it.
func (s Snapshot) Mask(func(string) string) record.Part { return s }

// Write stores the state of the files in the transaction of what changed them.
func (s Snapshot) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return database.Upsert(ctx, tx, "workspaces", []string{"session_id", "task_id"}, database.Row{
		"session_id": r.Session,
		"task_id":    s.Task,
		"tree":       s.Tree,
		"pack":       s.Pack,
		"at":         database.Expr("now()"),
	})
}

// NoSnapshot is a Part: the session's own tree is given up, and its files are those of the base again.
type NoSnapshot struct{}

func (NoSnapshot) Stage() record.Stage { return record.Work }

// Mask returns n, which has no text.
func (n NoSnapshot) Mask(func(string) string) record.Part { return n }

func (NoSnapshot) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx, `delete from workspaces where session_id = $1 and task_id = 0`, r.Session)
	return err
}

// Snapshot returns the newest state of a tree, or nil if nothing was changed in it yet.
func (h History) Snapshot(ctx context.Context, session string, task int64) (*Snapshot, error) {
	n := Snapshot{Task: task}
	err := h.DB.Pool.QueryRow(ctx, `select tree, pack from workspaces where session_id = $1 and task_id = $2`,
		session, task).Scan(&n.Tree, &n.Pack)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("files of %s: %w", session, err)
	}
	return &n, nil
}
