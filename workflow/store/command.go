package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A Command is one that an agent had run.
type Command struct {
	Task     int64 // 0: the orchestrator
	Command  string
	ExitCode int
	Output   string // its last lines
}

func (Command) stage() stage { return stageWork }

func (c Command) write(ctx context.Context, tx pgx.Tx, r *recording) error {
	_, err := tx.Exec(ctx, `insert into commands (session_id, task_id, command, exit_code, output) values ($1, $2, $3, $4, $5)`,
		r.id, c.Task, database.CleanText(c.Command), c.ExitCode, database.CleanText(c.Output))
	return err
}

// Commands are those that agents of the session had run in its repository, in order.
func (s *Store) Commands(ctx context.Context, session string) ([]Command, error) {
	rows, err := s.Pool.Query(ctx, `select task_id as task, command, exit_code, output from commands where session_id = $1
		and at > coalesce((select max(at) from decisions where session_id = $1 and what = 'repository' and allowed), '-infinity') order by id`, session)
	if err != nil {
		return nil, fmt.Errorf("commands of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Command])
}

// UnderWay keeps that a command runs, until end is called.
func (t *Turn) UnderWay(ctx context.Context, what string) (end func(context.Context) error, err error) {
	var id int64
	err = t.store.Pool.QueryRow(ctx, `with gone as (delete from under_way where session_id = $1 and epoch < $2)
		insert into under_way (session_id, epoch, what) values ($1, $2, left($3, 300)) returning id`, t.id, t.epoch, database.CleanText(what)).Scan(&id)
	if err != nil {
		return nil, fmt.Errorf("keep what is under way in %s: %w", t.id, err)
	}
	return func(ctx context.Context) error {
		_, err := t.store.Pool.Exec(ctx, `delete from under_way where id = $1`, id)
		return err
	}, nil
}
