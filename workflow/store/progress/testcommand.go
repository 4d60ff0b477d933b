package progress

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A TestCommand is a Part: the command that tests a repository, as an agent found out or a member said.
type TestCommand struct {
	Repository string
	Folder     string // folder that the work is limited to; empty: the whole repository
	Command    string
	Source     string // who named it, and on what evidence
	Person     string // the member who said it; read only: it is stored with the lesson about it
	Session    string // the session in which it was said; read only
}

func (TestCommand) Stage() record.Stage { return record.Work }

// Mask masks who named the command. The command itself stays word for word, since it is run; where it is
// shown it is masked.
func (t TestCommand) Mask(mask func(string) string) record.Part {
	t.Source = mask(t.Source)
	return t
}

// Write replaces the command that was named before.
func (t TestCommand) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	return database.Upsert(ctx, tx, "test_commands", []string{"repository", "folder"}, database.Row{
		"repository": t.Repository,
		"folder":     t.Folder,
		"command":    t.Command,
		"source":     t.Source,
		"at":         database.Expr("now()"),
	})
}

// TestCommand returns the command that was named for the repository's folder, or a zero TestCommand.
func (h History) TestCommand(ctx context.Context, repository, folder string) (TestCommand, error) {
	c := TestCommand{Repository: repository, Folder: folder}
	err := h.DB.Pool.QueryRow(ctx,
		`select t.command, t.source, coalesce(l.person, ''), coalesce(l.session_id, '')
		from test_commands t left join lessons l
			on l.repository = t.repository and l.folder = t.folder and l.key = 'test'
		where t.repository = $1 and t.folder = $2`,
		repository, folder).Scan(&c.Command, &c.Source, &c.Person, &c.Session)
	if errors.Is(err, pgx.ErrNoRows) {
		return TestCommand{}, nil
	}
	if err != nil {
		return TestCommand{}, fmt.Errorf("the test command of %s: %w", repository, err)
	}
	return c, nil
}
