package git

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/merge"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// mergeCommitCases are merges of two commits, most of which conflict: what is said of each, whether a
// person has to resolve it, and what stands in the files of those that an agent may.
var mergeCommitCases = map[string]struct {
	ours, theirs files
	conflicts    []string
	byHand       bool
	want         files
}{
	"lines": {
		ours:      files{"ten": lined(1, 10, map[int]string{5: "five\n"})},
		theirs:    files{"ten": lined(1, 10, map[int]string{5: "fünf\n", 9: "nine\n"}), "more": "m\n"},
		conflicts: []string{"ten: both changed line 5"},
		want: files{
			"more": "m\n",
			"ten": lined(1, 10, map[int]string{
				5: "<<<<<<< mine\nfive\n||||||| before both\nline 5\n=======\nfünf\n>>>>>>> main\n",
				9: "nine\n",
			}),
		},
	},
	"no line end": {
		ours:      files{"ten": "a"},
		theirs:    files{"ten": "b"},
		conflicts: []string{"ten: both changed line 1"},
		want: files{"ten": "<<<<<<< mine\na\n||||||| before both\n" + lined(1, 10, nil) +
			"=======\nb\n>>>>>>> main\n"},
	},
	"added by both": {
		ours:      files{"go.sum": "a v1\n"},
		theirs:    files{"go.sum": "b v1\n"},
		conflicts: []string{"go.sum: both added it, with different content"},
		want:      files{"go.sum": "<<<<<<< mine\na v1\n||||||| before both\n=======\nb v1\n>>>>>>> main\n"},
	},
	"deleted there": {
		ours:      files{"ten": "x\n"},
		theirs:    files{"ten": ""},
		conflicts: []string{"ten: deleted on one side: there it is gone, here it was changed"},
		want:      files{"ten": "x\n"},
	},
	"deleted here": {
		ours:      files{"ten": ""},
		theirs:    files{"ten": "y\n"},
		conflicts: []string{"ten: deleted on one side: here it is gone, there it was changed"},
		want:      files{"ten": "y\n"},
	},
	"renamed by both": {
		ours:      files{"ten": "", "zehn": lined(1, 10, map[int]string{1: "eins\n"})},
		theirs:    files{"ten": "", "dix": lined(1, 10, nil)},
		conflicts: []string{"ten: renamed on both sides: here to zehn, there to dix"},
		want: files{
			"ten":  "",
			"zehn": lined(1, 10, map[int]string{1: "eins\n"}),
			"dix":  lined(1, 10, nil),
		},
	},
	"renamed by both alike": {
		ours:   files{"ten": "", "zehn": lined(1, 10, map[int]string{1: "eins\n"})},
		theirs: files{"ten": "", "zehn": lined(1, 10, map[int]string{9: "neun\n"})},
		want:   files{"ten": "", "zehn": lined(1, 10, map[int]string{1: "eins\n", 9: "neun\n"})},
	},
	"renamed there, changed here": {
		ours:   files{"ten": lined(1, 10, map[int]string{5: "five\n"})},
		theirs: files{"ten": "", "dir/zehn": lined(1, 10, nil)},
		want:   files{"ten": "", "dir/zehn": lined(1, 10, map[int]string{5: "five\n"})},
	},
	"renamed and changed there, changed here": {
		ours:   files{"ten": lined(1, 10, map[int]string{5: "five\n"})},
		theirs: files{"ten": "", "zehn*": lined(1, 10, map[int]string{1: "eins\n"})},
		want:   files{"ten": "", "zehn*": lined(1, 10, map[int]string{1: "eins\n", 5: "five\n"})},
	},
	"renamed here, changed there": {
		ours:   files{"ten": "", "zehn": lined(1, 10, map[int]string{1: "eins\n"}), "dir/like": "line 1\n"},
		theirs: files{"ten": lined(1, 10, map[int]string{5: "five\n"})},
		want: files{
			"ten": "", "zehn": lined(1, 10, map[int]string{1: "eins\n", 5: "five\n"}), "dir/like": "line 1\n",
		},
	},
	"a folder renamed there, changed here": {
		ours:   files{"dir/a": "A\n"},
		theirs: files{"dir/a": "", "dir/b": "", "to/a": "a\n", "to/b": "b\n"},
		want:   files{"dir/a": "", "dir/b": "", "to/a": "A\n", "to/b": "b\n"},
	},
	"a binary file renamed there, changed here": {
		ours:   files{"bin": "\x00\x02"},
		theirs: files{"bin": "", "lib/bin": "\x00\x01"},
		want:   files{"bin": "", "lib/bin": "\x00\x02"},
	},
	"renamed there, clashes": {
		ours:      files{"ten": lined(1, 10, map[int]string{5: "five\n"})},
		theirs:    files{"ten": "", "zehn": lined(1, 10, map[int]string{5: "fünf\n"})},
		conflicts: []string{"zehn: both changed line 5; renamed there from ten"},
		want: files{
			"ten": "",
			"zehn": lined(1, 10, map[int]string{
				5: "<<<<<<< mine\nfive\n||||||| before both\nline 5\n=======\nfünf\n>>>>>>> main\n",
			}),
		},
	},
	"renamed here, clashes": {
		ours:      files{"ten": "", "zehn": lined(1, 10, map[int]string{5: "fünf\n"})},
		theirs:    files{"ten": lined(1, 10, map[int]string{5: "five\n"})},
		conflicts: []string{"zehn: both changed line 5; renamed here from ten"},
		want: files{
			"ten": "",
			"zehn": lined(1, 10, map[int]string{
				5: "<<<<<<< mine\nfünf\n||||||| before both\nline 5\n=======\nfive\n>>>>>>> main\n",
			}),
		},
	},
	"renamed here, deleted there": {
		ours:      files{"ten": "", "zehn": lined(1, 10, nil)},
		theirs:    files{"ten": ""},
		conflicts: []string{"ten: deleted on one side: there it is gone, here it was renamed to zehn"},
		want:      files{"ten": "", "zehn": lined(1, 10, nil)},
	},
	"renamed there, deleted here": {
		ours:      files{"ten": ""},
		theirs:    files{"ten": "", "zehn": lined(1, 10, nil)},
		conflicts: []string{"ten: deleted on one side: here it is gone, there it was renamed to zehn"},
		want:      files{"ten": "", "zehn": lined(1, 10, nil)},
	},
	"renamed there to what was added here": {
		ours:   files{"ten": lined(1, 10, map[int]string{5: "five\n"}), "zehn": "z\n"},
		theirs: files{"ten": "", "zehn": lined(1, 10, nil)},
		conflicts: []string{
			"ten: deleted on one side: there it is gone, here it was changed",
			"zehn: both added it, with different content",
		},
		want: files{
			"ten":  lined(1, 10, map[int]string{5: "five\n"}),
			"zehn": "<<<<<<< mine\nz\n||||||| before both\n=======\n" + lined(1, 10, nil) + ">>>>>>> main\n",
		},
	},
	"deleted there, and something else added, changed here": {
		ours:      files{"ten": "x\n"},
		theirs:    files{"ten": "", "zehn": "line 1\nand more\n"},
		conflicts: []string{"ten: deleted on one side: there it is gone, here it was changed"},
		want:      files{"ten": "x\n", "zehn": "line 1\nand more\n"},
	},
	"binary": {
		ours:      files{"bin": "\x00\x03"},
		theirs:    files{"bin": "\x00\x02"},
		conflicts: []string{"bin: binary: both changed it"},
		byHand:    true,
	},
	"added by both, binary": {
		ours:      files{"new": "\x00\x03"},
		theirs:    files{"new": "text\n"},
		conflicts: []string{"new: binary: both added it, with different content"},
		byHand:    true,
	},
	"a file in Git LFS": {
		ours:      files{"ten": "version https://git-lfs.github.com/spec/v1\noid sha256:a\n"},
		theirs:    files{"ten": "version https://git-lfs.github.com/spec/v1\noid sha256:b\n"},
		conflicts: []string{"ten: both changed lines 1-2"},
		byHand:    true,
	},
	"a link": {
		ours:      files{"link": "->run"},
		theirs:    files{"link": "->bin"},
		conflicts: []string{"link: both changed the link"},
		byHand:    true,
	},
	"a file and a folder": {
		ours:   files{"new": "x\n"},
		theirs: files{"new/x": "y\n"},
		conflicts: []string{
			"new: file and folder: a file on one side, and on the other the folder of new/x",
		},
		byHand: true,
	},
	"not renamed, but others": { // each side replaced it with something of its own
		ours:   files{"ten": "", "mine": "m\n"},
		theirs: files{"ten": "", "theirs": "t\n"},
		want:   files{"ten": "", "mine": "m\n", "theirs": "t\n"},
	},
}

