package patch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

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
	sections, err := Parse(patch)
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
		_, err := Parse(c.patch)
		var w model.Mistake
		require.True(t, errors.As(err, &w))
		require.Contains(t, string(w), c.says)
	}
}

func TestPatchFence(t *testing.T) {
	t.Parallel()
	sections, err := Parse("Here it is:\n```\n*** Begin Patch\n\n*** Add File: a\n+x\n\n*** End Patch\n```\n")
	require.NoError(t, err)
	require.Equal(t, []Section{{kind: addFile, Path: "a", added: []string{"x"}}}, sections)
}

// A failure half way leaves all files as they were.
func TestPatchTakesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("b\n"), 0o644))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	p := &plan{ctx: t.Context(), root: root, files: map[string]*planned{}}
	sections, err := Parse("*** Begin Patch\n*** Update File: a.txt\n-a\n+A\n*** Delete File: b.txt\n*** Add File: x/n.txt\n+n\n*** End Patch\n")
	require.NoError(t, err)
	for _, s := range sections {
		require.NoError(t, p.add(s))
	}
	require.NoError(t, p.judge())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte("in the way since it was looked at\n"), 0o644))
	require.Error(t, p.carryOut())
	for name, want := range map[string]string{"a.txt": "a\n", "b.txt": "b\n"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, string(data))
	}
}

// For any change of a text, the patch that describes it turns the old text into the new one.
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
		sections, err := Parse(patch)
		if err != nil {
			var w model.Mistake
			require.ErrorAs(t, err, &w)
			return
		}
		for _, s := range sections {
			require.NotEmpty(t, s.Path)
			out, err := applyHunks(text, s.hunks)
			if err != nil {
				var w model.Mistake
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
