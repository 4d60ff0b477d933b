package design

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// found returns the findings of Check for a branch over a base, as lines.
func found(t *testing.T, base, branch trees) []string {
	t.Helper()
	all, err := Check(base.FS(), branch.FS(), differing(base, branch))
	require.NoError(t, err)
	var out []string
	for _, f := range all {
		out = append(out, f.String())
	}
	return out
}

const oneToken = ":root { --accent: #0af; --space-2: 8px; }\n"

func TestDesignWithoutTokens(t *testing.T) {
	t.Parallel()
	page := trees{"a.css": ".a { color: #0af; padding: 8px; }"}
	require.Empty(t, found(t, trees{}, page))
	for _, name := range []string{
		"node_modules/x/tokens.css", "dist/tokens.css", ".cache/tokens.css", "tokens.min.css", "notes.md",
	} {
		require.Empty(t, found(t, trees{name: oneToken}, page.with(trees{name: oneToken})), name)
	}
	local := trees{"b.css": ".card { --accent: #0af; --space-2: 8px }"}
	require.Empty(t, found(t, local, page.with(local)), "a name of one part of the page is no use elsewhere")

	tokens := trees{"web/tokens.css": oneToken}
	require.Equal(t, []string{
		"a.css:1: literal colour #0af; use var(--accent)",
		"a.css:1: literal padding 8px; use var(--space-2)",
	}, found(t, tokens, page.with(tokens)), "the guard on")
}

func TestDesignTokensOfAllKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ tokens, text, want string }{
		"scss": {"$accent: #0af;", "", "$accent of x.scss"},
		"less": {"@accent: #0af;", "", "@accent of x.less"},
		"theme.json": {
			`{"color": {"accent": {"$value": "#00AAFF", "$type": "color"}}}`, "",
			"color.accent of x.theme.json",
		},
		"tokens.js":   {"/* x */ module.exports = { accent: '#0af', n: [1] }", "", "accent of x.tokens.js"},
		"colors.ts":   {"export const accent = `#0af`; // it's", "", "accent of x.colors.ts"},
		"oklch.css":   {":root{--accent: rgb(0% 66.667% 100%)}", "", "var(--accent)"},
		"theme.css":   {"@theme { --color-accent: hsl(200deg 100% 50%); }", "", "var(--color-accent)"},
		"dark.css":    {".dark { --accent: #0af }", "", "var(--accent)"},
		"page.svelte": {"<style>:root { --accent: #0af }</style>", "", "var(--accent)"},
	} {
		tokens := trees{"x." + name: c.tokens}
		got := found(t, tokens, tokens.with(trees{"a.css": ".a { color: #0af }"}))
		require.Equal(t, []string{"a.css:1: literal colour #0af; use " + c.want}, got, name)
	}
}

func TestDesignPicksTheNameThatSaysMost(t *testing.T) {
	t.Parallel()
	tokens := trees{
		"t.scss": "$blue: #0af;",
		"t.css":  ":root { --blue-500: #0af; --accent: var(--blue-500); }",
	}
	require.Equal(t, []string{"a.scss:1: literal colour #0AF; use var(--accent)"},
		found(t, tokens, tokens.with(trees{"a.scss": "b { color: #0AF }"})))
}

// Lines that are moved, re-indented or next to a change count as old.
func TestDesignLooksAtTheChangeAlone(t *testing.T) {
	t.Parallel()
	base := trees{"t.css": oneToken, "a.css": ".a {\n  color: #0af;\n}\n.b {\n  color: red;\n}\n"}
	moved := base.with(trees{
		"a.css": ".b {\n  color: red;\n}\n@media print {\n  .a {\n    color: #0af;\n  }\n}\n",
	})
	require.Empty(t, found(t, base, moved))
	twice := base.with(trees{"a.css": ".a {\n  color: #0af;\n  color: #0af;\n}\n.b {\n  color: red;\n}\n"})
	require.Len(t, found(t, base, twice), 1, "a second one is new")
	unlisted, err := Check(base.FS(), twice.FS(), []string{"t.css"})
	require.NoError(t, err)
	require.Empty(t, unlisted)
}

