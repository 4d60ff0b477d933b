package find

import (
	"bytes"
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzPattern checks that a search finds exactly the lines that the expression matches, each by itself, in
// spite of all optimisations.
func FuzzPattern(f *testing.F) {
	for _, seed := range []string{
		"Open", `func \w+\(\)`, `(?i)straße|kelvin`, `a.*b$`, `^x?$`, `[^a]`, `(a|b)c+`, `\bword\b`,
		"(?s)a.b", "(((", "a{1000}", `\x{212a}`, "x\ny", `(?m)^$`, `\z`,
	} {
		f.Add(seed, "Open a b\r\nfunc f()\nKELVIN \u212a stra\u00dfe\n\nxc word", false)
		f.Add(seed, "", true)
	}
	f.Fuzz(func(t *testing.T, text, data string, literal bool) {
		if len(text) > 100 || len(data) > 2000 || !utf8.ValidString(text) || !utf8.ValidString(data) ||
			strings.ContainsAny(text, "\r") || strings.Contains(data, "\r") {
			return
		}
		p, err := newPattern(text, literal)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		source := text
		if literal {
			source = regexp.QuoteMeta(text)
		}
		plain, err := regexp.Compile("(?m)" + source)
		require.NoError(t, err)
		if strings.ContainsAny(text, `\(`) && !literal &&
			(strings.Contains(text, `\A`) || strings.Contains(text, `\z`) || strings.Contains(text, "(?")) {
			return // these refer to the whole text, or change what the rest means
		}
		var want, got []string
		for line := range strings.Lines(data) {
			if line = strings.TrimSuffix(line, "\n"); plain.MatchString(line) && line != "" {
				want = append(want, line)
			}
		}
		var scratch []byte
		p.lines(context.Background(), []byte(data), &scratch, func(start, end, at int) {
			require.True(t, 0 <= start && start <= at && at <= end && end <= len(data))
			if line := strings.TrimSuffix(data[start:end], "\n"); line != "" {
				got = append(got, line)
			}
		})
		require.Equal(t, want, got, "%q in %q", text, data)
	})
}

// The optimised search has to find the lines that a plain search finds.
func TestPatternAgreesWithThePlainWay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{
		"foo", "bar", "foobar", "a", " ", "\t", "(", ")", "x1", "é", "Foo", "BaR", "X1", "\u212a", "\u017f",
		"", "\r",
	}
	patterns := []string{
		"foo", "foo|bar", "fo+", "^foo", "bar$", "^$", "a.*x", `\bfoo\b`, "(?i)FOO", "[^a]foo", `foo\s*bar`,
		"x?", "(foo|far)bar", "(?:a|é)x1", `\w+\(`, "(foo)+", "fo{2}", "[[:upper:]]oo", "é$", "^", "$",
		`\s`, "a|", "(?s).", "(?i)BAR", "(?i)x1$", "(?i)foo.*a", "(?i:f)oo", "(?i)k", "(?i)s+x1",
	}
	for range 200 {
		var lines []string
		for range r.IntN(30) {
			var line strings.Builder
			for range r.IntN(6) {
				line.WriteString(words[r.IntN(len(words))])
			}
			lines = append(lines, line.String())
		}
		data := strings.Join(lines, "\n") + strings.Repeat("\n", r.IntN(2))
		for _, text := range patterns {
			require.Equal(t, plainSearch(text, data), fastSearch(t, text, data), "%q in %q", text, data)
		}
	}
}

func plainSearch(text, data string) (hits []int) {
	re := regexp.MustCompile("(?m:" + text + ")")
	if data == "" {
		return nil
	}
	for i, line := range strings.Split(strings.TrimSuffix(data, "\n"), "\n") {
		if re.MatchString(line) || re.MatchString(strings.TrimSuffix(line, "\r")) {
			hits = append(hits, i+1)
		}
	}
	return hits
}

func fastSearch(t *testing.T, text, data string) (hits []int) {
	p, err := newPattern(text, false)
	require.NoError(t, err)
	var scratch []byte
	p.lines(t.Context(), []byte(data), &scratch, func(start, end, at int) {
		require.LessOrEqual(t, start, at)
		require.LessOrEqual(t, at, end)
		hits = append(hits, strings.Count(data[:start], "\n")+1)
	})
	return hits
}

func TestIndexTextIsThatOfBytes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	letters := "aab e\nAQ\xff"
	random := func(n int) (b []byte) {
		for range n {
			b = append(b, letters[r.IntN(len(letters))])
		}
		return b
	}
	for range 5000 {
		data := random(r.IntN(40))
		text := random(1 + r.IntN(4))
		require.Equal(t, bytes.Index(data, text), indexText(data, text), "%q in %q", text, data)
	}
}
