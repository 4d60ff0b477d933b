package plaintext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirstSentences(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                            "",
		"One.":                        "One.",
		"no end":                      "no end",
		"One. Two! Three.":            "One. Two!",
		"One\nline. `f(x)` is two. 3": "One line. `f(x)` is two.",
		"It is in a.go (e.g. Split), v1.2 too. And this. Not this.": "It is in a.go (e.g. Split), " +
			"v1.2 too. And this.",
		"So \"it is.\" And two. Three":                   "So \"it is.\" And two.",
		"Short. " + strings.Repeat("long ", 20) + "end.": "Short.",
		strings.Repeat("word ", 20): strings.TrimSpace(strings.Repeat("word ",
			11)) + "…",
	} {
		require.Equal(t, want, FirstSentences(in, 60), "%q", in)
	}
}

func TestCapitalize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "a": "A", "done already": "Done already", "Done": "Done", "über": "Über", "1 test": "1 test",
		"\xff": "\xff",
	} {
		require.Equal(t, want, Capitalize(text), text)
	}
}
