package view

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// folded is the part of an item with the role "folded" that people are shown.
type folded struct {
	Upto int `json:"upto"`
	Was  int `json:"was"`
	Is   int `json:"is"`
}

// title says what was done, as a sentence whose subject is the agent.
func (f folded) title() string {
	if f.Upto > 0 {
		return fmt.Sprintf("summed up its older work: its model is shown %d kB instead of %d kB", f.Is/1000, f.Was/1000)
	}
	return fmt.Sprintf("goes on without the long outputs of older steps: its model is shown %d kB instead of %d kB", f.Is/1000, f.Was/1000)
}

// Folds returns the entries of kind Fold, oldest first.
func Folds(ctx context.Context, db *database.DB, session string) ([]Entry, error) {
	rows, err := db.Pool.Query(ctx, `select t.at, `+agentOf+`, coalesce(k.number, 0), t.body::text
		from transcript t `+agents+` where t.session_id = $1 and `+role+` = 'folded' order by t.at, t.task_id, t.seq`, session)
	if err != nil {
		return nil, fmt.Errorf("what was summed up of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (e Entry, err error) {
		var m item
		e.Kind = Fold
		if err := r.Scan(&e.At, &e.Who, &e.Task, &e.Text); err != nil {
			return e, err
		}
		err = json.Unmarshal([]byte(e.Text), &m)
		e.Title, e.Text = m.Fold.title(), m.Text
		return e, err
	})
}
