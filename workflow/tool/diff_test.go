package tool

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/tool/internal/patch"
)

func TestDiffShowsWhatWasChanged(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\ntwo\n", "sub/b.txt": "b\n"})
	require.Equal(t, "Nothing was changed.", b.ok(t, "diff", nil))
	b.Pull.Number = 77
	require.Equal(t, "Nothing was changed on top of the pull request. What it changes itself, history shows "+
		"with commit #77.", b.ok(t, "diff", nil))
	b.Pull.Number = 0
	b.ok(t, "read_file", args{"path": "a.txt"})
	b.ok(t, "edit_file", args{"path": "a.txt", "old": "two", "new": "three"})
	b.ok(t, "write_file", args{"path": "sub/c.txt", "content": "new\n"})
	b.ok(t, "write_file", args{"path": ".env", "content": "KEY=1\n"})
	all := b.ok(t, "diff", nil)
	require.NotContains(t, all, "index ", "hashes say nothing to a model")
	require.Contains(t, all, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n")
	require.Contains(t, all, "+new\n")
	require.Contains(t, all, "added .env +1 -0 (not shown)")
	require.NotContains(t, all, "KEY")
	one := b.ok(t, "diff", args{"path": "sub"})
	require.Contains(t, one, "+new\n")
	require.NotContains(t, one, "three")
	require.Contains(t, b.refused(t, "diff", args{"path": "../x"}), "outside")
}

// The heading of a hunk is dropped: it is a line of the file, and looks like a line of the change.
func TestDiffNoise(t *testing.T) {
	t.Parallel()
	const index = "index 0123456789012345678901234567890123456789.." +
		"9876543210987654321098765432109876543210 100644\n"
	require.Equal(t, "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n index 0123456..9876543\n"+
		"-@@ -1 +1 @@ x\n@@ -9 +9 @@\n+b\n",
		patch.ShowDiff("diff --git a/a b/a\n"+index+"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@ \tFoldedStyle\n"+
			" index 0123456..9876543\n-@@ -1 +1 @@ x\n@@ -9 +9 @@\n+b\n"))
}

// A file whose diff does not fit is named, and its diff can be requested.
func TestALongDiffNamesItsFiles(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\n"})
	b.ok(t, "write_file", args{"path": "big.txt", "content": strings.Repeat("a long line of text\n", 3000)})
	b.ok(t, "write_file", args{"path": "z.txt", "content": "small\n"})
	all := b.ok(t, "diff", nil)
	require.Contains(t, all, "added big.txt +3000 -0 (see diff with this path)")
	require.Contains(t, all, "+small\n", "the small file behind it is shown whole")
	require.Less(t, len(all), maxDiff)
	alone := b.ok(t, "diff", args{"path": "big.txt"})
	require.Contains(t, alone, "+a long line of text\n")
	require.Less(t, len(alone), maxDiff+200)
}

func TestHistoryOfACommitTakesAPath(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\n", "b/c.txt": "c\n", "d.txt": "d\n"})
	one := b.ok(t, "history", args{"commit": b.Workspace.Base(), "path": "b"})
	require.Contains(t, one, "Ada: add the rest")
	require.Contains(t, one, "\n+c\n")
	require.NotContains(t, one, "index ")
	require.NotContains(t, one, "d.txt")
	require.Contains(t, b.ok(t, "history", args{"commit": b.Workspace.Base(), "path": "a.txt"}),
		"a.txt was not changed by it.")
}
