package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func (w *Workspace) fork(t testing.TB, dir string) (*Workspace, string) {
	t.Helper()
	f, started, err := w.Fork(ctx0(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f, started
}

func TestForksWorkSideBySideAndComeBack(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.put(t, files{
		"main.go":   "package main // mine\n",
		"new/x*":    "x\n",
		"README.md": "",
		"debug.log": "ignored\n",
	})
	dir := t.TempDir()
	var group sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		group.Go(func() {
			f, started, err := w.Fork(ctx0(), filepath.Join(dir, name))
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = f.Close() }()
			if tree, err := f.Tree(ctx0()); err != nil || tree != started {
				t.Error(tree, started, err)
			}
			_ = os.WriteFile(filepath.Join(f.Files(), "task-"+name), []byte(name+"\n"), 0o644)
		})
	}
	group.Wait()
	require.Equal(t, []string{
		"deleted README.md +0 -1", "modified main.go +1 -3", "added new/x (executable) +1 -0",
	}, w.list(t))
	for _, name := range []string{"a", "b"} {
		f, started := w.fork(t, filepath.Join(dir, name))
		require.NoFileExists(t, filepath.Join(f.Files(), "debug.log"))
		require.Equal(t, w.Base(), f.Base())
		conflicts, err := w.Merge(ctx0(), f, started, f.treeNow(t))
		require.NoError(t, err)
		require.Empty(t, conflicts)
	}
	require.Equal(t, []string{
		"deleted README.md +0 -1", "modified main.go +1 -3", "added new/x (executable) +1 -0",
		"added task-a +1 -0", "added task-b +1 -0",
	}, w.list(t))
}

func TestAForkIsReopenedAsItWas(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	dir := filepath.Join(t.TempDir(), "f")
	w.write(t, "one", "1\n")
	f, started := w.fork(t, dir)
	f.write(t, "two", "2\n")
	require.NoError(t, f.Close())
	w.write(t, "three", "3\n")

	again, same := w.fork(t, dir)
	require.Equal(t, started, same)
	require.Equal(t, []string{"added one +1 -0", "added two +1 -0"}, again.list(t))
	plain, err := w.mirror.Workspace(ctx0(), dir, w.Base())
	require.NoError(t, err, "a fork is a workspace like any other")
	require.NoError(t, plain.Close())

	_, _, err = w.Fork(ctx0(), w.Dir)
	require.ErrorContains(t, err, "is no fork")
	foreign := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(foreign, "files", "x"), 0o755))
	_, _, err = w.Fork(ctx0(), foreign)
	require.ErrorContains(t, err, "not empty")
}

func TestAnInterruptedForkIsBegunAgain(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.write(t, "one", "1\n")
	dir := filepath.Join(t.TempDir(), "f")
	stopped, cancel := context.WithCancel(ctx0())
	cancel()
	_, _, err := w.Fork(stopped, dir)
	require.ErrorIs(t, err, context.Canceled)

	// the state that a killed process leaves
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "files"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "git"), 0o755))
	writeFile(t, filepath.Join(dir, "git"), "unfinished", "")
	writeFile(t, filepath.Join(dir, "git"), "started", w.Base()+"\n")
	writeFile(t, filepath.Join(dir, "files"), "half", "h")
	f, started := w.fork(t, dir)
	require.Equal(t, w.treeNow(t), started)
	require.Equal(t, started, f.treeNow(t))
}

// The base of a fork may be a commit that only the session has.
func TestAForkOfTheSessionsOwnCommit(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.write(t, "deep/er/one", "1\n")
	first := w.save(t, "one")
	require.NoError(t, w.SetBase(ctx0(), first))
	w.write(t, "two", "2\n")
	f, started := w.fork(t, filepath.Join(t.TempDir(), "f"))
	require.Equal(t, first, f.Base())
	require.Equal(t, []string{"added two +1 -0"}, f.list(t))
	f.write(t, "deep/er/one", "uno\n")
	second := f.save(t, "more")
	_, err := f.MergeBase(ctx0(), first, second)
	require.NoError(t, err)

	require.Error(t, w.Store.HasEncodedObject(plumbing.NewHash(second)))
	require.NoError(t, w.AdoptTree(ctx0(), f, second))
	require.NoError(t, w.AdoptTree(ctx0(), f, second), "twice is once")
	require.NoError(t, f.Remove())
	require.NoError(t, w.Restore(ctx0(), started))
	conflicts, err := w.Merge(ctx0(), nil, started, second)
	require.NoError(t, err)
	require.Empty(t, conflicts)
	require.Equal(t, []string{"modified deep/er/one +1 -1", "added two +1 -0"}, w.list(t))
	require.Error(t, w.AdoptTree(ctx0(), w, strings.Repeat("1", 40)))
	require.ErrorContains(t, w.AdoptTree(ctx0(), w, "main"), "whole hash")
}

