package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestAsksForDiff(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"show me the diff", "Could you show us the whole diff, please?", "what’s in the diff?",
		"why so large? show me the diff",
	} {
		require.True(t, intent.AsksForDiff(text), text)
	}
	for _, text := range []string{
		"", "why so large?", "show me the receipt", "explain the diff", "show me the diff tool",
		"> show me the diff", "<@U2> show me the diff", "fix it",
	} {
		require.False(t, intent.AsksForDiff(text), text)
	}
}
