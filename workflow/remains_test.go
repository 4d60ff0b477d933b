package workflow

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestWhatSpeaksAgainstAFixIsShownAndBounded(t *testing.T) {
	t.Parallel()
	for _, none := range []string{"nothing", " Nothing. ", "none", "Nichts.", "“nothing”", "なし。", "\n"} {
		require.Empty(t, RemainsText(none), none)
	}
	for _, some := range []string{
		"nothing but the cache", "Larger cycles turn from an error into a hang", "no test shows it",
	} {
		require.Equal(t, "Before you approve: "+some+"\n", RemainsText(some))
	}
	long := RemainsText(strings.Repeat("ä", 5000))
	require.True(t, utf8.ValidString(long))
	require.Less(t, utf8.RuneCountInString(long), maxRemains+80)
	require.Contains(t, long, "under Details")
	require.Equal(t, "Before you approve: a\nb\nc … (the rest is under Details)\n",
		RemainsText("a\n\nb\nc\nd"))
}
