package progress

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Check is a Part: the result of a build and test run that a worker asked for.
type Check struct {
	Task  int64
	Red   []string // tests that failed, each by all names that a proof may give it
	Built bool
}

func (Check) Stage() record.Stage { return record.Work }

// Mask returns c. The names of tests stay word for word, since they are compared with those of a proof.
func (c Check) Mask(func(string) string) record.Part { return c }

func (c Check) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	red := make([]string, 0, len(c.Red))
	for _, name := range c.Red {
		red = append(red, database.CleanText(name))
	}
	return database.Insert(ctx, tx, "checks", database.Row{"task_id": c.Task, "red": red, "built": c.Built})
}

// Failed reports whether the test, or a case of it, is among those that failed.
func (c Check) Failed(test string) bool {
	for _, name := range c.Red {
		if name == test || strings.HasPrefix(name, test+"/") {
			return true
		}
	}
	return false
}

// Checks returns the checks of one task, in order.
func (h History) Checks(ctx context.Context, task int64) ([]Check, error) {
	rows, err := h.DB.Pool.Query(ctx, `select task_id as task, red, built from checks where task_id = $1 order by id`, task)
	if err != nil {
		return nil, fmt.Errorf("checks of task %d: %w", task, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Check])
}
