package orchestrator

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
)

// estimateLine returns the program's line about what the work that waits for an approval will probably take,
// by this repository's own past, or an empty string if too little of it is known. work names such work in the
// plural.
func (l *Tools) estimateLine(ctx context.Context, kind workflow.Kind, work string) (string, error) {
	e, err := l.Store.Estimate(ctx, l.Session().Repository, kind)
	return e.Line(work), err
}
