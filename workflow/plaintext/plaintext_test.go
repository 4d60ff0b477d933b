package plaintext

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestCutLineCountsTheEllipsis(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                     "",
		"abcd":                 "abcd",
		"abcde":                "abc…",
		"ähnlich":              "ähn…",
		"\xff\xff\xff\xff\xff": "\xff\xff\xff…",
	} {
		require.Equal(t, want, CutLine(in, 4), "%q", in)
	}
	require.Equal(t, "…", CutLine("abc", 1))
	require.Equal(t, "…", CutLine("abc", 0))
}

func TestSafeLineDropsWhatCommands(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a [31mb ?c", SafeLine(" a\n\x1b[31mb\u202e  \xffc", 20))
	require.Equal(t, "ab…", SafeLine("abcd", 3))
}

func TestCutBytesKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	require.Equal(t, "abc", CutBytes("abc", 3))
	require.Equal(t, "ab…", CutBytes("abc", 2))
	require.Equal(t, "a…", CutBytes("aäb", 2))
}

func TestCutsThatSayHowMuchIsMissing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "abc… (1,997 more characters)", CutCounted("abc"+strings.Repeat("ä", 1997), 3))
	require.Equal(t, "äää", CutCounted("äää", 3))
	out, left := CutMiddle("abcäöüxyz", 3, 3)
	require.Equal(t, "abc\n[… 3 characters left out …]\nxyz", out)
	require.Equal(t, 3, left)
	out, left = CutMiddle("abcdef", 3, 3)
	require.Equal(t, "abcdef", out)
	require.Zero(t, left)
}

func TestNumbersInWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1,234,567", FormatCount(1234567))
	require.Equal(t, "999", FormatCount(int64(999)))
	require.Equal(t, "1 file", CountNoun(1, "file"))
	require.Equal(t, "2,000 files", CountNoun(2000, "file"))
	for d, want := range map[time.Duration]string{
		0:                                     "0 s",
		59*time.Second + 999*time.Millisecond: "59 s",
		time.Minute:                           "1 min",
		59 * time.Minute:                      "59 min",
		time.Hour:                             "1 h",
		125 * time.Minute:                     "2 h 5 min",
		24 * time.Hour:                        "24 h",
		48 * time.Hour:                        "2 days",
		71 * time.Hour:                        "2 days",
	} {
		require.Equal(t, want, FormatDuration(d))
	}
	require.Equal(t, []string{"12 bytes", "1.5 KB", "3.0 MB"},
		[]string{FormatSize(12), FormatSize(1536), FormatSize(3 << 20)})
}

func TestNearestWord(t *testing.T) {
	t.Parallel()
	known := []string{"channels", "models", "model", "limits"}
	require.Equal(t, "channels", NearestWord("chanels", known))
	require.Equal(t, "models", NearestWord("modles", known))
	require.Equal(t, "model", NearestWord("model", known))
	require.Empty(t, NearestWord("repositories", known))
	require.Empty(t, NearestWord("x", nil))
}

func TestEditDistance(t *testing.T) {
	t.Parallel()
	require.Equal(t, 3, EditDistance("kitten", "sitting", 9))
	require.Equal(t, 4, EditDistance("", "four", 9))
	require.Greater(t, EditDistance("a", "abcdef", 2), 2)
}

func TestEscapedTextShowsWhatHides(t *testing.T) {
	t.Parallel()
	out, clean := EscapeLine("plain\tline")
	require.Equal(t, "plain\tline", out)
	require.True(t, clean)
	out, clean = EscapeLine("a\xffb\x1b[m\u202e👩\u200d💻")
	require.Equal(t, `a\xffb\x1b[m\u202e`+"👩\u200d💻", out)
	require.False(t, clean)
	require.Equal(t, "a\nb\\x00", EscapeText("a\r\nb\x00"))
	require.Equal(t, "shop/cart.go", QuotePath("shop/cart.go"))
	require.Equal(t, `"a\nb"`, QuotePath("a\nb"))
	require.Equal(t, `"\"a\""`, QuotePath(`"a"`))
	require.True(t, utf8.ValidString(QuotePath("\xff")))
}

func TestCutsAtWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"one two":       "one two",
		"one two three": "one two…",
		"one, two, thr": "one, two…",
		"onetwothree":   "onetwoth…",
		"äöü äöü äöü":   "äöü äöü…",
	} {
		require.Equal(t, want, CutWords(in, 9), in)
	}
}

func TestWrapsProseAlone(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"one two three four":                     "one two\nthree four",
		"one two\n\nthree four five":             "one two\n\nthree four\nfive",
		"- one two three\n* four five six":       "- one two three\n* four five six",
		"1. one two three\n\tcode code code":     "1. one two three\n\tcode code code",
		"```\none two three\n```\none two three": "```\none two three\n```\none two\nthree",
		"https://example.com/very/long one":      "https://example.com/very/long\none",
		"one two th - three 1. four":             "one two th -\nthree 1.\nfour",
	} {
		require.Equal(t, want, WrapProse(in, 10), in)
	}
}

func TestListsStandOnOneLineWhereTheyAreShort(t *testing.T) {
	t.Parallel()
	require.Equal(t, " a → b; c", List([]string{"a → b", "c"}))
	long := strings.Repeat("x", maxListLine)
	require.Equal(t, "\n• "+long+"\n• c", List([]string{long, "c"}))
	require.Equal(t, "2 new tests. 3 hunks", Paragraph([]string{"2 new tests", "3 hunks"}))
	require.Equal(t, long+"\n"+long, Paragraph([]string{long, long}))
}

func TestFirstOfSaysHowManyMore(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a, b", FirstOf([]string{"a", "b"}, 2))
	require.Equal(t, "a, b and 2 more", FirstOf([]string{"a", "b", "c", "d"}, 2))
	require.Empty(t, FirstOf(nil, 2))
}

func TestBlank(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", " \n\t", "****", "_ _", "`", "-", "…", "# ", "\u200b\u202e"} {
		require.True(t, Blank(s), s)
	}
	for _, s := range []string{"a", "*7*", "是", "👍", "é"} {
		require.False(t, Blank(s), s)
	}
	require.True(t, AllBlank([]string{"", "**"}))
	require.False(t, AllBlank([]string{"", "x"}))
}

func TestCloseFence(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                      "",
		"a\n```\nb\n```\nc":     "a\n```\nb\n```\nc",
		"a\n```go\nb":           "a\n```go\nb\n```",
		"```\na\n```\n  ```\nb": "```\na\n```\n  ```\nb\n```",
		"`a` and ```b```":       "`a` and ```b```",
	} {
		require.Equal(t, want, CloseFence(in))
	}
}
