package tool

import (
	"context"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzIgnore: a .gitignore reads the same with either end of lines; comments and empty
// lines say nothing; and nothing is brought back without a "!".
func FuzzIgnore(f *testing.F) {
	for _, seed := range []string{"*.log\n!keep.log\n", "/build/\nnode_modules", "a/**/b", `\#x`, "[", "{a,b}", "**", "!", "  x  \\ ", "a//b", "\xff*", strings.Repeat("*", 50) + "x"} {
		f.Add(seed, "src/a.log", false)
		f.Add(seed, "node_modules", true)
	}
	f.Fuzz(func(t *testing.T, text, p string, folder bool) {
		if len(text) > 2000 || len(p) > 200 || strings.ContainsAny(text, "\r") {
			return
		}
		name := p[strings.LastIndexByte(p, '/')+1:]
		got := parseIgnore(nil, "", text).ignored(p, name, folder)
		require.Equal(t, got, parseIgnore(nil, "", strings.ReplaceAll(text, "\n", "\r\n")).ignored(p, name, folder))
		require.Equal(t, got, parseIgnore(nil, "", "# "+strings.ReplaceAll(p, "\n", " ")+"\n\n"+text).ignored(p, name, folder))
		require.True(t, parseIgnore(nil, "", text+"\n**/*\n").ignored("dir/x", "x", folder))
		if parent := parseIgnore(nil, "", "*\n"); !strings.Contains(text, "!") {
			require.True(t, parseIgnore(parent, "", text).ignored("x", "x", folder))
		}
	})
}

// FuzzOutline: an outline points into the file, and is in order.
func FuzzOutline(f *testing.F) {
	for name, seed := range map[string]string{
		"a.go": "package a\n\n// F is.\nfunc F[T any](x T) {}\ntype S struct{ A int }\n", "a.py": "class A:\n    def f(self):\n", "a.ts": "export function f() {\n", "a.md": "# One\n## Two\n", "a.sql": "create table t (a int);\n",
		"b.go": "package x\nfunc broken( {\n", "c.go": "func (", "x": "plain",
	} {
		f.Add(name, seed)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if len(text) > 20000 {
			return
		}
		symbols := goSymbols(text)
		if l, ok := linePatterns[path.Ext(name)]; ok {
			symbols = append(symbols, lineSymbols(text, l)...)
		}
		lines := 1 + strings.Count(text, "\n")
		for _, s := range symbols {
			require.GreaterOrEqual(t, s.line, 1, s)
			require.LessOrEqual(t, s.line, lines, s)
		}
	})
}

// FuzzPattern: a search finds the lines that the expression matches, each looked at by
// itself, whatever was done to be fast.
func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"Open", `func \w+\(\)`, `(?i)straße|kelvin`, `a.*b$`, `^x?$`, `[^a]`, `(a|b)c+`, `\bword\b`, "(?s)a.b", "(((", "a{1000}", `\x{212a}`, "x\ny", `(?m)^$`, `\z`} {
		f.Add(seed, "Open a b\r\nfunc f()\nKELVIN \u212a stra\u00dfe\n\nxc word", false)
		f.Add(seed, "", true)
	}
	f.Fuzz(func(t *testing.T, text, data string, literal bool) {
		if len(text) > 100 || len(data) > 2000 || !utf8.ValidString(text) || !utf8.ValidString(data) || strings.ContainsAny(text, "\r") || strings.Contains(data, "\r") {
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
		if strings.ContainsAny(text, `\(`) && !literal && (strings.Contains(text, `\A`) || strings.Contains(text, `\z`) || strings.Contains(text, "(?")) {
			return // which speak of the whole text, or change what the rest means
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
