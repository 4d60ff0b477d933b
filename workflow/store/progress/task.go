package progress

import (
	"cmp"
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Task is a Part. With ID 0 it is inserted; otherwise Write
// updates its state, summary, failures and trees.
type Task struct {
	workflow.Task
	Call string // the tool call that asked for a new task
}

// maxShown is how many characters of a task's description people are shown in lists of tasks.
const maxShown = 200

func (Task) Stage() record.Stage { return record.Work }

// Mask masks the description and the summary, and sets DisplayText to the first line of the description if it
// is empty.
func (t Task) Mask(mask func(string) string) record.Part {
	t.Summary = mask(t.Summary)
	t.Description = mask(t.Description)
	shown, _, _ := strings.Cut(mask(cmp.Or(t.DisplayText, t.Description)), "\n")
	t.DisplayText = plaintext.OneLine(plaintext.CutLine(shown, maxShown))
	return t
}

func (t Task) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if t.ID != 0 {
		_, err := tx.Exec(ctx,
			`update tasks set state = $2, summary = $3, failures = $4, start_tree = $5, tree = $6
				where id = $1`,
			t.ID, t.State, database.CleanText(t.Summary), t.Failures, t.StartTree, t.Tree)
		return err
	}
	_, err := tx.Exec(ctx,
		`insert into tasks (session_id, number, description, category, skill, after, state, call_id, seen,
		plan, failures, apart, shown, revision)
		values ($1, $2, $3, $4, $5, $6, $7, $8, (select seen from sessions
			where id = $1), $9, $10, $11, $12, $13)`,
		r.Session, t.Number, database.CleanText(t.Description), t.Category, t.Skill,
		append([]int{}, t.After...), workflow.TaskOpen, t.Call,
		t.Plan, t.Failures, t.Apart, database.CleanText(t.DisplayText), t.Revision)
	return err
}

// An Attempt is a Part: one verification of a task.
type Attempt workflow.Attempt

func (Attempt) Stage() record.Stage { return record.Work }

// Mask masks the summary and the diff.
func (a Attempt) Mask(mask func(string) string) record.Part {
	a.Summary = mask(a.Summary)
	a.Diff = mask(a.Diff)
	return a
}

func (a Attempt) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	return database.Insert(ctx, tx, "attempts", database.Row{
		"task_id": a.Task,
		"number":  a.Number,
		"tree":    a.Tree,
		"held":    a.Held,
		"summary": a.Summary,
		"diff":    a.Diff,
	})
}

// Tasks returns the session's tasks in order. A callID that is not empty selects those of one tool call.
func (h History) Tasks(ctx context.Context, session, callID string) ([]workflow.Task, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select id, session_id as session, number, description, shown as display_text, category, skill, after,
			state, summary, plan, revision, failures, start_tree, tree, apart
		from tasks where session_id = $1 and ($2 = '' or call_id = $2) order by number`, session, callID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Task])
}

// Attempts returns the attempts at one task, in order.
func (h History) Attempts(ctx context.Context, task int64) ([]workflow.Attempt, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select task_id as task, number, tree, held, summary, diff from attempts where task_id = $1
			order by number`,
		task)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Attempt])
}
