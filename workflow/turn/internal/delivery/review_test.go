package delivery

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
)

// A limit, or an endpoint that does not answer, does not keep a change from being pushed. A failure of
// the program does.
func TestWhatKeepsAChangeFromBeingReviewed(t *testing.T) {
	t.Parallel()
	limit := &budget.LimitError{Reached: []workflow.LimitUse{{
		Limit: workflow.LimitOf(workflow.SpanSession, workflow.UnitUSD), Used: 5, Allowed: 5,
	}}}
	require.Contains(t, whyNotReviewed(fmt.Errorf("ask: %w", limit)), "a limit was reached (")
	require.Equal(t, "the model could not answer (no quota is left)",
		whyNotReviewed(fmt.Errorf("ask: %w", &model.Error{Kind: model.KindQuota})))
	for _, err := range []error{nil, context.Canceled, store.ErrFenced, errors.New("the database is away")} {
		require.Empty(t, whyNotReviewed(err))
	}
}
