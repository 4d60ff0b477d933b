package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/merge"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// put writes files in the notation of remotetest.Origin.Commit: "" removes a file, "->x" makes a link
// to x, and a name that ends in * is executable. "empty" makes an empty file.
func (w *Workspace) put(t testing.TB, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if content == "" {
			require.NoError(t, os.RemoveAll(filepath.Join(w.Files(), strings.TrimSuffix(name, "*"))))
		}
	}
	for name, content := range files {
		if content == "" {
			continue
		}
		name, executable := strings.CutSuffix(name, "*")
		full := filepath.Join(w.Files(), name)
		require.NoError(t, os.RemoveAll(full))
		if target, link := strings.CutPrefix(content, "->"); link {
			require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
			require.NoError(t, os.Symlink(target, full))
			continue
		}
		w.write(t, name, strings.TrimPrefix(content, "empty"))
		if executable {
			require.NoError(t, os.Chmod(full, 0o755))
		}
	}
}

func (w *Workspace) treeNow(t testing.TB) string {
	t.Helper()
	h, err := w.Tree(ctx0())
	require.NoError(t, err)
	return h
}

func lined(from, to int, changes map[int]string) string {
	var out strings.Builder
	for i := from; i <= to; i++ {
		if line, ok := changes[i]; ok {
			out.WriteString(line)
			continue
		}
		fmt.Fprintf(&out, "line %d\n", i)
	}
	return out.String()
}

type files = map[string]string

