package git

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func (w *Workspace) hunks(t testing.TB) []diff.Hunk {
	t.Helper()
	hs, err := w.ListHunks(ctx0())
	require.NoError(t, err)
	return hs
}

func (w *Workspace) hunkList(t testing.TB) []string {
	t.Helper()
	out := []string{}
	for _, h := range w.hunks(t) {
		out = append(out, h.String())
	}
	return out
}

// manyChanges returns a workspace with a hunk of every kind.
func manyChanges(t testing.TB) *Workspace {
	o := remotetest.NewOrigin(t)
	o.Commit("ground", files{
		"ten": lined(1, 10, nil), "bin": "\x00\x01", "run*": "#!\necho\n", "link": "->ten", "turned": "t\n", "bye": "b\n", "tool": "\x00", "dir/a": "a\n",
	})
	w := workspaceOf(t, o)
	w.put(t, files{
		"ten": lined(1, 10, map[int]string{2: "two\n", 4: "", 9: "nine\nand more\n"}), "bin": "\x00\x02", "run": "#!\necho hi\n",
		"link": "->bin", "turned": "->bin", "bye": "", "tool*": "\x00", "dir/a": "", "dir": "flat", "new": "n\n", "none": "empty",
	})
	return w
}

func TestHunksOfEveryKind(t *testing.T) {
	t.Parallel()
	w := manyChanges(t)
	require.Equal(t, []string{
		"1 binary bin +0 -0",
		"2 deleted bye +0 -1",
		"3 added dir +1 -0",
		"4 deleted dir/a +0 -1",
		"5 modified link (symlink) lines 1-1 +1 -1",
		"6 added new +1 -0",
		"7 added none +0 -0",
		"8 mode run (no longer executable) +0 -0",
		"9 modified run lines 1-2 +1 -1",
		"10 modified ten lines 1-3 +1 -1",
		"11 modified ten lines 3-6 +0 -1",
		"12 modified ten lines 5-10 +2 -1",
		"13 mode tool (now executable) +0 -0",
		"14 modified turned (file is now a symlink) lines 1-1 +1 -1",
	}, w.hunkList(t))
	hs := w.hunks(t)
	require.Equal(t, []int{2, 4, 8, 0, 0}, []int{hs[9].Line(), hs[10].Line(), hs[11].Line(), hs[5].Line(), hs[7].Line()})
	require.Equal(t, "@@ -1,3 +1,3 @@\n line 1\n-line 2\n+two\n line 3\n", hs[9].Text)
	require.Equal(t, "@@ -3,5 +3,4 @@\n line 3\n-line 4\n line 5\n line 6\n line 7\n", hs[10].Text)
	require.Equal(t, "@@ -6,5 +5,6 @@\n line 6\n line 7\n line 8\n-line 9\n+nine\n+and more\n line 10\n", hs[11].Text)
	require.Equal(t, "@@ -1,1 +0,0 @@\n-b\n", hs[1].Text)
	require.Equal(t, "@@ -0,0 +1,1 @@\n+flat\n\\ No newline at end of file\n", hs[2].Text)
	require.Equal(t, "@@ -1,1 +1,1 @@\n-t\n+bin\n\\ No newline at end of file\n", hs[13].Text)
}

func TestTakeOutOfEachHunk(t *testing.T) {
	t.Parallel()
	first := manyChanges(t)
	for i, h := range first.hunks(t) {
		t.Run(h.String(), func(t *testing.T) {
			t.Parallel()
			w := manyChanges(t)
			before, stands := w.hunks(t), w.treeNow(t)
			without, refusal := w.Without(ctx0(), []int{h.Number})
			require.Equal(t, stands, w.treeNow(t), "nothing is written by looking")
			took, err := w.TakeOut(ctx0(), []int{h.Number})
			require.Equal(t, err, refusal)
			if h.Path == "dir/a" { // a file named dir is in its place
				var refused *gittree.PathError
				require.ErrorAs(t, err, &refused)
				require.Contains(t, err.Error(), "take out the hunks of both")
				require.Equal(t, before, w.hunks(t))
				took, err = w.TakeOut(ctx0(), []int{3, 4})
				require.NoError(t, err)
				require.Len(t, took, 2)
				require.Len(t, w.hunks(t), len(before)-2)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []diff.Hunk{h}, took)
			require.Len(t, without, 1)
			if without[0].Gone {
				require.NoFileExists(t, filepath.Join(w.Files(), h.Path))
			} else if h.Path != "link" {
				stands, err := os.ReadFile(filepath.Join(w.Files(), h.Path))
				require.NoError(t, err)
				require.Equal(t, string(stands), string(without[0].Content))
			}
			want := append(append([]diff.Hunk{}, before[:i]...), before[i+1:]...)
			require.Equal(t, contentOf(want), contentOf(w.hunks(t)))
		})
	}
}

// contentOf returns the parts of hunks that stay the same when other hunks are taken out: not the
// number, the position or the context lines.
func contentOf(hs []diff.Hunk) []string {
	out := []string{}
	for _, h := range hs {
		var changed []string
		for line := range strings.Lines(h.Text) {
			if line[0] != ' ' && line[0] != '@' {
				changed = append(changed, line)
			}
		}
		out = append(out, fmt.Sprintf("%s %s %q %q", h.Kind, h.Path, h.Mode, changed))
	}
	return out
}

