package workflow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// TestEstimateInWords checks what people read of an estimate: money, or tokens without a price, and nothing
// if too few sessions are finished.
func TestEstimateInWords(t *testing.T) {
	t.Parallel()
	priced := workflow.Cost{USD: 0.401, Tokens: 9}
	for want, e := range map[string]workflow.Estimate{
		"":                               {Sessions: 2, Cost: workflow.Cost{USD: 1}, Worked: time.Hour},
		"about $0.40, 6 minutes":         {Sessions: 3, Cost: priced, Worked: 350 * time.Second},
		"about $0.01, 1 minute":          {Sessions: 3, Cost: workflow.Cost{USD: 0.0004}},
		"about 130,000 tokens, 1 minute": {Sessions: 9, Cost: workflow.Cost{Tokens: 126_400}},
		"about 42 tokens, 90 minutes": {
			Sessions: 9, Cost: workflow.Cost{Tokens: 42}, Worked: 90 * time.Minute,
		},
	} {
		require.Equal(t, want, e.String())
	}
	e := workflow.Estimate{Sessions: 5, Cost: workflow.Cost{USD: 0.4}, Worked: 6 * time.Minute}
	require.Equal(t, "Expected: about $0.40, 6 minutes (median of the last 5 fixes here).", e.Line("fixes"))
	require.Empty(t, workflow.Estimate{}.Line("fixes"))
}