func TestSetBaseMovesOnlyTheComparison(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	w := workspaceAt(t, m)
	old := w.Base()
	w.write(t, "main.go", "package main // mine\n")
	w.write(t, "same.txt", "same\n")
	next := o.Commit("meanwhile", files{
		"same.txt":     "same\n",
		"README.md":    "",
		"cart/cart.go": "package cart\n",
		"cart/more.go": "package cart\n",
		"bin/run.sh":   "#!/bin/sh\necho hi\n",
	})
	require.NoError(t, m.Fetch(ctx0()))
	before := w.treeNow(t)

	require.NoError(t, w.SetBase(ctx0(), next))
	require.Equal(t, next, w.Base())
	require.Equal(t, before, w.treeNow(t), "no file is touched")
	require.Equal(t, []string{
		"added README.md +1 -0", "modified bin/run.sh (now executable) +0 -0", "modified cart/cart.go +2 -0",
		"deleted cart/more.go +0 -1", "modified main.go +1 -3",
	}, w.list(t))
	require.NoError(t, w.Close())

	_, err := m.Workspace(ctx0(), w.Dir, old)
	require.ErrorContains(t, err, "stands on "+next)
	w, err = m.Workspace(ctx0(), w.Dir, next)
	require.NoError(t, err)
	defer func() { _ = w.Close() }()
	require.Len(t, w.list(t), 5)
	require.NoError(t, w.Restore(ctx0(), ""))
	require.Empty(t, w.list(t))
	c, err := w.Store.Commit(plumbing.NewHash(next))
	require.NoError(t, err)
	require.Equal(t, c.TreeHash.String(), w.treeNow(t))
	require.Error(t, w.SetBase(ctx0(), "nowhere"))
}

// A newer base is merged and becomes the base of the workspace, and the merge commit is pushed to the
// session's existing branch.
func TestAMovedBaseIsMergedAndPushed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *remotetest.Origin, m *Mirror) {
		w := workspaceAt(t, m)
		old := w.Base()
		w.write(t, "main.go", "package main\n\nfunc main() { run() }\n")
		first := w.save(t, "Fix")
		_, err := w.Push(ctx0(), transfer.PushSpec{Commit: first, Branch: "bobbin/fix"})
		require.NoError(t, err)
		o.Commit("theirs", files{"cart/cart.go": "package cart\n\nvar N = 7\n", "z/new.txt": "z\n"})
		next := o.Commit("theirs too", files{"README.md": "# The shop\n"})
		require.NoError(t, m.Fetch(ctx0()))

		at, err := m.Commits().mergeBase(ctx0(), old, "main")
		require.NoError(t, err)
		require.Equal(t, old, at)
		conflicts, err := w.Merge(ctx0(), nil, old, next)
		require.NoError(t, err)
		require.Empty(t, conflicts)
		require.NoError(t, w.SetBase(ctx0(), next))
		require.Equal(t, []string{"modified main.go +1 -1"}, w.list(t), "what they did is no longer ours")

		spec := CommitSpec{Parent: first, Parents: []string{next}, Message: "Merge main", When: approvedAt}
		merge, err := w.Commit(ctx0(), spec)
		require.NoError(t, err)
		again, err := w.Commit(ctx0(), spec)
		require.NoError(t, err)
		require.Equal(t, merge, again)
		_, err = w.Push(ctx0(), transfer.PushSpec{Commit: merge, Branch: "bobbin/fix"})
		require.NoError(t, err)
		require.Equal(t, merge, o.BranchHead("bobbin/fix"))
		o.Fsck()
		at, err = w.MergeBase(ctx0(), merge, next)
		require.NoError(t, err)
		require.Equal(t, next, at)
	})
}

// If the base already holds all of the session's changes, the merge commit has the same tree as a
// parent and is still written. Without the second parent, the commit is refused with errNoChanges.
func TestAMergeMayHoldWhatItsParentHolds(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	base := w.Base()
	w.write(t, "x", "x\n")
	other := w.save(t, "other")
	require.NoError(t, w.Restore(ctx0(), ""))
	spec := CommitSpec{Message: "ours", When: approvedAt, Parents: []string{other}}
	h, err := w.Commit(ctx0(), spec)
	require.NoError(t, err)
	c, err := w.Store.Commit(plumbing.NewHash(h))
	require.NoError(t, err)
	require.Equal(t, []plumbing.Hash{plumbing.NewHash(base), plumbing.NewHash(other)}, c.ParentHashes)
	for _, parents := range [][]string{{base}, {other, other}, {"main"}, {""}, {strings.Repeat("1", 40)}} {
		spec.Parents = parents
		_, err = w.Commit(ctx0(), spec)
		require.Error(t, err)
	}
	spec.Parents = nil
	_, err = w.Commit(ctx0(), spec)
	require.ErrorIs(t, err, errNoChanges)
}

// Readers during SetBase get an answer about either the old or the new base.
func TestSetBaseBesideReaders(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	w := workspaceAt(t, m)
	w.write(t, "new", "n\n")
	old := w.Base()
	tree := w.treeNow(t)
	next := o.Commit("meanwhile", files{"README.md": "", "cart/more.go": "package cart\n"})
	require.NoError(t, m.Fetch(ctx0()))
	var group sync.WaitGroup
	group.Go(func() {
		for i := range 20 {
			if err := w.SetBase(ctx0(), []string{next, old}[i%2]); err != nil {
				t.Error(err)
			}
		}
	})
	for range 3 {
		group.Go(func() {
			for range 10 {
				if at := w.Base(); at != old && at != next {
					t.Error(at)
				}
				if now, err := w.Tree(ctx0()); err != nil || now != tree {
					t.Error(now, err)
				}
				if hs, err := w.ListHunks(ctx0()); err != nil || len(hs) != 1 && len(hs) != 3 {
					t.Error(hs, err)
				}
			}
		})
	}
	group.Wait()
}
