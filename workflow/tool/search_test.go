package tool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{
		"a.go":           "package a\n\nfunc Open() {}\nfunc Close() {}\n",
		"b/c.go":         "package c\n\n// Open says\nvar x = Open(1)\r\n",
		"b/c_test.go":    "func TestOpen(t *testing.T) {}\n",
		"notes.md":       "open the door [x]\n",
		".github/ci.yml": "Open: 1\n",
		".gitignore":     "out/\n",
		"out/gen.go":     "Open\n",
	})
	b.put(t, "out/gen.go", "Open\n")
	for _, c := range []struct {
		name string
		in   args
		want string
	}{
		{
			"word",
			args{"pattern": "Open"},
			".github/ci.yml:1: Open: 1\na.go:3: func Open() {}\nb/c.go:3: // Open says\n" +
				"b/c.go:4: var x = Open(1)\nb/c_test.go:1: func TestOpen(t *testing.T) {}\n",
		},
		{"expression", args{"pattern": `func \w+\(\)`}, "a.go:3: func Open() {}\na.go:4: func Close() {}\n"},
		{
			"any case",
			args{"pattern": `(?i)^open`},
			".github/ci.yml:1: Open: 1\nnotes.md:1: open the door [x]\n",
		},
		{"one of", args{"pattern": `Close|door`}, "a.go:4: func Close() {}\nnotes.md:1: open the door [x]\n"},
		{"end of a Windows line", args{"pattern": `\(1\)$`}, "b/c.go:4: var x = Open(1)\n"},
		{"literal", args{"pattern": "[x]", "literal": true}, "notes.md:1: open the door [x]\n"},
		{
			"glob",
			args{"pattern": "Open", "glob": "*_test.go"},
			"b/c_test.go:1: func TestOpen(t *testing.T) {}\n",
		},
		{
			"glob with a folder",
			args{"pattern": "Open", "glob": "b/*.{go,md}", "path": "b"},
			"b/c.go:3: // Open says\nb/c.go:4: var x = Open(1)\n" +
				"b/c_test.go:1: func TestOpen(t *testing.T) {}\n",
		},
		{"not glob", args{"pattern": "Open", "glob": "!*.go"}, ".github/ci.yml:1: Open: 1\n"},
		{
			"folder",
			args{"pattern": "Open", "path": "./b/"},
			"b/c.go:3: // Open says\nb/c.go:4: var x = Open(1)\n" +
				"b/c_test.go:1: func TestOpen(t *testing.T) {}\n",
		},
		{"file", args{"pattern": "Close", "path": "a.go"}, "a.go:4: func Close() {}\n"},
		{"named though ignored", args{"pattern": "Open", "path": "out"}, "out/gen.go:1: Open\n"},
		{"across lines does not", args{"pattern": `a\s+func`}, "No match in 6 files.\n"},
		{"dot that takes all", args{"pattern": `(?s)package.*Open`}, "No match in 6 files.\n"},
		{"looks like an option", args{"pattern": "--pre=sh"}, "No match in 6 files.\n"},
		{"none", args{"pattern": "nothing here"}, "No match in 6 files.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, b.ok(t, "search", c.in))
		})
	}
}

func TestSearchWrongCalls(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"internal/server.go": "package x\n"})
	for _, c := range []struct {
		in   args
		says string
	}{
		{args{"pattern": ""}, "empty"},
		{args{"pattern": "a(?=b)"}, "no look-around"},
		{args{"pattern": "("}, "RE2"},
		{args{"pattern": `(\w{900}){900}`}, ""},
		{args{"pattern": `\pL{1000}\pN{1000}\pS{1000}`}, "too large"},
		{args{"pattern": "a\nb"}, "one line at a time"},
		{args{"pattern": "a\nb", "literal": true}, "one line at a time"},
		{args{"pattern": "x", "glob": "[a"}, "no valid glob"},
		{args{"pattern": "x", "path": "internal/sever.go"}, "Near names: internal/server.go."},
	} {
		require.Contains(t, b.refused(t, "search", c.in), c.says)
	}
}

