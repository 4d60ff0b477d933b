package mrkdwn

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzText checks that visible text has no hidden characters, that Visible is idempotent, and that Unescape
// undoes Escape.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"plain", "a\u202eb\u200bc", "<!channel> & <@U1>", "&lt;!channel&gt;", "\xff\xfe", "a\r\nb\rc", "\U000e0041", "👩\u200d👧"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		seen := Visible(s)
		require.Equal(t, seen, Visible(seen))
		require.True(t, utf8.ValidString(seen))
		for _, r := range seen {
			require.False(t, r != '\n' && r != '\t' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)), "%U in %q", r, seen)
		}
		require.Equal(t, s, Unescape(Escape(s)))
		require.NotContains(t, Escape(s), "<")
		require.NotContains(t, Escape(s), ">")
	})
}

// FuzzSplit checks that parts are within the limit, and that together they hold all letters and digits in
// order.
func FuzzSplit(f *testing.F) {
	f.Add("one\n\ntwo\n```\ncode\n```\nthree &amp; <https://a.example|b>", 60)
	f.Add(strings.Repeat("word ", 100), 50)
	f.Add(strings.Repeat("x", 300)+"&amp;"+strings.Repeat("<", 100), 64)
	f.Add("```\n"+strings.Repeat("line\n", 40), 50)
	f.Add("é"+strings.Repeat("[", 300)+"ab]", 50)
	f.Add("x"+strings.Repeat("[", 300)+"ab]", 100)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if most < 50 || most > 5000 || len(text) > 20000 || !utf8.ValidString(text) {
			return
		}
		parts := SplitText(text, most)
		require.NotEmpty(t, parts)
		for _, p := range parts {
			require.LessOrEqual(t, utf8.RuneCountInString(p), most)
		}
		letters := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					return r
				}
				return -1
			}, s)
		}
		require.Equal(t, letters(text), letters(strings.Join(parts, "\n")))
	})
}

// FuzzEmphasis checks that only marks of emphasis are removed, and that marks within words and beside
// punctuation stay.
func FuzzEmphasis(f *testing.F) {
	for _, seed := range []string{"LexerState.__init__ is", "f(*args) **so** '*'", "a*b*c ~~d~~ _e_f_", "***a** b* _**c**_"} {
		f.Add(seed)
	}
	among := func(allowed string) func(rune) rune {
		return func(r rune) rune {
			if strings.ContainsRune(allowed, r) {
				return r
			}
			return 'x'
		}
	}
	unmarked := strings.NewReplacer("*", "", "_", "", "~", "")
	f.Fuzz(func(t *testing.T, s string) {
		s = "a" + strings.Map(among("abc019*_~'\".,;=+-) ("), s) + "a"
		out := Renderer{}.Render(s, nil)
		require.Equal(t, unmarked.Replace(s), unmarked.Replace(out))
		require.LessOrEqual(t, len(out), len(s))
		within := strings.Map(among("abc019*_~'\".,;=+-)"), s)
		require.Equal(t, within, Renderer{}.Render(within, nil))
	})
}
