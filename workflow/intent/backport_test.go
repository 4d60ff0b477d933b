package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadBackport(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"backport to 1.4":                          {"1.4"},
		"Backport to release/1.4.":                 {"release/1.4"},
		"please backport this to 1.3 and 1.4":      {"1.3", "1.4"},
		"backport it to 1.2, 1.3, and release-1.4": {"1.2", "1.3", "release-1.4"},
		": backport to `release/1.4`, please":      {"release/1.4"},
		"ok, also backport the fix to v1.4 too":    {"v1.4"},
		"can you please backport this into 1.4?":   {"1.4"},
		"backport to 1.4 and 1.4":                  {"1.4"},
		"backport it":                              nil,
		"Backport!":                                nil,
		"bring it to main":                         {"main"},
		"Please bring the fix to main, too.":       {"main"},
		"forward-port this to main":                {"main"},
	} {
		got, ok := ReadBackport(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
		require.True(t, Permits(text), text)
	}
	for _, text := range []string{
		"don't backport to 1.4", "do not backport this to 1.4", "we could backport to 1.4 later",
		"backport to 1.4 if the tests pass", "> backport to 1.4", "```backport to 1.4```",
		"backport to <@U1>", "backport to 1.4 but not to 1.3", "should we backport to 1.4?",
		"backport to 1.4 tomorrow", "backрort to 1.4", "who can backport to 1.4?",
		"backport to a, b, c, d, e, f", "ann said: backport to 1.4", "backport to 1.4\nno, wait", "",
		"backport to -x", "bring it to main tomorrow", "don't bring it to main", "take it to ann's desk",
		"bring it to life",
		"port this to python",
	} {
		_, ok := ReadBackport(text)
		require.False(t, ok, text)
		require.False(t, Permits(text), text)
	}
}
