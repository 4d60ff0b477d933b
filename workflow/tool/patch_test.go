package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func patchOf(lines ...string) args {
	return args{"patch": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"}
}

func TestApplyPatch(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"cart.go": cart, "old/name.txt": "a\nb\nc\n", "gone.txt": "x\n"})
	edits := 0
	b.Edited = func() { edits++ }
	text := b.ok(t, "apply_patch", patchOf(
		"*** Update File: cart.go",
		"@@ func Count",
		" \tsum := 0",
		"+\tsum = len(items)",
		" \treturn sum",
		"*** Add File: new/file.txt",
		"+first",
		"+",
		"+third",
		"*** Delete File: gone.txt",
		"*** Update File: old/name.txt",
		"*** Move to: better/name.txt",
		"@@",
		" a",
		"-b",
		"+B",
	))
	require.Equal(t, 1, edits)
	require.Contains(t, text, "cart.go changed\n@@ ")
	require.Contains(t, text, "+\tsum = len(items)\n")
	require.Contains(t, text, "new/file.txt written: new, 3 lines\n")
	require.Contains(t, text, "gone.txt deleted\n")
	require.Equal(t, strings.Replace(cart, "func Count(items []Item) int {\n\tsum := 0\n",
		"func Count(items []Item) int {\n\tsum := 0\n\tsum = len(items)\n", 1), b.get(t, "cart.go"))
	require.Equal(t, "first\n\nthird\n", b.get(t, "new/file.txt"))
	require.Equal(t, "a\nB\nc\n", b.get(t, "better/name.txt"))
	require.NoFileExists(t, filepath.Join(b.Workspace.Files(), "gone.txt"))
	require.NoFileExists(t, filepath.Join(b.Workspace.Files(), "old/name.txt"))
	b.ok(t, "edit_file", args{"path": "new/file.txt", "old": "third", "new": "3"})
}

func TestPatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	tree := files{"a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n", "bin.dat": "x\x00y\n"}
	good := []string{
		"*** Update File: a.txt", "-a", "+A", "*** Delete File: b.txt", "*** Add File: n.txt", "+n",
	}
	for name, c := range map[string]struct {
		bad  []string
		says string
	}{
		"miss": {[]string{"*** Update File: dir/c.txt", "-nope", "+x"}, "not in the file"},
		"missing": {
			[]string{"*** Update File: dir/d.txt", "-c", "+x"},
			"There is no dir/d.txt. Near names:",
		},
		"delete missing":   {[]string{"*** Delete File: zzz"}, "There is no zzz"},
		"add what exists":  {[]string{"*** Add File: dir/c.txt", "+x"}, "exists already"},
		"move onto":        {[]string{"*** Update File: dir/c.txt", "*** Move to: a.txt"}, "exists already"},
		"delete twice":     {[]string{"*** Delete File: b.txt"}, "There is no b.txt"},
		"outside":          {[]string{"*** Add File: ../x", "+x"}, "outside"},
		"absolute":         {[]string{"*** Add File: /tmp/x", "+x"}, "no leading slash"},
		"git":              {[]string{"*** Add File: .git/hooks/post-commit", "+x"}, "history"},
		"move outside":     {[]string{"*** Update File: dir/c.txt", "*** Move to: ../c.txt"}, "outside"},
		"below a file":     {[]string{"*** Add File: a.txt/x", "+x"}, "a.txt"},
		"below a new file": {[]string{"*** Add File: n.txt/x", "+x"}, "n.txt"},
		"folder":           {[]string{"*** Delete File: dir"}, "folder"},
		"binary":           {[]string{"*** Update File: bin.dat", "-x", "+y"}, "binary"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newEnv(t, tree)
			b.Edited = func() { t.Error("nothing was to be edited") }
			text := b.refused(t, "apply_patch", patchOf(append(good, c.bad...)...))
			require.Contains(t, text, c.says)
			require.Contains(t, text, "No file was changed")
			for p, data := range tree {
				require.Equal(t, data, b.get(t, p))
			}
			require.NoFileExists(t, filepath.Join(b.Workspace.Files(), "n.txt"))
		})
	}
}

func TestPatchMayPutAFolderWhereAFileWas(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a": "a\n", "b": "b\n"})
	b.ok(t, "apply_patch", patchOf("*** Add File: a/b.txt", "+x", "*** Delete File: a"))
	require.Equal(t, "x\n", b.get(t, "a/b.txt"))
	b.ok(t, "apply_patch", patchOf("*** Delete File: b", "*** Add File: b", "+again"))
	require.Equal(t, "again\n", b.get(t, "b"))
}

// A file that the model has patched counts as read.
func TestEditOfAPatchedFile(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "a\nb\n"})
	require.Contains(t, b.refused(t, "edit_file", args{"path": "a.txt", "old": "b", "new": "B"}),
		"has to be read")
	b.ok(t, "apply_patch", patchOf("*** Update File: a.txt", "-a", "+x"))
	b.ok(t, "edit_file", args{"path": "a.txt", "old": "x", "new": "A"})
	b.ok(t, "apply_patch", patchOf("*** Update File: a.txt", "-A", "+AA"))
	b.ok(t, "edit_file", args{"path": "a.txt", "old": "b", "new": "B"})
	require.Equal(t, "AA\nB\n", b.get(t, "a.txt"))
}

func TestPatchKeepsTheMode(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"run.sh": "echo 1\n"})
	require.NoError(t, os.Chmod(filepath.Join(b.Workspace.Files(), "run.sh"), 0o755))
	b.ok(t, "apply_patch",
		patchOf("*** Update File: run.sh", "*** Move to: bin/run.sh", "-echo 1", "+echo 2"))
	info, err := os.Stat(filepath.Join(b.Workspace.Files(), "bin/run.sh"))
	require.NoError(t, err)
	require.EqualValues(t, 0o755, info.Mode().Perm())
}
