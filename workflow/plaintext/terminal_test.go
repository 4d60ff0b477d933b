package plaintext

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestStripTerminal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n":                "plain\n",
		"\x1b[1;31mx\x1b[m":      "x",
		"a\x1b]0;title\x07b":     "ab",
		"a\x1b]0;title\x1b\\b":   "ab",
		"a\x1b]never ends\nnext": "a\nnext",
		"a\x1b[12":               "a",
		"a\x1b":                  "a",
		"a\x1b(Bb":               "ab",
		"a\x1bPdcs\x1b\\b":       "ab",
		"a\x1b[31\nb":            "a\nb",
		"shown\rhidden\n":        "hidden\n",
		"a\r\nb\r\n":             "a\nb\n",
		"bell\a back\b":          "bell back",
		"\u202egnp.exe":          "gnp.exe",
		"tag\U000e0041":          "tag",
		"zero\u200bwidth":        "zerowidth",
		"c1\u009b31mx":           "c131mx",
		"\xff":                   "\ufffd",
		"👩\u200d💻":               "👩\u200d💻",
	} {
		require.Equal(t, want, StripTerminal(in), "%q", in)
	}
}

func FuzzStripTerminal(f *testing.F) {
	f.Add("\x1b[1;31mx\x1b]8;;u\x1b\\\r\n\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		out := StripTerminal(s)
		require.True(t, utf8.ValidString(out))
		require.NotContains(t, out, "\x1b")
		require.NotContains(t, out, "\r")
		require.LessOrEqual(t, strings.Count(out, "\n"), strings.Count(s, "\n"))
	})
}
