package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestAllowsPush(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"push it", "Push it.", "PUSH IT!", "yes, push it", "yes push it", "please push it", "push it, please", ": push it"} {
		require.True(t, intent.AllowsPush(text), text)
	}
	for _, text := range []string{
		"", "push", "push it?", "don't push it", "push it later", "push it when CI is green", "> push it", "`push it`", "```\npush it\n```", "push it\nbut not go.sum", "she said push it",
		"рush it", "push\u200b it", "<@U1> push it", "push it <!channel>", "fix it", "push it!!", "\"push it\"",
	} {
		require.False(t, intent.AllowsPush(text), text)
	}
}
