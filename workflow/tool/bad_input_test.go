package tool

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const secret = "canary-4711"

// newHostile returns a workspace with every kind of file that may break a tool.
func newHostile(t testing.TB) *Env {
	b := newEnv(t, files{"ok.txt": "fine\n", "dir/inner.txt": "inner\n"})
	outside := t.TempDir()
	put(t, outside, "secret.txt", secret+"\n")
	in := func(name string) string { return filepath.Join(b.Workspace.Files(), name) }
	link := func(target, name string) { require.NoError(t, os.Symlink(target, in(name))) }
	link(filepath.Join(outside, "secret.txt"), "abs.txt")
	link(outside, "absdir")
	link("../../../../../../../../etc/passwd", "up.txt")
	link("..", "updir")
	link("loop.txt", "loop.txt")
	link("dir/.git/config", "gitlink.txt")
	link("nowhere.txt", "dangling.txt")
	link("dir/inner.txt", "good.txt")
	b.put(t, "dir/.git/config", secret)
	b.put(t, ".GIT/config", secret)
	b.put(t, ".env", "KEY="+secret)
	b.put(t, "keys/id_rsa", "KEY="+secret)
	b.put(t, "keys/id_rsa.pub", "KEY=a public one\n")
	b.put(t, "nul.bin", "\x7fELF\x00\x00"+secret)
	b.put(t, "latin.txt", "caf\xe9\nplain\n")
	b.put(t, "escape.txt", "a\x1b[31mred\u202etxt\n")
	b.put(t, "empty.txt", "")
	b.put(t, "long.txt", strings.Repeat("x", 20<<20)+"\n")
	b.put(t, "wide.txt", strings.Repeat("é", 30_000)+"\n")
	b.put(t, "new\nline.txt", "strange\n")
	require.NoError(t, syscall.Mkfifo(in("pipe"), 0o666))
	return b
}

