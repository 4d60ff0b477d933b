package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestRefusingReaction(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"-1", "thumbsdown", "x", "negative_squared_cross_mark", "octagonal_sign", "no_entry", "no_entry_sign", "raised_hand", "hand", "double_vertical_bar"} {
		require.True(t, intent.RefusingReaction(name), name)
	}
	for _, name := range []string{"", "+1", "eyes", "white_check_mark", "raised_hands", "rocket"} {
		require.False(t, intent.RefusingReaction(name), name)
	}
}