// mergeCases holds what each side changes from the base, and the outcome: either the files that then
// differ from ours, or the conflicts.
var mergeCases = map[string]struct {
	base, ours, theirs, want files
	conflicts                []string
}{
	"nothing on either side": {},
	"only theirs":            {theirs: files{"ten": lined(1, 10, map[int]string{5: "five\n"})}, want: files{"ten": lined(1, 10, map[int]string{5: "five\n"})}},
	"only ours":              {ours: files{"ten": "mine\n"}, want: files{"ten": "mine\n"}},
	"far apart in one file": {
		ours:   files{"ten": lined(1, 10, map[int]string{2: "two\n"})},
		theirs: files{"ten": lined(1, 10, map[int]string{8: "eight\nand a half\n"})},
		want:   files{"ten": lined(1, 10, map[int]string{2: "two\n", 8: "eight\nand a half\n"})},
	},
	"one line between": {
		ours:   files{"ten": lined(1, 10, map[int]string{4: "four\n"})},
		theirs: files{"ten": lined(1, 10, map[int]string{6: ""})},
		want:   files{"ten": lined(1, 10, map[int]string{4: "four\n", 6: ""})},
	},
	"neighbouring lines": {
		ours:      files{"ten": lined(1, 10, map[int]string{4: "four\n"})},
		theirs:    files{"ten": lined(1, 10, map[int]string{5: "five\n"})},
		conflicts: []string{"ten: both changed lines 4-5"},
	},
	"the same line": {
		ours:      files{"ten": lined(1, 10, map[int]string{1: "", 4: "four\n"})},
		theirs:    files{"ten": lined(1, 10, map[int]string{4: "vier\n"})},
		conflicts: []string{"ten: both changed line 3"},
	},
	"removed and changed": {
		ours:      files{"ten": lined(1, 10, map[int]string{4: "", 5: ""})},
		theirs:    files{"ten": lined(1, 10, map[int]string{5: "five\n"})},
		conflicts: []string{"ten: both changed lines, gone here, after line 3"},
	},
	"the same edit, and one more of theirs": {
		ours:   files{"ten": lined(1, 10, map[int]string{4: "four\n"})},
		theirs: files{"ten": lined(1, 10, map[int]string{4: "four\n", 9: "nine\n"})},
		want:   files{"ten": lined(1, 10, map[int]string{4: "four\n", 9: "nine\n"})},
	},
	"two places at odds and one not": {
		ours:      files{"ten": lined(1, 10, map[int]string{1: "one\n", 5: "five\n", 9: "nine\n"})},
		theirs:    files{"ten": lined(1, 10, map[int]string{1: "eins\n", 5: "five\n", 9: "neun\n"})},
		conflicts: []string{"ten: both changed line 1", "ten: both changed line 9"},
	},
	"both appended": {
		ours:      files{"ten": lined(1, 10, nil) + "mine\n"},
		theirs:    files{"ten": lined(1, 10, nil) + "yours\n"},
		conflicts: []string{"ten: both changed line 11"},
	},
	"line ends of Windows stay": {
		base:   files{"dos": "a\r\nb\r\nc\r\nd\r\n"},
		ours:   files{"dos": "A\r\nb\r\nc\r\nd\r\n"},
		theirs: files{"dos": "a\r\nb\r\nc\r\nD\r\n"},
		want:   files{"dos": "A\r\nb\r\nc\r\nD\r\n"},
	},
	"a line end changed and the line too": {
		base:      files{"dos": "a\r\nb\r\n"},
		ours:      files{"dos": "a\nb\r\n"},
		theirs:    files{"dos": "A\r\nb\r\n"},
		conflicts: []string{"dos: both changed line 1"},
	},
	"no end of the last line": {
		base:   files{"f": "a\nb\nc"},
		ours:   files{"f": "A\nb\nc"},
		theirs: files{"f": "a\nb\nc\nd"},
		want:   files{"f": "A\nb\nc\nd"},
	},
	"both ended the last line, one went on": {
		base:      files{"f": "a\nb"},
		ours:      files{"f": "a\nb\n"},
		theirs:    files{"f": "a\nb\nc\n"},
		conflicts: []string{"f: both changed line 2"},
	},
	"added alike":  {ours: files{"new": "x\n"}, theirs: files{"new": "x\n"}, want: files{"new": "x\n"}},
	"added unlike": {ours: files{"new": "x\n"}, theirs: files{"new": "y\n"}, conflicts: []string{"new: both added it, with different content"}},
	"added, one executable": {
		ours: files{"new": "x\n"}, theirs: files{"new*": "x\n"},
		conflicts: []string{"new: mode: both added it, here as file, there as executable"},
	},
	"deleted by both": {ours: files{"ten": ""}, theirs: files{"ten": ""}, want: files{"ten": ""}},
	"deleted there":   {theirs: files{"ten": ""}, want: files{"ten": ""}},
	"deleted here, changed there": {
		ours: files{"ten": ""}, theirs: files{"ten": "x\n"},
		conflicts: []string{"ten: deleted on one side: here it is gone, there it was changed"},
	},
	"changed here, deleted there": {
		ours: files{"ten": "x\n"}, theirs: files{"ten": ""},
		conflicts: []string{"ten: deleted on one side: there it is gone, here it was changed"},
	},
	"renamed there":   {theirs: files{"ten": "", "zehn": lined(1, 10, nil)}, want: files{"ten": "", "zehn": lined(1, 10, nil)}},
	"renamed by both": {ours: files{"ten": "", "zehn": "z\n"}, theirs: files{"ten": "", "zehn": "z\n"}, want: files{"ten": "", "zehn": "z\n"}},
	"binary there":    {theirs: files{"bin": "\x00\x02"}, want: files{"bin": "\x00\x02"}},
	"binary on both":  {ours: files{"bin": "\x00\x03"}, theirs: files{"bin": "\x00\x02"}, conflicts: []string{"bin: binary: both changed it"}},
	"executable there, changed here": {
		ours: files{"ten": lined(1, 10, map[int]string{1: "one\n"})}, theirs: files{"ten*": lined(1, 10, map[int]string{9: "nine\n"})},
		want: files{"ten*": lined(1, 10, map[int]string{1: "one\n", 9: "nine\n"})},
	},
	"executable here, changed there": {
		ours: files{"ten*": lined(1, 10, nil)}, theirs: files{"ten": "x\n"}, want: files{"ten*": "x\n"},
	},
	"no longer executable there": {theirs: files{"run": "#!\n"}, want: files{"run": "#!\n"}},
	"link turned there":          {theirs: files{"link": "->bin"}, want: files{"link": "->bin"}},
	"link turned by both":        {ours: files{"link": "->run"}, theirs: files{"link": "->bin"}, conflicts: []string{"link: both changed the link"}},
	"link turned alike":          {ours: files{"link": "->bin"}, theirs: files{"link": "->bin"}, want: files{"link": "->bin"}},
	"a file became a link there": {theirs: files{"ten": "->bin"}, want: files{"ten": "->bin"}},
	"a file became a link there, changed here": {
		ours: files{"ten": "x\n"}, theirs: files{"ten": "->bin"}, conflicts: []string{"ten: mode: here a file, there a symlink"},
	},
	"a folder became a file there": {theirs: files{"dir/a": "", "dir/b": "", "dir": "flat\n"}, want: files{"dir/a": "", "dir/b": "", "dir": "flat\n"}},
	"a file became a folder there": {theirs: files{"ten": "", "ten/x": "x\n"}, want: files{"ten": "", "ten/x": "x\n"}},
	"a folder became a file there, grew here": {
		ours: files{"dir/c": "c\n"}, theirs: files{"dir/a": "", "dir/b": "", "dir": "flat\n"},
		conflicts: []string{"dir: file and folder: a file on one side, and on the other the folder of dir/c"},
	},
	"a file here, a folder there": {
		ours: files{"new": "x\n"}, theirs: files{"new/x/y": "y\n"},
		conflicts: []string{"new: file and folder: a file on one side, and on the other the folder of new/x/y"},
	},
	"a link here, a folder there": {
		ours: files{"new": "->/etc"}, theirs: files{"new/passwd": "y\n"},
		conflicts: []string{"new: file and folder: a file on one side, and on the other the folder of new/passwd"},
	},
	"an empty file there":  {theirs: files{"none": "empty"}, want: files{"none": "empty"}},
	"an empty file filled": {base: files{"none": "empty"}, theirs: files{"none": "x\n"}, want: files{"none": "x\n"}},
	"an empty file filled by both": {
		base: files{"none": "empty"}, ours: files{"none": "x\n"}, theirs: files{"none": "y\n"},
		conflicts: []string{"none: both changed line 1"},
	},
	"emptied there, changed here": {
		ours: files{"ten": lined(1, 10, map[int]string{1: "one\n"})}, theirs: files{"ten": "empty"},
		conflicts: []string{"ten: both changed lines 1-10"},
	},
	"one file at odds keeps all back": {
		ours: files{"ten": "x\n"}, theirs: files{"ten": "y\n", "dir/a": "new\n", "fresh": "f\n"},
		conflicts: []string{"ten: both changed line 1"},
	},
	"odd names": {theirs: files{"new\nline": "x\n", "caf\xe9/-rf": "x\n"}, want: files{"new\nline": "x\n", "caf\xe9/-rf": "x\n"}},
}