func TestDesignPassesOver(t *testing.T) {
	t.Parallel()
	bad := ".a { color: red !important; }\n"
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "real.css"), []byte(bad), 0o600))
	require.NoError(t, os.Symlink("real.css", filepath.Join(dir, "link.css")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.css"), 0o700))
	require.NoError(t,
		os.WriteFile(filepath.Join(dir, "large.css"), []byte(bad+strings.Repeat(" ", 1<<20)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "latin.css"), []byte(bad+"/* \xe9 */"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "zero.css"), []byte(bad+"\x00"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.min.css"), []byte(bad), 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()

	changed := []string{
		"link.css", "folder.css", "large.css", "latin.css", "zero.css", "x.min.css", "gone.css",
		"../real.css", "/real.css", "",
	}
	none, err := Check(trees{}.FS(), root.FS(), changed)
	require.NoError(t, err)
	require.Empty(t, none)
	one, err := Check(trees{}.FS(), root.FS(), append(changed, "real.css", "real.css"))
	require.NoError(t, err)
	require.Len(t, one, 1, "the guard off: a plain file of text")
}

func TestDesignStopsAtFifty(t *testing.T) {
	t.Parallel()
	branch := trees{}
	for i := range 30 {
		branch[fmt.Sprintf("%02d.css", i)] = strings.Repeat(".a {\n color: red !important;\n"+
			" margin: 0 !important }\n", 2)
	}
	all := found(t, trees{}, branch)
	require.Len(t, all, 50)
	require.True(t, strings.HasPrefix(all[0], "00.css:2:"), all[0])
	require.True(t, strings.HasPrefix(all[49], "12.css:3:"), all[49])
}

// hostile returns texts that would cost far more time or memory than their size if they were parsed
// carelessly.
func hostile() map[string]string {
	many := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
	return map[string]string{
		"a.css":    many("a{", 1<<19),
		"b.scss":   many("a,b,c,d{", 1<<19),
		"c.scss":   many("&&&&&{", 1<<19),
		"d.css":    ".a{color:" + many("var(--a)", 1<<19),
		"e.css":    many(".a{color:#0af}", 1<<20-64),
		"f.jsx":    many("<a b={", 1<<19),
		"g.jsx":    many("(/[", 1<<19),
		"h.jsx":    many("<a style={{x:", 1<<19),
		"i.html":   many(`{{"}}`, 1<<19),
		"j.html":   many("<a><b></a>", 1<<19),
		"k.svelte": many("<a {", 1<<19),
		"l.html":   many("<svg><style>", 1<<19),
		"m.css":    many("@a{", 1<<19),
		"n.css":    ".a{color:" + many("rgb(", 1<<19),
		"o.jsx":    many("`${", 1<<19),
		"p.html":   "<p style='" + many("(", 1<<19),
		"q.css":    ".a{color:" + many("f(", 1<<19),
		"r.vue":    many("<a :style=\"{a:{\">", 1<<19),
		"t.scss":   many("$a: $a $a;", 1<<10),
		"u.css":    ":root{--a:var(--b) var(--b);--b:var(--a) var(--a);--c:#0af}",
	}
}

func TestDesignEndsSoon(t *testing.T) {
	t.Parallel()
	shared := trees{"u.css": hostile()["u.css"]}
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, err := Check(trees{}.FS(), shared.with(trees{name: text}).FS(), []string{name, "u.css"})
			require.NoError(t, err)
			require.Less(t, time.Since(began), time.Minute)
			t.Log(time.Since(began))
		})
	}
}

// With very many different lines, diff libraries return wrong results.
func TestDesignOfManyLines(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 80_000 {
		fmt.Fprintf(&text, ".a%d{}\n", i)
	}
	base := trees{"t.css": oneToken, "a.css": text.String()}
	branch := base.with(trees{"a.css": ".first{color:#0af}\n" + text.String()})
	require.Equal(t, []string{"a.css:1: literal colour #0af; use var(--accent)"}, found(t, base, branch))
}

func FuzzDesign(f *testing.F) {
	for name, text := range hostile() {
		f.Add(name[2:], "", text[:min(len(text), 200)])
	}
	f.Add("svelte", "<p>",
		`<p style="color: {c}" on:click={() => { "}" }}>{a}</p><style>a{outline:none}</style>`)
	f.Add("tsx", "const a = 1", `const a = <T,>(b) => <p style={{ color: 'red', ...c }}>{/* x */}<img/></p>`)
	f.Add("tsx", "", "<A stYle:")
	f.Add("css", "", ":root{--0:0000 var(")
	f.Add("scss", "a{}", `// x
@mixin a($b) { &:hover { color: #{$c}; margin: 3px !important } }`)
	f.Fuzz(func(t *testing.T, kind, before, after string) {
		name := "x." + strings.NewReplacer("/", "", "\x00", "").Replace(kind)
		tokens := trees{"t.css": oneToken, "t.theme.js": after}
		base := tokens.with(trees{name: before})
		branch := tokens.with(trees{name: after})
		all, err := Check(base.FS(), branch.FS(), []string{name})
		require.NoError(t, err)
		for _, one := range all {
			require.Positive(t, one.Line)
			require.LessOrEqual(t, one.Line, strings.Count(after, "\n")+1)
			require.NotContains(t, one.String(), "\n")
		}
		same, err := Check(branch.FS(), branch.FS(), []string{name})
		require.NoError(t, err)
		require.Empty(t, same)
	})
}

func BenchmarkDesign(b *testing.B) {
	rule := ".card-%d > a:hover {\n  color: var(--accent);\n  padding: 8px var(--space-2);\n" +
		"  border: 1px solid #0af;\n}\n"
	var text strings.Builder
	for i := 0; text.Len() < 1<<20-200; i++ {
		fmt.Fprintf(&text, rule, i)
	}
	base := trees{"t.css": oneToken}
	branch := base.with(trees{"a.css": text.String()})
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		all, err := Check(base.FS(), branch.FS(), []string{"a.css"})
		require.NoError(b, err)
		require.Len(b, all, 50)
	}
}