// TestMergeCommits merges commits with a trial before. The trial says the same, and writes nothing. git finds
// the same to conflict, and merges the rest alike.
func TestMergeCommits(t *testing.T) {
	t.Parallel()
	for name, c := range mergeCommitCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := remotetest.NewOrigin(t)
			base := o.Commit("ground", mergeGround)
			m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
			w := workspaceAt(t, m)
			commit := func(files files) string {
				require.NoError(t, w.Restore(ctx0(), ""))
				w.put(t, files)
				made, err := w.Commit(ctx0(), CommitSpec{Message: "change", When: o.Now})
				require.NoError(t, err)
				return made
			}
			ours := commit(c.ours)
			theirs := commit(c.theirs)
			commits := m.Commits()
			commits.Store = w.Store
			tried, err := commits.TryMerge(ctx0(), ours, theirs)
			require.NoError(t, err)
			require.Equal(t, base, tried.Base)
			require.False(t, tried.Done)
			require.False(t, tried.Contained)

			labels := MergeLabels{Ours: "mine", Theirs: "main"}
			tree, conflicts, err := w.MergeCommits(ctx0(), base, ours, theirs, labels)
			require.NoError(t, err)
			require.Equal(t, tried.Conflicts, conflicts)
			var said []string
			byHand := false
			for _, c := range conflicts {
				said = append(said, c.String())
				byHand = byHand || c.ByHand()
			}
			require.Equal(t, c.conflicts, said)
			require.Equal(t, c.byHand, byHand)
			gits, gitTree := gitMerge(t, m.Dir(), w.Store.Dir(), ours, theirs)
			require.Equal(t, len(conflicts) > 0, len(gits) > 0, gits)
			if len(gits) == 0 {
				require.Equal(t, gitTree, tree)
			}
			if c.byHand {
				return
			}
			require.NoError(t, w.Restore(ctx0(), ""))
			w.put(t, c.want)
			require.Equal(t, w.treeNow(t), tree)

			marked, err := w.ConflictMarkers(ctx0(), ours)
			require.NoError(t, err)
			var want []string
			for path, text := range c.want {
				if strings.Contains(text, "<<<<<<<") {
					want = append(want, path)
				}
			}
			require.ElementsMatch(t, want, slices.Collect(maps.Keys(marked)))
		})
	}
}