// mergeGround holds the files that every case starts from.
var mergeGround = files{
	"ten": lined(1, 10, nil), "bin": "\x00\x01", "run*": "#!\n", "link": "->ten", "dir/a": "a\n", "dir/b": "b\n",
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for name, c := range mergeCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := remotetest.NewOrigin(t)
			o.Commit("ground", mergeGround)
			m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
			w, theirs := workspaceAt(t, m), workspaceAt(t, m)
			w.put(t, c.base)
			theirs.put(t, c.base)
			base := w.treeNow(t)
			w.put(t, c.ours)
			theirs.put(t, c.theirs)
			before := w.treeNow(t)

			conflicts, err := w.Merge(ctx0(), theirs, base, theirs.treeNow(t))
			require.NoError(t, err)
			var said []string
			for _, c := range conflicts {
				said = append(said, c.String())
			}
			require.Equal(t, c.conflicts, said)
			after := w.treeNow(t)
			if len(conflicts) > 0 {
				require.Equal(t, before, after, "a merge with conflicts changes nothing")
				return
			}
			require.NoError(t, theirs.Restore(ctx0(), "")) // the expected result, written without a merge
			theirs.put(t, c.base)
			theirs.put(t, c.ours)
			theirs.put(t, c.want)
			require.Equal(t, theirs.treeNow(t), after)

			again, err := w.Merge(ctx0(), nil, base, after)
			require.NoError(t, err)
			require.Empty(t, again)
			require.Equal(t, after, w.treeNow(t), "what is merged already merges again")
		})
	}
}

