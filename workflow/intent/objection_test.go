package intent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestRefusingReaction(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"-1", "thumbsdown", "x", "negative_squared_cross_mark", "octagonal_sign", "no_entry", "no_entry_sign",
		"raised_hand", "hand", "double_vertical_bar",
	} {
		require.True(t, intent.RefusingReaction(name), name)
	}
	for _, name := range []string{"", "+1", "eyes", "white_check_mark", "raised_hands", "rocket"} {
		require.False(t, intent.RefusingReaction(name), name)
	}
}

// A message is prepared once, for all that is read of it.
func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{
		"push":   "push it",
		"limit":  "fix it, but leave the header alone",
		"report": "the total is a cent off for order 1042, it rounds too early. Could you look at `cart.go`?",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				intent.Lexicon{}.Read(text)
			}
		})
	}
}

// One long message costs no more than its length: nobody objects in a clause of thousands of words.
func BenchmarkReadLongMessage(b *testing.B) {
	for name, part := range map[string]string{"clause": "ok ", "clauses": "ok, ", "sentences": "ok. "} {
		for _, size := range []int{4_000, 40_000} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				text := strings.Repeat(part, size/len(part))
				for b.Loop() {
					intent.Lexicon{}.ReadRefusal(text)
				}
			})
		}
	}
}
