package tool

import (
	"errors"
	"fmt"
	"math/rand/v2"
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
	b := newBench(t, files{"cart.go": cart, "old/name.txt": "a\nb\nc\n", "gone.txt": "x\n"})
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
	require.Equal(t, strings.Replace(cart, "func Count(items []Item) int {\n\tsum := 0\n", "func Count(items []Item) int {\n\tsum := 0\n\tsum = len(items)\n", 1), b.get(t, "cart.go"))
	require.Equal(t, "first\n\nthird\n", b.get(t, "new/file.txt"))
	require.Equal(t, "a\nB\nc\n", b.get(t, "better/name.txt"))
	require.NoFileExists(t, filepath.Join(b.Workspace.Files(), "gone.txt"))
	require.NoFileExists(t, filepath.Join(b.Workspace.Files(), "old/name.txt"))
	b.ok(t, "edit_file", args{"path": "new/file.txt", "old": "third", "new": "3"})
}

func TestApplyHunks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, patch, after, wrong string }{
		{name: "one line", before: "a\nb\nc\n", patch: " a\n-b\n+B\n c", after: "a\nB\nc\n"},
		{name: "two hunks", before: "a\nb\nc\nd\ne\n", patch: "@@\n-a\n+A\n@@\n-e\n+E", after: "A\nb\nc\nd\nE\n"},
		{name: "hunks out of order", before: "a\nb\nc\n", patch: "@@\n-c\n+C\n@@\n-a\n+A", wrong: "in the order of the file"},
		{name: "unlike file", before: "a\nb\n", patch: " x\n-y\n+z", wrong: "not in the file"},
		{name: "ambiguous", before: "a\nx\na\nx\n", patch: " a\n-x\n+y", wrong: "fits at lines 1, 3"},
		{name: "told apart by a name", before: "f {\n x\n}\ng {\n x\n}\n", patch: "@@ g {\n- x\n+ y", wrong: "", after: "f {\n x\n}\ng {\n y\n}\n"},
		{name: "name repeated in the hunk", before: "f {\n x\n}\ng {\n x\n}\n", patch: "@@ g {\n g {\n- x\n+ y", after: "f {\n x\n}\ng {\n y\n}\n"},
		{name: "name by its beginning", before: "func f(a int) {\n\tx\n}\n", patch: "@@ func f\n-\tx\n+\ty", after: "func f(a int) {\n\ty\n}\n"},
		{name: "name within name", before: "class A:\n  def f():\n    x\nclass B:\n  def f():\n    x\n", patch: "@@ class B:\n@@   def f():\n-    x\n+    y", after: "class A:\n  def f():\n    x\nclass B:\n  def f():\n    y\n"},
		{name: "name that is not there", before: "a\nb\n", patch: "@@ nowhere\n-b\n+B", after: "a\nB\n"},
		{name: "name not there and ambiguous", before: "b\nb\n", patch: "@@ nowhere\n-b\n+B", wrong: "fits at lines 1, 2"},
		{name: "numbers of a unified diff", before: "a\nb\n", patch: "@@ -1,2 +1,2 @@\n a\n-b\n+B", after: "a\nB\n"},
		{name: "spaces at line ends", before: "a  \nb\t\nc\n", patch: " a\n-b\n+B\n c", after: "a  \nB\nc\n"},
		{name: "indentation further right", before: "if x {\n\t\ta\n\t\tb\n}\n", patch: " \ta\n-\tb\n+\tB\n+\t\tdeeper", after: "if x {\n\t\ta\n\t\tB\n\t\t\tdeeper\n}\n"},
		{name: "indentation further left", before: "a\nb\n", patch: " \ta\n-\tb\n+\tB", after: "a\nB\n"},
		{name: "insert at the end", before: "a\n", patch: "+b", after: "a\nb\n"},
		{name: "insert at the end of a file without one", before: "a", patch: "+b", after: "a\nb\n"},
		{name: "insert below a name", before: "a\nb\n", patch: "@@ a\n+x", after: "a\nx\nb\n"},
		{name: "into an empty file", before: "", patch: "+a", after: "a\n"},
		{name: "end of file", before: "x\ny\nx\n", patch: "@@\n-x\n+z\n*** End of File", after: "x\ny\nz\n"},
		{name: "blank line without its space", before: "a\n\nb\n", patch: " a\n\n-b\n+B", after: "a\n\nB\n"},
		{name: "blank lines after a hunk", before: "a\nb\n", patch: "-a\n+A\n\n\n", after: "A\nb\n"},
		{name: "CRLF", before: "a\r\nb\r\n", patch: " a\n-b\n+B\n+C", after: "a\r\nB\r\nC\r\n"},
		{name: "patch with CRLF", before: "a\nb\n", patch: " a\r\n-b\r\n+B\r", after: "a\nB\n"},
		{name: "last line kept without its end", before: "a\nb", patch: "-a\n+A\n b", after: "A\nb"},
		{name: "all gone", before: "a\nb\n", patch: "-a\n-b", after: ""},
		{name: "only context", before: "a\n", patch: " a", wrong: "changes nothing"},
		{name: "a line without a sign", before: "a\n", patch: "-a\nb", wrong: "neither a space, - nor +"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			after, err := patched(c.before, "*** Begin Patch\n*** Update File: f\n"+c.patch+"\n*** End Patch")
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.after, after)
		})
	}
}