func TestSearchCountsWhenThereIsTooMuch(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{
		"a.txt": strings.Repeat("hit\n", 70),
		"b.txt": strings.Repeat("hit\n", 80),
		"c.txt": strings.Repeat("hit\n", 60),
	})
	text := b.ok(t, "search", args{"pattern": "hit"})
	require.Contains(t, text, "210 matching lines in 3 files are too many to show: narrow it")
	require.Contains(t, text, "b.txt: 80, 1: hit\na.txt: 70, 1: hit\nc.txt: 60, 1: hit\n")
	text = b.ok(t, "search", args{"pattern": "hit", "glob": "[ab].txt"})
	require.Equal(t, 100, strings.Count(text, ".txt:"), "of a few too many the first are shown")
	require.Contains(t, text, "[50 more matching lines: narrow it with path, glob or a longer pattern]\n")
	require.Equal(t, 70, strings.Count(b.ok(t, "search", args{"pattern": "hit", "path": "a.txt"}), "\n"))
}

func TestSearchCutsLongLines(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"min.js": strings.Repeat("é", 4000) + "needle" + strings.Repeat("x", 9000) + "\n"})
	text := b.ok(t, "search", args{"pattern": "needle"})
	require.Contains(t, text, "needle")
	require.Less(t, len(text), 600)
}

func TestSearchOfLinesLongerThanAStride(t *testing.T) {
	t.Parallel()
	const stride = 32 << 10 // bytes that are searched between two checks of the context
	long := strings.Repeat("x", 3*stride) + "needle" + strings.Repeat("x", 3*stride) + "needle\n"
	b := newEnv(t, files{
		"a.js": "needle\n" + long + "needle\n" + strings.Repeat("short\n", stride) + "needle",
	})
	for _, pattern := range []string{"needle", "needl[e]", "(?i)NEEDLE", "x*needle"} {
		text := b.ok(t, "search", args{"pattern": pattern})
		var at []string
		for line := range strings.Lines(text) {
			at = append(at, strings.SplitN(line, ":", 3)[1])
		}
		require.Equal(t, []string{"1", "2", "3", fmt.Sprint(stride + 4)}, at, pattern)
	}
}

func TestSearchStopsWhenAsked(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "x\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.try(ctx, "search", args{"pattern": "x"})
	require.ErrorIs(t, err, context.Canceled)
}

// BenchmarkSearch searches a tree of 20,200 files, like the measurements that it is compared with.
func BenchmarkSearch(b *testing.B) {
	env := newEnv(b, files{".gitignore": "*.o\nnode_modules/\n/dist\n"})
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 20_200 {
		var s strings.Builder
		for line := range 60 + r.IntN(60) {
			fmt.Fprintf(&s, "\tresult%d := compute(value%d, %d) // line %d of many\n", r.IntN(99), r.IntN(99),
				r.IntN(1e6), line)
		}
		env.put(b, filepath.Join(fmt.Sprintf("pkg%d", i%200), fmt.Sprintf("f%d.go", i)), s.String())
	}
	env.put(b, "pkg7/needle.go", "func findTheNeedle() error\n")
	for name, in := range map[string]args{
		"literal":    {"pattern": "findTheNeedle"},
		"expression": {"pattern": `func find\w+\(\) error`},
		"alternates": {"pattern": `findTheNeedle|loseTheNeedle`},
		"no literal": {"pattern": `[A-Z]\w+Needle\w*\(`},
		"any case":   {"pattern": `(?i)findtheneedle`},
		"many":       {"pattern": "compute"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.Contains(b, env.ok(b, "search", in), ".go")
			}
		})
	}
}

func TestSearchLeavesTestsOut(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{
		"cart/cart.go": "total\n", "cart/cart_test.go": "total\ntotal\n", "tests/test_cart.py": "total\n",
		"web/cart.test.ts": "total\n", "latest.go": "total\n",
	})
	require.Equal(t,
		"cart/cart.go:1: total\nlatest.go:1: total\n[4 matching lines in 3 test files left out]\n",
		b.ok(t, "search", args{"pattern": "total", "no_tests": true}))
	require.Contains(t, b.ok(t, "search", args{"pattern": "total"}), "cart/cart_test.go:2: total")
	require.Equal(t, "No match in 0 files.\n[2 matching lines in 1 test file left out]\n",
		b.ok(t, "search", args{"pattern": "total", "path": "cart/cart_test.go", "no_tests": true}))
}
