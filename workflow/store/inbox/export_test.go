package inbox

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Counter counts alerts, for tests that count without a limit.
type Counter = counter

// Count counts an alert.
func (c counter) Count(ctx context.Context, tx pgx.Tx, in workflow.IncomingEvent) (begins bool, err error) {
	return c.count(ctx, tx, in)
}
