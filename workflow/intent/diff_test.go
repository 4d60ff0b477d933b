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

// TestShowsDiff checks which messages the program answers with the diff alone.
func TestShowsDiff(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"show the diff", "Show me the diff, please.", "Could you show us the whole diff, please?",
		"diff?", "can I see the change?", "Thanks! Show the diff", "show diff", "Post the patch here",
		"the diff please",
		"please show me your changes", "let me see the diff first", "Ok, show me the full diff so far",
	} {
		require.True(t, intent.Lexicon{}.Read(text).ShowsDiff, text)
	}
	for _, text := range []string{
		"", "why so large? show me the diff", "show me the diff and explain it", "show me the diff tool",
		"thanks", "show the diff of cart.go", "don't show the diff", "> show the diff",
		"<@U2> show me the diff", "fix it", "what’s in the diff?", "show me the change to cart.go",
		"give me the change for 5 euros", "see the diff", "show me the diff, then push it",
		"show the receipt", "change", "`show the diff`",
	} {
		require.False(t, intent.Lexicon{}.Read(text).ShowsDiff, text)
	}
}
