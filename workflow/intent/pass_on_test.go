package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPassesOn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"pass it on":          true,
		"Pass it on, please.": true,
		"yes, pass it on":     true,
		"don't pass it on":    false,
		"> pass it on":        false,
		"pass it on?":         false,
		"pass it on to Bea":   false,
	} {
		require.Equal(t, want, PassesOn(text), text)
	}
}