func TestNoToolOpensWhatItMustNot(t *testing.T) {
	t.Parallel()
	b := newHostile(t)
	for _, c := range []struct{ path, says string }{
		{"../x", "outside"},
		{"a/../../x", "outside"},
		{"/etc/passwd", "no leading slash: try etc/passwd"},
		{"/src/ok.txt", "try ok.txt"},
		{"/proc/self/environ", "no leading slash"},
		{"~/.ssh/id_rsa", "outside"},
		{"ok.txt\x00.go", "NUL"},
		{"ok.txt/below", "is a file"},
		{strings.Repeat("a", 300), "too long"},
		{strings.Repeat("a/", 3000), "longer than any path"},
		{"abs.txt", "leads outside"},
		{"absdir/secret.txt", "leads outside"},
		{"up.txt", "leads outside"},
		{"updir/x", "leads outside"},
		{"loop.txt", "leads to itself"},
		{"gitlink.txt", ".git"},
		{".git/config", "history"},
		{".GIT/config", "history"},
		{"dir/.git/config", "history"},
		{"dir/.g\u200cit/config", "history"},
		{"git~1/hooks/pre-commit", "history"},
		{"pipe", "named pipe"},
	} {
		t.Run(c.path[:min(len(c.path), 30)], func(t *testing.T) {
			before := b.call(t, "read_file", args{"path": "ok.txt"}).Text
			for name, in := range map[string]args{
				"read_file":  {"path": c.path},
				"search":     {"pattern": ".", "path": c.path},
				"outline":    {"path": c.path},
				"list_files": {"path": c.path},
				"edit_file":  {"path": c.path, "old": "a", "new": "b"},
				"write_file": {"path": c.path, "content": "x"},
				"apply_patch": {"patch": "*** Begin Patch\n*** Update File: ok.txt\n-fine\n+bad\n" +
					"*** Add File: " + c.path +
					"\n+x\n*** End Patch"},
			} {
				if strings.ContainsAny(c.path, "\x00") && name == "apply_patch" {
					in["patch"] = strings.ReplaceAll(in["patch"].(string), "\x00", "\x00")
				}
				text := b.refused(t, name, in)
				require.NotContains(t, text, secret)
				require.NotContains(t, text, b.Workspace.Files(), "a host path was shown")
				if name == "read_file" && c.path != "ok.txt/below" {
					require.Contains(t, text, c.says)
				}
			}
			require.Equal(t, before, b.call(t, "read_file", args{"path": "ok.txt"}).Text)
		})
	}
	entries, err := os.ReadDir(filepath.Join(b.Workspace.Files(), "dir", ".git"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestReadingStrangeFiles(t *testing.T) {
	t.Parallel()
	b := newHostile(t)
	read := func(p string) string { return b.call(t, "read_file", args{"path": p}).Text }
	for _, private := range []string{".env", "keys/id_rsa"} {
		require.Contains(t, b.refused(t, "read_file", args{"path": private}), "may hold secrets")
		require.Contains(t, b.refused(t, "search_file", args{"path": private, "pattern": "KEY"}),
			"may hold secrets")
		require.Contains(t, b.refused(t, "search", args{"path": private, "pattern": "KEY"}),
			"may hold secrets")
	}
	require.Contains(t, read("keys/id_rsa.pub"), "KEY=a public one", "control")
	found := b.ok(t, "search", args{"pattern": "KEY="})
	require.Contains(t, found, "keys/id_rsa.pub", "control")
	require.NotContains(t, found, secret)
	require.Contains(t, b.refused(t, "read_file", args{"path": "dir"}), "folder")
	require.Contains(t, b.refused(t, "read_file", args{"path": "long.txt"}), "20.0 MB")
	require.Contains(t, b.refused(t, "read_file", args{"path": "dangling.txt"}), "no")
	require.Contains(t, b.refused(t, "read_file", args{"path": ""}), "Which file")
	require.Equal(t, "empty.txt is empty.", read("empty.txt"))
	require.Contains(t, read("nul.bin"), "binary file")
	require.NotContains(t, read("nul.bin"), secret)
	require.Contains(t, read("latin.txt"), `1	caf\xe9`)
	require.Contains(t, read("escape.txt"), `a\x1b[31mred\u202etxt`)
	require.Contains(t, read("good.txt"), "dir/inner.txt, lines 1-1 of 1\n1\tinner")
	require.Contains(t, read("new\nline.txt"), `"new\nline.txt", lines 1-1`)
	wide := read("wide.txt")
	require.Contains(t, wide, "(28,000 more characters)")
	require.Less(t, len(wide), 5000)
	for _, p := range []string{"latin.txt", "escape.txt", "wide.txt", "nul.bin"} {
		require.True(t, utf8.ValidString(read(p)))
	}
}

func TestSearchPassesOverStrangeFiles(t *testing.T) {
	t.Parallel()
	b := newHostile(t)
	text := b.ok(t, "search", args{"pattern": secret, "literal": true})
	require.Contains(t, text, "No match")
	require.Contains(t, text, "1 file over 8.0 MB not searched: long.txt")
	listed := b.ok(t, "list_files", nil)
	require.Contains(t, listed, "pipe (named pipe)")
	require.Contains(t, listed, "up.txt -> ../../")
	require.Contains(t, listed, `"new\nline.txt"`)
	require.NotContains(t, strings.ToLower(listed), "\n.git/")
	require.NotContains(t, listed, "\ndir/.git")
}

func TestNoHostileNameIsWritten(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "a\n"})
	for _, p := range []string{
		".git/hooks/pre-commit", "sub/.git/config", ".GIT/x", ".git. /x", "git~1", "a.txt/b", "..", ".", "",
		"sub/", "/abs", "\x00",
	} {
		b.refused(t, "write_file", args{"path": p, "content": "x"})
	}
	entries, err := os.ReadDir(b.Workspace.Files())
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
