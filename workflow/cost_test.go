package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// TestCostIsNeverZeroDollars checks what people read of a cost: nothing, money, or tokens without a price.
func TestCostIsNeverZeroDollars(t *testing.T) {
	t.Parallel()
	for want, cost := range map[string]workflow.Cost{
		"–":                                      {},
		"$0.31":                                  {USD: 0.312, Tokens: 9000},
		"under $0.01":                            {USD: 0.0004, Tokens: 20},
		"– (12,100 tokens)":                      {Tokens: 12100, Unpriced: 12100},
		"– (1 token)":                            {Tokens: 1, Unpriced: 1},
		"free (12,100 tokens)":                   {Tokens: 12100},
		"$1.20 and 4,000 tokens without a price": {USD: 1.2, Tokens: 9000, Unpriced: 4000},
		"– (12,300 tokens)":                      {Tokens: 12300, Unpriced: 4000},
	} {
		require.Equal(t, want, cost.String())
	}
}