// TestTryMergeKnowsWhatIsThere tries merges that change nothing.
func TestTryMergeKnowsWhatIsThere(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	first := o.Commit("first", files{"a": "a\n"})
	second := o.Commit("second", files{"a": "b\n"})
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	commits := m.Commits()
	tried, err := commits.TryMerge(ctx0(), second, first)
	require.NoError(t, err)
	require.True(t, tried.Done, "the branch has main already")
	tried, err = commits.TryMerge(ctx0(), first, second)
	require.NoError(t, err)
	require.Equal(t, first, tried.Base, "main has the branch already")

	w := workspaceAt(t, m)
	w.put(t, files{"a": "b\n"})
	same, err := w.Commit(ctx0(), CommitSpec{Parent: first, Message: "the same", When: o.Now})
	require.NoError(t, err)
	commits.Store = w.Store
	tried, err = commits.TryMerge(ctx0(), same, second)
	require.NoError(t, err)
	require.True(t, tried.Contained, "main has the same change, as another commit")

	// Markers that one of the sides has, such as in a text about git, are no conflict that was left.
	w.put(t, files{"howto": "<<<<<<< is how a conflict begins\n"})
	howto, err := w.Commit(ctx0(), CommitSpec{Parent: first, Message: "explain git", When: o.Now})
	require.NoError(t, err)
	marked, err := w.ConflictMarkers(ctx0(), howto)
	require.NoError(t, err)
	require.Empty(t, marked)
	marked, err = w.ConflictMarkers(ctx0())
	require.NoError(t, err)
	require.Equal(t, map[string][]int{"howto": {1}}, marked)
}

// TestOnlyAPersonMergesSubmodules merges trees in which both sides moved the pin of a submodule.
func TestOnlyAPersonMergesSubmodules(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	o.Commit("ground", mergeGround)
	store, err := openObjects(o.Dir)
	require.NoError(t, err)
	pin := func(digit string) plumbing.Hash {
		return o.RawTree(remotetest.RawLine{
			Mode: filemode.Submodule, Name: "lib", Hash: plumbing.NewHash(strings.Repeat(digit, 40)),
		})
	}
	tried, err := merge.Try(ctx0(), store, pin("1"), pin("2"), pin("3"))
	require.NoError(t, err)
	require.Len(t, tried.Conflicts, 1)
	require.Equal(t, "lib: mode: here a submodule, there a submodule", tried.Conflicts[0].String())
	require.True(t, tried.Conflicts[0].ByHand())
	tried, err = merge.Try(ctx0(), store, pin("1"), pin("1"), pin("3"))
	require.NoError(t, err)
	require.Empty(t, tried.Conflicts, "one side alone moved it")
}
