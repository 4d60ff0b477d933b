package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAcknowledges(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"thanks", "Thank you!", "nice", "great, thanks :)", "👍", "got it, thanks!", "good job",
	} {
		require.True(t, Acknowledges(text), text)
		require.False(t, Asks(text, true), text)
	}
	for _, text := range []string{
		"", "thanks, and delete it", "good, now add Key.Len", "yes", "nice to have: Key.Len",
	} {
		require.False(t, Acknowledges(text), text)
	}
}
