package tool

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListFiles(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{
		"go.mod":                     "m",
		"cmd/shop/main.go":           "m",
		"internal/cart/cart.go":      "m",
		"internal/cart/cart_test.go": "m",
		"README.md":                  "m",
	})
	require.Equal(t, "cmd/ (1 file)\ncmd/shop/ (1 file)\ninternal/ (2 files)\ninternal/cart/ (2 files)\n"+
		"README.md\ncmd/shop/main.go\ngo.mod\ninternal/cart/cart.go\ninternal/cart/cart_test.go\n",
		b.ok(t, "list_files", nil))
	require.Equal(t, "internal/cart/ (2 files)\ninternal/cart/cart.go\ninternal/cart/cart_test.go\n",
		b.ok(t, "list_files", args{"path": "internal/"}))
	require.Equal(t, "internal/cart/cart_test.go\n", b.ok(t, "list_files", args{"glob": "*_test.go"}))
	require.Equal(t, "internal/cart/cart.go\ninternal/cart/cart_test.go\n",
		b.ok(t, "list_files", args{"glob": "cart/*.go", "path": "internal"}))
	require.Contains(t, b.ok(t, "list_files", args{"glob": "*.rs"}), "No file below . matches *.rs")
	require.Contains(t, b.refused(t, "list_files", args{"path": "intrnal"}), "Near names: internal.")
	require.Contains(t, b.refused(t, "list_files", args{"path": "go.mod"}), "is a file: use read_file")
	require.Contains(t, b.refused(t, "list_files", args{"glob": "{a"}), "no valid glob")
}

func TestListFilesOfALargeTree(t *testing.T) {
	t.Parallel()
	tree := files{"top.txt": "x"}
	for i := range 150 {
		tree[fmt.Sprintf("a/b/%03d.txt", i)] = "x"
		tree[fmt.Sprintf("c/%03d.txt", i)] = "x"
	}
	b := newEnv(t, files{"top.txt": "x"})
	for name, data := range tree {
		b.put(t, name, data)
	}
	require.Equal(t, "a/ (150 files)\nc/ (150 files)\ntop.txt\n[301 files in 3 folders below .; "+
		"only this folder is shown: name one of its folders, or use a glob]",
		b.ok(t, "list_files", nil))
	text := b.ok(t, "list_files", args{"glob": "*.txt"})
	require.Contains(t, text, "[101 of 301 files in 3 folders left out: use a narrower glob or a path]")
	require.Equal(t, 201, strings.Count(text, "\n")+1)
	for i := range 300 {
		b.put(t, fmt.Sprintf("flat/%03d.txt", i), "x")
	}
	require.Contains(t, b.ok(t, "list_files", args{"path": "flat"}),
		"[100 more in this folder left out: use a glob]")
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	b := newEnv(t, files{
		"long.txt":            long.String(),
		"dos.txt":             "a\r\nb\r\n",
		"noend.txt":           "a\nb",
		"internal/session.go": "package x\n",
		"lfs.bin":             "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n",
		"fat.txt":             strings.Repeat(strings.Repeat("x", 999)+"\n", 100),
	})
	text := b.ok(t, "read_file", args{"path": "long.txt"})
	require.True(t, strings.HasPrefix(text,
		"long.txt, lines 1-400 of 1000; go on with offset 401\n1\tline 1\n"), text[:80])
	require.True(t, strings.HasSuffix(text, "400\tline 400\n"))
	require.Equal(t, "long.txt, lines 999-1000 of 1000\n999\tline 999\n1000\tline 1000\n",
		b.ok(t, "read_file", args{"path": "long.txt", "offset": 999}))
	require.Equal(t, "long.txt, lines 5-5 of 1000; go on with offset 6\n5\tline 5\n",
		b.ok(t, "read_file", args{"path": "./long.txt", "offset": 5, "limit": 1}))
	require.Contains(t, b.refused(t, "read_file", args{"path": "long.txt", "offset": 1001}),
		"has 1,000 lines")
	require.Equal(t, "dos.txt, lines 1-2 of 2; lines end in CRLF, which edits keep\n1\ta\n2\tb\n",
		b.ok(t, "read_file", args{"path": "dos.txt"}))
	require.Equal(t, "noend.txt, lines 1-2 of 2\n1\ta\n2\tb\n",
		b.ok(t, "read_file", args{"path": "noend.txt"}))
	require.Contains(t, b.ok(t, "read_file", args{"path": "lfs.bin"}), "a Git LFS pointer")
	fat := b.ok(t, "read_file", args{"path": "fat.txt"})
	require.Less(t, len(fat), 50<<10+200)
	require.Contains(t, fat, "go on with offset 52")
}

func TestReadFileOffersNearNames(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{
		"internal/auth/session.go":      "x",
		"internal/auth/session_test.go": "x",
		"web/session.ts":                "x",
		"README.md":                     "x",
		"main.go":                       "x",
	})
	for wanted, near := range map[string]string{
		"session.go":               "There is no session.go. Near names: internal/auth/session.go,",
		"internal/auth/sesion.go":  "Near names: internal/auth/session.go",
		"readme.md":                "Near names: README.md.",
		"internal/Auth/Session.go": "Near names: internal/auth/session.go",
		"zzz.py":                   "Use list_files or search to find it.",
	} {
		require.Contains(t, b.refused(t, "read_file", args{"path": wanted}), near)
	}
}