func TestTakeOutAllNoneAndUnknown(t *testing.T) {
	t.Parallel()
	w := manyChanges(t)
	before := w.treeNow(t)
	for _, numbers := range [][]int{nil, {0}, {15}, {-1}, {1, 99}} {
		took, err := w.TakeOut(ctx0(), numbers)
		require.Empty(t, took)
		if numbers == nil {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, errNoHunk)
		}
		require.Equal(t, before, w.treeNow(t))
	}
	all := []int{}
	for _, h := range w.hunks(t) {
		all = append(all, h.Number, h.Number) // a number given twice counts once
	}
	took, err := w.TakeOut(ctx0(), all)
	require.NoError(t, err)
	require.Len(t, took, 14)
	require.Empty(t, w.list(t))
	require.NoFileExists(t, filepath.Join(w.Files(), "none"))
}

func TestTakeOutLeavesTheRestByteForByte(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	o.Commit("ground", files{"dos": "one\r\ntwo\r\nthree\r\nfour", "kept": "k\n", ".gitignore": "*.log\n"})
	w := workspaceOf(t, o)
	w.put(t, files{"dos": "ONE\r\ntwo\r\nthree\r\nFOUR\r\n", "deep/er/new": "n\n", "deep/x.log": "ignored\n"})
	require.Equal(t, []string{"1 added deep/er/new +1 -0", "2 modified dos lines 1-3 +1 -1", "3 modified dos lines 2-4 +1 -1"}, w.hunkList(t))
	_, err := w.TakeOut(ctx0(), []int{1, 3})
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(w.Files(), "dos"))
	require.NoError(t, err)
	require.Equal(t, "ONE\r\ntwo\r\nthree\r\nfour", string(b))
	require.NoDirExists(t, filepath.Join(w.Files(), "deep", "er"))
	require.FileExists(t, filepath.Join(w.Files(), "deep", "x.log"))
}

// A large file and a file whose name no commit may hold cannot be committed, but they can be taken out.
func TestTakeOutOfWhatCannotBeCommitted(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.write(t, `a\..\b`, "hostile\n")
	w.write(t, "huge", "x")
	require.NoError(t, os.Truncate(filepath.Join(w.Files(), "huge"), gittree.MaxFile+1))
	w.write(t, "main.go", "package main\n")
	hs := w.hunks(t)
	require.Len(t, hs, 3)
	_, err := w.TakeOut(ctx0(), []int{1, 2})
	require.NoError(t, err)
	require.Equal(t, []string{"modified main.go +0 -2"}, w.list(t))
}

// After random edits, the hunks that are taken out are gone, and the others are unchanged.
func TestTakeOutOfSome(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	o := remotetest.NewOrigin(t)
	ground := files{}
	for i := range 4 {
		var text strings.Builder
		for j := range 40 {
			fmt.Fprintf(&text, "file %d line %d\n", i, j)
		}
		ground[fmt.Sprint("f", i)] = text.String()
	}
	o.Commit("ground", ground)
	w := workspaceOf(t, o)
	for round := range 12 {
		for name, text := range ground {
			w.write(t, name, remotetest.ScribbleLines(rnd, diff.SplitLines([]byte(text)), fmt.Sprint(name, round), 8))
		}
		before := w.hunks(t)
		var numbers []int
		var stay []diff.Hunk
		for _, h := range before {
			if rnd.IntN(2) == 0 {
				numbers = append(numbers, h.Number)
			} else {
				stay = append(stay, h)
			}
		}
		took, err := w.TakeOut(ctx0(), numbers)
		require.NoError(t, err)
		require.Len(t, took, len(numbers))
		require.Equal(t, contentOf(stay), contentOf(w.hunks(t)))
		numbers = nil
		for _, h := range w.hunks(t) {
			numbers = append(numbers, h.Number)
		}
		_, err = w.TakeOut(ctx0(), numbers)
		require.NoError(t, err)
		require.Empty(t, w.list(t))
	}
}

// When a write fails in the middle of a swap, the earlier writes are undone.
func TestReplaceIsAllOrNothing(t *testing.T) {
	t.Parallel()
	w := manyChanges(t)
	before := w.treeNow(t)
	blob, err := w.Store.Put(plumbing.BlobObject, []byte("other\n"))
	require.NoError(t, err)
	at := func(path string) gittree.Node {
		n, err := gittree.FindNode(w.Store, plumbing.NewHash(before), path)
		require.NoError(t, err)
		return n
	}
	other := gittree.Node{Mode: filemode.Regular, Hash: blob}
	swaps := []gittree.Swap{
		{Path: "dir", Is: at("dir")},
		{Path: "dir/a", Want: other},
		{Path: "link", Is: at("link"), Want: other},
		{Path: "new", Is: at("new"), Want: other},
		{Path: "run", Is: at("run")},
		{Path: "fresh/x", Want: other},
	}
	bad := gittree.Swap{Path: "zzz", Want: gittree.Node{Mode: filemode.Regular, Hash: plumbing.NewHash(strings.Repeat("1", 40))}}
	require.Error(t, w.SwapFiles(ctx0(), append(swaps, bad)))
	require.Equal(t, before, w.treeNow(t))
	require.NoDirExists(t, filepath.Join(w.Files(), "fresh"))
	require.NoFileExists(t, filepath.Join(w.Files(), "zzz"))
	require.NoError(t, w.SwapFiles(ctx0(), swaps), "the control: without the bad one")
	require.NotEqual(t, before, w.treeNow(t))
}
