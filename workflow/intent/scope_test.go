package intent_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestLimitedTo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ files, instructions, scope string }{
		{"money/split.go", "", "only money/split.go"},
		{
			" money/split.go ,\ncoupon/\n\n", "leave percent coupons for later.",
			"only money/split.go, coupon/; leave percent coupons for later",
		},
		{"", "the rounding, please", "the rounding"},
		{"", "Keep what happens if the cart is empty", "Keep what happens if the cart is empty"},
		{"", "nur die Rundung für Gutscheine", "nur die Rundung für Gutscheine"},
		{"", "the first of both. Do not touch receipts.", "the first of both. Do not touch receipts"},
	} {
		scope, cure := intent.LimitedTo(c.files, c.instructions)
		require.Equal(t, []string{c.scope, ""}, []string{scope, cure})
	}
}

func TestWhatLimitsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ files, instructions, cure string }{
		{" \n,", " ", "Say what the fix is limited to"},
		{"", "not yet", "I cannot wait"},
		{"money/", "only once the release is out", "I cannot wait"},
		{"", "the rounding. But only if Ann agrees", "I cannot wait"},
		{"", strings.Repeat("x", workflow.MostEntered+1), "longer than I can hold"},
	} {
		scope, cure := intent.LimitedTo(c.files, c.instructions)
		require.Empty(t, scope)
		require.Contains(t, cure, c.cure)
	}
}
