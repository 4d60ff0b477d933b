package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const cart = `package cart

func Total(items []Item) int {
	sum := 0
	for _, it := range items {
		sum += it.Price
	}
	return sum
}

func Count(items []Item) int {
	sum := 0
	return sum
}
`

func cartBench(t testing.TB) *Env {
	b := newEnv(t, files{"cart.go": cart, "dos.txt": "one\r\ntwo\r\nthree\r\n"})
	b.ok(t, "read_file", args{"path": "cart.go"})
	b.ok(t, "read_file", args{"path": "dos.txt"})
	return b
}

func TestEditFile(t *testing.T) {
	t.Parallel()
	b := cartBench(t)
	var edits atomic.Int32
	b.Edited = func() { edits.Add(1) }
	require.Equal(t, "cart.go: 1 place changed\n@@ -3,7 +3,7 @@\n func Total(items []Item) int {\n"+
		" \tsum := 0\n \tfor _, it := range items {\n"+
		"-\t\tsum += it.Price\n+\t\tsum += it.Price * it.Quantity\n \t}\n \treturn sum\n }\n",
		b.ok(t, "edit_file", args{"path": "cart.go", "old": "it.Price", "new": "it.Price * it.Quantity"}))
	require.Equal(t, strings.Replace(cart, "it.Price", "it.Price * it.Quantity", 1), b.get(t, "cart.go"))
	b.ok(t, "edit_file", args{"path": "cart.go", "old": "sum", "new": "total", "all": true})
	require.NotContains(t, b.get(t, "cart.go"), "sum")
	require.EqualValues(t, 2, edits.Load())
	info, err := os.Stat(filepath.Join(b.Workspace.Files(), "cart.go"))
	require.NoError(t, err)
	require.EqualValues(t, 0o644, info.Mode().Perm())
}

func TestEditFileSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		old, new string
		says     []string
	}{
		{"empty", "", "x", []string{"old is empty"}},
		{"same", "sum", "sum", []string{"nothing to change"}},
		{"often", "sum := 0", "sum := 1", []string{"2 times, on lines 4, 12", "set all"}},
		{
			"other spaces",
			"func Total(items []Item) int {\n    sum := 0\n    for",
			"x",
			[]string{"cart.go, so nothing was changed", "nearest lines", "3\tfunc Total(items []Item) int {"},
		},
		{
			"other indentation",
			"    sum := 0\n    return sum",
			"x",
			[]string{"differ from it only in spaces", "12\t\tsum := 0"},
		},
		{"line numbers", "4\t\tsum := 0", "x", []string{"line numbers that read_file shows"}},
		{"a little off", "\t\tsum += item.Price", "x", []string{"nearest lines", "6\t\t\tsum += it.Price"}},
		{"not there", "SELECT * FROM users", "x", []string{"Nothing in the file looks like it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := cartBench(t)
			text := b.refused(t, "edit_file", args{"path": "cart.go", "old": c.old, "new": c.new})
			for _, s := range c.says {
				require.Contains(t, text, s)
			}
			require.Equal(t, cart, b.get(t, "cart.go"))
		})
	}
}

func TestEditNeedsARead(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\n"})
	edit := args{"path": "a.txt", "old": "one", "new": "two"}
	require.Contains(t, b.refused(t, "edit_file", edit), "a.txt has to be read before it is changed")
	require.Contains(t, b.refused(t, "write_file", args{"path": "a.txt", "content": "x"}), "has to be read")
	b.ok(t, "read_file", args{"path": "a.txt"})
	b.put(t, "a.txt", "one more\n")
	require.Contains(t, b.refused(t, "edit_file", edit), "a.txt has changed since it was read")
	require.Equal(t, "one more\n", b.get(t, "a.txt"))
	b.ok(t, "read_file", args{"path": "./a.txt"})
	b.ok(t, "edit_file", edit)
	b.ok(t, "edit_file", args{"path": "a.txt", "old": "two", "new": "three"})
	require.Equal(t, "three more\n", b.get(t, "a.txt"))
}

func TestSecondMissForcesARead(t *testing.T) {
	t.Parallel()
	b := cartBench(t)
	miss := args{"path": "cart.go", "old": "no such line", "new": "x"}
	require.NotContains(t, b.refused(t, "edit_file", miss), "second miss")
	require.Contains(t, b.refused(t, "edit_file", miss), "second miss")
	require.Contains(t, b.refused(t, "edit_file", args{"path": "cart.go", "old": "it.Price", "new": "x"}),
		"has to be read")
	b.ok(t, "read_file", args{"path": "cart.go"})
	b.ok(t, "edit_file", args{"path": "cart.go", "old": "it.Price", "new": "x"})
}

func TestEditKeepsBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, old, new, after string }{
		{"CRLF", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "one\n1.5\ntwo", "one\r\n1.5\r\ntwo\r\nthree\r\n"},
		{"CRLF in one line", "one\r\ntwo\r\n", "one", "one\nand a half", "one\r\nand a half\r\ntwo\r\n"},
		{"mixed line ends", "a\r\nb\nc\r\nd\r\n", "b\nc\nd", "b\nC\nd", "a\r\nb\r\nC\r\nd\r\n"},
		{"a CRLF at the beginning", "a\r\nb\r\n", "\nb", "\nB", "a\r\nB\r\n"},
		{"a lone CRLF", "one\ntwo\r\nthree\nfour\n", "three", "3\n3", "one\ntwo\r\n3\n3\nfour\n"},
		{"no line end", "one\ntwo", "two", "2", "one\n2"},
		{"not UTF-8", "caf\xe9\nplain\n\xff\xfe", "plain", "simple", "caf\xe9\nsimple\n\xff\xfe"},
		{"BOM", "\ufeffone\n", "one", "two", "\ufefftwo\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newEnv(t, files{"seed": ""})
			b.put(t, "f.txt", c.before)
			b.ok(t, "read_file", args{"path": "f.txt"})
			b.ok(t, "edit_file", args{"path": "f.txt", "old": c.old, "new": c.new})
			require.Equal(t, c.after, b.get(t, "f.txt"))
		})
	}
}