// patched applies the first section of a patch to a text.
func patched(before, patch string) (string, error) {
	sections, err := parsePatch(patch)
	if err != nil {
		return "", err
	}
	return applyHunks(before, sections[0].hunks)
}

func TestParsePatchWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ patch, says string }{
		{"", "no line *** Begin Patch"},
		{"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "A patch looks like this"},
		{"*** Begin Patch\n*** End Patch", "empty"},
		{"*** Begin Patch\n*** Update File: a\n-x\n+y", "no line *** End Patch"},
		{"*** Begin Patch\n*** Update File:\n*** End Patch", "names no file"},
		{"*** Begin Patch\n*** Rename File: x\n*** End Patch", "does not begin a file"},
		{"*** Begin Patch\nhello\n*** End Patch", "does not begin a file"},
		{"*** Begin Patch\n*** Add File: a\nno plus\n*** End Patch", "begins with +"},
		{"*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch", "nothing can follow"},
		{"*** Begin Patch\n*** Update File: a\n*** Move to:\n*** End Patch", "where to move"},
		{"*** Begin Patch\n*** Update File: a\n" + strings.Repeat("@@\n-a\n+b\n", maxHunks+1) + "*** End Patch", "at most 500"},
	} {
		_, err := parsePatch(c.patch)
		var w wrong
		require.True(t, errors.As(err, &w))
		require.Contains(t, string(w), c.says)
	}
}

func TestPatchFence(t *testing.T) {
	t.Parallel()
	sections, err := parsePatch("Here it is:\n```\n*** Begin Patch\n\n*** Add File: a\n+x\n\n*** End Patch\n```\n")
	require.NoError(t, err)
	require.Equal(t, []section{{kind: addFile, path: "a", added: []string{"x"}}}, sections)
}

func TestPatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	tree := files{"a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n", "bin.dat": "x\x00y\n"}
	good := []string{"*** Update File: a.txt", "-a", "+A", "*** Delete File: b.txt", "*** Add File: n.txt", "+n"}
	for name, c := range map[string]struct {
		bad  []string
		says string
	}{
		"miss":             {[]string{"*** Update File: dir/c.txt", "-nope", "+x"}, "not in the file"},
		"missing":          {[]string{"*** Update File: dir/d.txt", "-c", "+x"}, "There is no dir/d.txt. Near names:"},
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
			b := newBench(t, tree)
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

// A machine that fails half way leaves everything as it was.
func TestPatchTakesBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, files{"a.txt": "a\n", "b.txt": "b\n"})
	p := &plan{ctx: t.Context(), root: b.Workspace.Root(), files: map[string]*planned{}}
	sections, err := parsePatch(patchOf("*** Update File: a.txt", "-a", "+A", "*** Delete File: b.txt", "*** Add File: x/n.txt", "+n")["patch"].(string))
	require.NoError(t, err)
	for _, s := range sections {
		require.NoError(t, p.add(s))
	}
	require.NoError(t, p.judge())
	b.put(t, "x", "in the way since it was looked at\n")
	require.Error(t, p.carryOut())
	require.Equal(t, "a\n", b.get(t, "a.txt"))
	require.Equal(t, "b\n", b.get(t, "b.txt"))
}

