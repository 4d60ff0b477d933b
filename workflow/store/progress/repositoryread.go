package progress

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A RepositoryRead is a Part: another repository than the session's own that its agents read, and at which
// commit. The first one of a repository counts, for as long as the session lasts.
type RepositoryRead struct {
	Repository, Branch, Commit string
}

func (RepositoryRead) Stage() record.Stage { return record.Work }

// Mask returns r, which has names and a hash alone.
func (r RepositoryRead) Mask(func(string) string) record.Part { return r }

func (r RepositoryRead) Write(ctx context.Context, tx pgx.Tx, rec *record.Recording) error {
	_, err := database.InsertOnce(ctx, tx, "repositories_read", database.Row{
		"session_id":  rec.Session,
		"repository":  r.Repository,
		"branch":      r.Branch,
		"commit_hash": r.Commit,
	})
	return err
}

// RepositoriesRead returns the other repositories that the session's agents read, by name.
func (h History) RepositoriesRead(ctx context.Context, session string) ([]RepositoryRead, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select repository, branch, commit_hash as commit from repositories_read where session_id = $1
		order by repository`, session)
	if err != nil {
		return nil, fmt.Errorf("repositories that %s reads: %w", session, err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[RepositoryRead])
	if err != nil {
		return nil, fmt.Errorf("repositories that %s reads: %w", session, err)
	}
	return all, nil
}