func TestEditKeepsModeAndOtherNames(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"run.sh": "#!/bin/sh\necho 1\n"})
	p := filepath.Join(b.Workspace.Files(), "run.sh")
	require.NoError(t, os.Chmod(p, 0o755))
	outside := filepath.Join(t.TempDir(), "hard")
	require.NoError(t, os.Link(p, outside))
	require.NoError(t, os.Symlink("run.sh", filepath.Join(b.Workspace.Files(), "link.sh")))
	require.Contains(t, b.ok(t, "read_file", args{"path": "link.sh"}), "run.sh, lines")
	b.ok(t, "edit_file", args{"path": "link.sh", "old": "1", "new": "2"})
	info, err := os.Lstat(p)
	require.NoError(t, err)
	require.EqualValues(t, 0o755, info.Mode().Perm())
	require.Equal(t, "#!/bin/sh\necho 2\n", b.get(t, "run.sh"))
	data, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "#!/bin/sh\necho 1\n", string(data), "a hard link outside was written to")
	entries, err := os.ReadDir(b.Workspace.Files())
	require.NoError(t, err)
	require.Len(t, entries, 2, "something was left behind")
}

func TestWrittenFilesBelongToTheWorkspacesOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	b := newEnv(t, files{"a.txt": "a\n"})
	require.NoError(t, os.Chown(b.Workspace.Files(), 65534, 65534))
	b.ok(t, "write_file", args{"path": "new/deep/f.txt", "content": "x\n"})
	for _, p := range []string{"new", "new/deep", "new/deep/f.txt"} {
		info, err := os.Lstat(filepath.Join(b.Workspace.Files(), p))
		require.NoError(t, err)
		st := info.Sys().(*syscall.Stat_t)
		require.Equal(t, []uint32{65534, 65534}, []uint32{st.Uid, st.Gid})
	}
}

func TestEditReportsBrokenSyntax(t *testing.T) {
	t.Parallel()
	b := cartBench(t)
	require.Contains(t, b.ok(t, "edit_file", args{
		"path": "cart.go",
		"old":  "\treturn sum\n}\n\nfunc",
		"new":  "\treturn sum\n\nfunc",
	}), "does not parse:\ncart.go:")
	require.Contains(t, b.ok(t, "write_file", args{"path": "a.json", "content": `{"a": }`}), "not valid JSON")
	require.NotContains(t, b.ok(t, "write_file", args{"path": "b.json", "content": `{"a": 1}`}), "JSON")
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	b := cartBench(t)
	require.Equal(t, "deep/er/new.txt written: new, 2 lines\n",
		b.ok(t, "write_file", args{"path": "deep/er/new.txt", "content": "a\nb"}))
	require.Equal(t, "a\nb", b.get(t, "deep/er/new.txt"))
	b.ok(t, "edit_file", args{"path": "deep/er/new.txt", "old": "b", "new": "c"})
	require.Contains(t,
		b.ok(t, "write_file", args{"path": "dos.txt", "content": "one\n2\nthree\n"}), "-two\n+2\n")
	require.Equal(t, "one\r\n2\r\nthree\r\n", b.get(t, "dos.txt"))
	require.Contains(t, b.ok(t, "write_file", args{"path": "dos.txt", "content": "one\n2\nthree\n"}),
		"holds just that already")
	require.Contains(t, b.refused(t, "write_file", args{"path": "deep", "content": "x"}), "folder")
	_, err := b.writeFile(t.Context(), writeArgs{
		Path:    "big",
		Content: strings.Repeat("x", workfile.MaxWrite+1),
	})
	require.ErrorContains(t, err, "too much for one file")
	require.Contains(t, b.refused(t, "write_file", args{"path": "nul", "content": "a\x00"}), "NUL")
}

func TestNothingIsWrittenBeforeItIsAllowed(t *testing.T) {
	t.Parallel()
	b := cartBench(t)
	allowed := false
	b.MayWrite = func() error {
		if allowed {
			return nil
		}
		return fmt.Errorf("nobody has approved the report yet: report the root cause and wait")
	}
	b.Edited = func() { require.True(t, allowed) }
	for name, in := range map[string]args{
		"edit_file":   {"path": "cart.go", "old": "it.Price", "new": "x"},
		"write_file":  {"path": "new.txt", "content": "x"},
		"apply_patch": {"patch": "*** Begin Patch\n*** Delete File: cart.go\n*** End Patch"},
	} {
		require.Equal(t, "nobody has approved the report yet: report the root cause and wait",
			b.refused(t, name, in))
	}
	require.Equal(t, cart, b.get(t, "cart.go"))
	allowed = true
	b.ok(t, "edit_file", args{"path": "cart.go", "old": "it.Price", "new": "x"})
}

func TestEditsAtTheSameTimeAreAllKept(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "line-%02d\n", i)
	}
	b := newEnv(t, files{"f.txt": text.String()})
	b.ok(t, "read_file", args{"path": "f.txt"})
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			_, err := b.try(t.Context(), "edit_file",
				args{"path": "f.txt", "old": fmt.Sprintf("line-%02d", i), "new": fmt.Sprintf("done-%02d", i)})
			if err != nil {
				t.Error(err)
			}
			_, _ = b.try(t.Context(), "read_file", args{"path": "f.txt"})
		})
	}
	group.Wait()
	require.Equal(t, strings.ReplaceAll(text.String(), "line", "done"), b.get(t, "f.txt"))
}
