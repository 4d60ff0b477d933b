package progress

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Command is a Part: a command that an agent ran. Of those that Commands returns, some are checks.
type Command struct {
	Task     int64  // 0: the orchestrator's
	Number   int    // among the commands and checks of the session, from 1; 0: it has none
	Command  string // empty: a check by the program
	ExitCode int    // -1: it was stopped; of a check 0, or 1 if it failed
	Output   string // its last lines; of a check its first one
}

func (Command) Stage() record.Stage { return record.Work }

// Mask masks the command and what it printed.
func (c Command) Mask(mask func(string) string) record.Part {
	c.Command = mask(c.Command)
	c.Output = mask(c.Output)
	return c
}

func (c Command) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return c.insert(ctx, tx, r)
}

func (c Command) insert(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return database.Insert(ctx, tx, "commands", database.Row{
		"session_id": r.Session,
		"task_id":    c.Task,
		"number":     c.Number,
		"command":    c.Command,
		"exit_code":  c.ExitCode,
		"output":     c.Output,
	})
}

// A NumberedCheck is a Part: a check that an agent asked for, with its number. History.Commands returns it
// among the commands; its Command is empty. It is no command for the limits.
type NumberedCheck Command

func (NumberedCheck) Stage() record.Stage { return record.Work }

// Mask masks what the check printed.
func (c NumberedCheck) Mask(mask func(string) string) record.Part {
	c.Output = mask(c.Output)
	return c
}

func (c NumberedCheck) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	c.Command = ""
	return Command(c).insert(ctx, tx, r)
}

// LastNumber returns the highest number of the session's commands and checks, or how many they are, if that
// is higher, since commands of earlier versions have no number.
func (h History) LastNumber(ctx context.Context, session string) (n int, err error) {
	err = h.DB.Pool.QueryRow(ctx,
		`select greatest(coalesce(max(number), 0), count(*)) from commands where session_id = $1`,
		session).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("number of the last command of %s: %w", session, err)
	}
	return n, nil
}

// Commands returns the commands and checks that agents ran since the session's repository or branch was
// chosen, in order.
func (h History) Commands(ctx context.Context, session string) ([]Command, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select task_id as task, number, command, exit_code, output from commands
		where session_id = $1
		and at > coalesce((select max(at) from decisions where session_id = $1
			and what in ('repository', 'base') and allowed), '-infinity') order by id`,
		session)
	if err != nil {
		return nil, fmt.Errorf("commands of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Command])
}