func TestPatchMayPutAFolderWhereAFileWas(t *testing.T) {
	t.Parallel()
	b := newBench(t, files{"a": "a\n", "b": "b\n"})
	b.ok(t, "apply_patch", patchOf("*** Add File: a/b.txt", "+x", "*** Delete File: a"))
	require.Equal(t, "x\n", b.get(t, "a/b.txt"))
	b.ok(t, "apply_patch", patchOf("*** Delete File: b", "*** Add File: b", "+again"))
	require.Equal(t, "again\n", b.get(t, "b"))
}

func TestPatchOfAFileThatWasRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, files{"a.txt": "a\nb\n"})
	b.ok(t, "apply_patch", patchOf("*** Update File: a.txt", "-a", "+A"))
	require.Contains(t, b.refused(t, "edit_file", args{"path": "a.txt", "old": "b", "new": "B"}), "has to be read")
	b.ok(t, "read_file", args{"path": "a.txt"})
	b.ok(t, "apply_patch", patchOf("*** Update File: a.txt", "-A", "+AA"))
	b.ok(t, "edit_file", args{"path": "a.txt", "old": "b", "new": "B"})
	require.Equal(t, "AA\nB\n", b.get(t, "a.txt"))
}

func TestPatchKeepsTheMode(t *testing.T) {
	t.Parallel()
	b := newBench(t, files{"run.sh": "echo 1\n"})
	require.NoError(t, os.Chmod(filepath.Join(b.Workspace.Files(), "run.sh"), 0o755))
	b.ok(t, "apply_patch", patchOf("*** Update File: run.sh", "*** Move to: bin/run.sh", "-echo 1", "+echo 2"))
	info, err := os.Stat(filepath.Join(b.Workspace.Files(), "bin/run.sh"))
	require.NoError(t, err)
	require.EqualValues(t, 0o755, info.Mode().Perm())
}

// Whatever is changed in a text, the patch that says so leads from one to the other.
func TestPatchRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		before, patch, after := randomChange(r)
		got, err := patched(before, patch)
		require.NoError(t, err, patch)
		require.Equal(t, after, got, patch)
	}
}

func randomChange(r *rand.Rand) (before, patch, after string) {
	end := []string{"\n", "\r\n"}[r.IntN(2)]
	var was, is, p strings.Builder
	p.WriteString("*** Begin Patch\n*** Update File: f\n@@\n")
	changed := false
	for i, n := 0, 1+r.IntN(30); i < n || !changed; i++ {
		line := fmt.Sprintf("%sline %d", strings.Repeat("\t", r.IntN(3)), i)
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&p, "-%s\n", line)
			was.WriteString(line + end)
			changed = true
		case 1:
			fmt.Fprintf(&p, "+%s\n", line)
			is.WriteString(line + end)
			changed = true
		default:
			fmt.Fprintf(&p, " %s\n", line)
			was.WriteString(line + end)
			is.WriteString(line + end)
		}
	}
	if was.Len() == 0 || end == "\r\n" && !strings.Contains(was.String(), "\r\n") {
		return "x\n", "*** Begin Patch\n*** Update File: f\n-x\n+y\n*** End Patch", "y\n"
	}
	return was.String(), p.String() + "*** End Patch", is.String()
}

func FuzzPatch(f *testing.F) {
	f.Add("a\nb\nc\n", "*** Begin Patch\n*** Update File: f\n@@ a\n-b\n+B\n*** End of File\n*** End Patch")
	f.Add("x", "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n*** End Patch")
	f.Add("\r\n\r\n", "*** Begin Patch\n*** Update File: f\n+\n\n-\n*** End Patch")
	f.Fuzz(func(t *testing.T, text, patch string) {
		sections, err := parsePatch(patch)
		if err != nil {
			var w wrong
			require.ErrorAs(t, err, &w)
			return
		}
		for _, s := range sections {
			require.NotEmpty(t, s.path)
			out, err := applyHunks(text, s.hunks)
			if err != nil {
				var w wrong
				require.ErrorAs(t, err, &w)
				continue
			}
			added, removed := 0, 0
			for _, h := range s.hunks {
				for _, l := range h.lines {
					switch l.op {
					case '+':
						added++
					case '-':
						removed++
					}
				}
			}
			require.Equal(t, len(splitLines(text))+added-removed, len(splitLines(out)), "lines were lost or made")
		}
	})
}
