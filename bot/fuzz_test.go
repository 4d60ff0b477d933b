package bot

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// FuzzCommand: a slash command is one that belongs somewhere, or none; what it says has
// nothing hidden in it.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{
		`{"command":"/diagnose","text":"it fails","channel_id":"C1","user_id":"U1","team_id":"T1","trigger_id":"1.2"}`,
		`{"command":"/grill-me","text":"&lt;a&gt; \u202e\u200b","channel_id":"C1","user_id":"U1"}`,
		`{"command":7,"text":{"a":1},"channel_id":null,"user_id":[]}`, `[]`, `"x"`, `{`, ``,
	} {
		f.Add("e1", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, envelope string, payload []byte) {
		c, err := reader.command(envelope, payload)
		if err != nil {
			return
		}
		require.NotEmpty(t, c.channel)
		require.NotEmpty(t, c.user)
		require.NotEmpty(t, c.name)
		require.Equal(t, c.text, strings.TrimSpace(c.text))
		if !json.Valid(payload) {
			t.Fatalf("taken, and no JSON: %q", payload)
		}
		_ = c.help()
	})
}

// FuzzText: what is shown hides nothing, and shown again stays as it is; what was made to
// mean itself to Slack is the same text when Slack has read it.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"plain", "a\u202eb\u200bc", "<!channel> & <@U1>", "&lt;!channel&gt;", "\xff\xfe", "a\r\nb\rc", "\U000e0041", "👩\u200d👧"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		seen := visible(s)
		require.Equal(t, seen, visible(seen))
		require.True(t, utf8.ValidString(seen))
		for _, r := range seen {
			require.False(t, r != '\n' && r != '\t' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)), "%U in %q", r, seen)
		}
		require.Equal(t, s, unescape(escape(s)))
		require.NotContains(t, escape(s), "<")
		require.NotContains(t, escape(s), ">")
	})
}

// FuzzSplit: parts fit, none is missing, and all of the words are in them, in order.
func FuzzSplit(f *testing.F) {
	f.Add("one\n\ntwo\n```\ncode\n```\nthree &amp; <https://a.example|b>", 60)
	f.Add(strings.Repeat("word ", 100), 50)
	f.Add(strings.Repeat("x", 300)+"&amp;"+strings.Repeat("<", 100), 64)
	f.Add("```\n"+strings.Repeat("line\n", 40), 50)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if most < 50 || most > 5000 || len(text) > 20000 || !utf8.ValidString(text) {
			return
		}
		parts := split(text, most)
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

// FuzzFileName: a file's name is one line without folders, and has the mark by which it
// is found again.
func FuzzFileName(f *testing.F) {
	for _, seed := range []string{"plan.md", "../../etc/passwd", `a\b.txt`, "", ".md", "a\nb", strings.Repeat("x", 5000) + ".md", "x." + strings.Repeat("y", 300), "\u202emd.exe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		c := copies(&workflow.Posting{Key: "k1", Lines: []workflow.Line{{Files: []workflow.File{{Name: name}}}}})[0]
		for _, got := range []string{c.shown(), c.marked()} {
			require.NotEmpty(t, got)
			require.False(t, strings.ContainsAny(got, "/\\\n\r`"), "%q", got)
			require.LessOrEqual(t, utf8.RuneCountInString(got), 120)
		}
		require.Contains(t, c.marked(), c.mark)
	})
}
