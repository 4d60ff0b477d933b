package store

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// EndLookback stores the result of a look back and says the line, in one transaction. It
// does nothing if the look back was already ended. A line without a text is not said.
func (s *Store) EndLookback(
	ctx context.Context, l workflow.Lookback, found workflow.LookbackFound, line workflow.Line,
) error {
	text, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return s.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, l.Session); err != nil {
			return err
		}
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx,
			`update lookbacks set state = 'done', found = $2 where id = $1 and state = 'open'`,
			l.ID, strings.ReplaceAll(string(text), `\u0000`, ""))
		if err != nil || tag.RowsAffected() == 0 || line.Text == "" {
			return err
		}
		return s.WriteLine(ctx, tx, l.Session, line)
	})
}