func TestConflictsShowTheThreeSides(t *testing.T) {
	t.Parallel()
	base := lined(1, 100, nil)
	ours := lined(1, 100, map[int]string{50: "fifty\n"})
	theirs := lined(1, 100, map[int]string{50: "f\xfcnfzig\n"})
	_, conflicts := merge.Texts([]byte(base), []byte(ours), []byte(theirs))
	require.Equal(t, []merge.Conflict{{Why: "both changed line 50", Ours: "fifty\n", Base: "line 50\n", Theirs: "f\uFFFDnfzig\n"}}, conflicts)

	require.Equal(t, "a\nb", merge.Excerpt([]string{"a\n", "b"}))
	require.Equal(t, lined(1, 40, nil)+"… 60 more lines", merge.Excerpt(diff.SplitLines([]byte(base))))
	require.Less(t, len(merge.Excerpt([]string{strings.Repeat("x", 1<<20)})), merge.ExcerptBytes+100)
}

func TestMergeRunsOverNothingThatIsIgnored(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	o.Commit("ground", files{".gitignore": "*.out\n/made\n", "dir/a": "a\n"})
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	w := workspaceAt(t, m)
	w.put(t, files{"x.out": "mine\n", "same.out": "same\n", "dir/k.out": "mine\n", "made": "->/etc"})
	base := w.Base()
	o.Commit("theirs", files{"x.out": "theirs\n", "same.out": "same\n", "dir/a": "", "made/b": "b\n"})
	theirs := o.Commit("theirs too", files{"dir": "flat\n"})
	require.NoError(t, m.Fetch(ctx0()))
	conflicts, err := w.Merge(ctx0(), nil, base, theirs)
	require.NoError(t, err)
	require.Len(t, conflicts, 3)
	for i, at := range []string{"dir: in the way: dir/k.out", "made/b: in the way: made is here", "x.out: in the way: x.out"} {
		require.Contains(t, conflicts[i].String(), at)
	}
	require.Empty(t, w.list(t))
	w.put(t, files{"x.out": "", "dir/k.out": "", "made": ""})
	conflicts, err = w.Merge(ctx0(), nil, base, theirs)
	require.NoError(t, err)
	require.Empty(t, conflicts, "the control: nothing in the way")
	require.FileExists(t, filepath.Join(w.Files(), "made", "b"))
}

func TestMergeSaysWhatItCannotRead(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	for _, name := range []string{"", "main", strings.Repeat("1", 40)} {
		_, err := w.Merge(ctx0(), nil, w.Base(), name)
		require.Error(t, err)
		_, err = w.Merge(ctx0(), nil, name, w.Base())
		require.Error(t, err)
	}
	other := workspaceOf(t, remotetest.NewShop(t))
	_, err := w.Merge(ctx0(), other, other.Base(), other.Base())
	require.ErrorContains(t, err, "another repository")
}

func TestMergeOfAHostileTreeIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".git", "..", `..\x`, "git~1", "fine"} {
		o := remotetest.NewShop(t)
		m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
		w := workspaceAt(t, m)
		blob := o.RawObject(plumbing.BlobObject, []byte("owned\n"))
		theirs := o.RawCommit(o.RawTree(remotetest.RawLine{Mode: filemode.Dir, Name: name, Hash: o.RawTree(remotetest.RawLine{Mode: filemode.Executable, Name: "config", Hash: blob})}))
		require.NoError(t, m.Fetch(ctx0()))
		_, err := w.Merge(ctx0(), nil, emptyTreeIn(t, w), theirs)
		baseErr := w.SetBase(ctx0(), theirs)
		if name == "fine" { // the control
			require.NoError(t, err)
			require.NoError(t, baseErr)
			continue
		}
		var refused *gittree.PathError
		require.ErrorAs(t, err, &refused, name)
		require.ErrorAs(t, baseErr, &refused, name)
		require.Empty(t, w.list(t))
	}
}

func emptyTreeIn(t testing.TB, w *Workspace) string {
	t.Helper()
	h, err := w.Store.Put(plumbing.TreeObject, nil)
	require.NoError(t, err)
	return h.String()
}
