package progress

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Command is a Part: a command that an agent ran.
type Command struct {
	Task     int64 // 0: the orchestrator's
	Command  string
	ExitCode int
	Output   string // its last lines
}

func (Command) Stage() record.Stage { return record.Work }

// Mask masks the command and what it printed.
func (c Command) Mask(mask func(string) string) record.Part {
	c.Command, c.Output = mask(c.Command), mask(c.Output)
	return c
}

func (c Command) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return database.Insert(ctx, tx, "commands", database.Row{
		"session_id": r.Session, "task_id": c.Task, "command": c.Command, "exit_code": c.ExitCode, "output": c.Output,
	})
}

// Commands returns the commands that agents ran since the session's repository was chosen, in order.
func (h History) Commands(ctx context.Context, session string) ([]Command, error) {
	rows, err := h.DB.Pool.Query(ctx, `select task_id as task, command, exit_code, output from commands where session_id = $1
		and at > coalesce((select max(at) from decisions where session_id = $1 and what = 'repository' and allowed), '-infinity') order by id`, session)
	if err != nil {
		return nil, fmt.Errorf("commands of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Command])
}
