package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree/index"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func ctx0() context.Context { return context.Background() }

func TestWorkspaceHoldsTheTreeAndNothingOfGit(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	require.NoFileExists(t, filepath.Join(w.Files(), ".git"))
	b, err := os.ReadFile(filepath.Join(w.Files(), "cart/cart.go"))
	require.NoError(t, err)
	require.Equal(t, "package cart\n\nvar N = 1\n", string(b))
	info, err := os.Stat(filepath.Join(w.Files(), "bin/run.sh"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o100)
	target, err := os.Readlink(filepath.Join(w.Files(), "link"))
	require.NoError(t, err)
	require.Equal(t, "cart/cart.go", target)
	require.Empty(t, w.list(t))
	diff, err := w.Diff(ctx0())
	require.NoError(t, err)
	require.Empty(t, diff)
}

func TestChangesSayWhatAndHow(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.write(t, "main.go", "package main\n\nfunc main() { run() }\n\nfunc run() {}\n")
	w.write(t, "cart/new.go", "package cart\n")
	w.write(t, "debug.log", "ignored\n")
	w.write(t, "keep.log", "kept\n")
	w.write(t, "build/out.o", "ignored\n")
	w.write(t, "web/node_modules/x/index.js", "ignored\n")
	w.write(t, "logo.png", "\x89PNG\x00\x09")
	w.write(t, "dos.txt", "one\r\n2\r\nthree\r\n")
	require.NoError(t, os.Remove(filepath.Join(w.Files(), "README.md")))
	require.NoError(t, os.Chmod(filepath.Join(w.Files(), "cart/cart.go"), 0o755))
	require.NoError(t, os.Chmod(filepath.Join(w.Files(), "bin/run.sh"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(w.Files(), "link")))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(w.Files(), "link")))
	require.NoError(t, os.RemoveAll(filepath.Join(w.Files(), "cart/deep")))
	require.NoError(t, os.Symlink("..", filepath.Join(w.Files(), "cart/deep")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(w.Files(), "pipe"), 0o644))
	require.Equal(t, []string{
		"deleted README.md +0 -1",
		"modified bin/run.sh (no longer executable) +0 -0",
		"modified cart/cart.go (now executable) +0 -0",
		"added cart/deep (symlink) +1 -0",
		"deleted cart/deep/er/x.txt +0 -1",
		"added cart/new.go +1 -0",
		"modified dos.txt +1 -1",
		"added keep.log +1 -0",
		"modified link (symlink) +1 -1",
		"modified logo.png binary",
		"modified main.go +3 -1",
	}, w.list(t))
}

func TestDiffIsWhatGitApplies(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := remotetest.NewShop(t)
	w := workspaceOf(t, o)
	w.write(t, "main.go", "package main\n\nfunc main() { run() }") // no end of line
	w.write(t, "cart/new.go", "package cart\n")
	w.write(t, "empty", "")
	w.write(t, "dos.txt", "one\r\n2\r\nthree\r\n")
	require.NoError(t, os.Remove(filepath.Join(w.Files(), "README.md")))
	require.NoError(t, os.Chmod(filepath.Join(w.Files(), "cart/cart.go"), 0o755))
	require.NoError(t, os.Remove(filepath.Join(w.Files(), "link")))
	require.NoError(t, os.WriteFile(filepath.Join(w.Files(), "link"), []byte("plain now\n"), 0o644))
	diff, err := w.Diff(ctx0())
	require.NoError(t, err)
	require.Contains(t, diff, "-two\r\n+2\r\n")
	require.NotContains(t, diff, "-three")
	tree, err := w.Tree(ctx0())
	require.NoError(t, err)

	clone := filepath.Join(t.TempDir(), "clone")
	remotetest.RunGit(t, t.TempDir(), "clone", "-q", o.Dir, clone)
	cmd := exec.Command("git", "-C", clone, "apply", "--index", "-")
	cmd.Stdin = strings.NewReader(diff)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, diff)
	require.Equal(t, tree, remotetest.RunGit(t, clone, "write-tree"),
		"git, given the diff, makes the very tree that we made")
}

// A hundred scattered edits: a diff that marks whole regions as changed would fail this test. There are no
// more, so that a busy machine, too, finishes the exact diff within its time.
func TestDiffStaysSmall(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	var before, after strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&before, "line %d\n", i)
		if i%10 == 3 {
			fmt.Fprintf(&after, "changed %d\n", i)
		} else {
			fmt.Fprintf(&after, "line %d\n", i)
		}
	}
	o.Commit("first", map[string]string{"big.txt": before.String()})
	w := workspaceOf(t, o)
	w.write(t, "big.txt", after.String())
	require.Equal(t, []string{"modified big.txt +100 -100"}, w.list(t))
}

func TestAHiddenEditShows(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	require.Eventually(t, func() bool { // until no record is doubtful
		require.Empty(t, w.list(t))
		st, err := index.Read(w.StatePath())
		require.NoError(t, err)
		for _, r := range st.Records {
			if r.Doubtful {
				return false
			}
		}
		return true
	}, time.Minute, 20*time.Millisecond)
	path := filepath.Join(w.Files(), "main.go")
	info, err := os.Stat(path)
	require.NoError(t, err)
	f, err := os.OpenFile(path, os.O_RDWR, 0) // in place: the same size and inode, and the old time put back
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("X"), 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	require.Equal(t, []string{"modified main.go +1 -1"}, w.list(t))
}

func TestAnEditInTheSameTickShows(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	for range 20 {
		w := workspaceAt(t, m)
		f, err := os.OpenFile(filepath.Join(w.Files(), "main.go"), os.O_RDWR, 0)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte("X"), 0)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Equal(t, []string{"modified main.go +1 -1"}, w.list(t))
	}
}

// A disk with a coarse clock can give an edited file the same times that were recorded before the edit.
// Only the mark Doubtful of a fresh record makes Changes read the file. The control is the same record
// without the mark.
func TestDoubtFindsWhatACoarseClockHides(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	path := filepath.Join(w.Files(), "main.go")
	require.NoError(t, os.WriteFile(path, []byte("PACKAGE main\n\nfunc main() {}\n"), 0o644)) // the same size
	f, err := os.Open(path)
	require.NoError(t, err)
	now, err := index.StatFile(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for _, doubtful := range []bool{true, false} {
		st, err := index.Read(w.StatePath())
		require.NoError(t, err)
		r := st.Records.Find("main.go")
		r.Stat = now
		r.Doubtful = doubtful
		require.NoError(t, st.Write(w.StatePath()))
		require.Equal(t, doubtful, len(w.list(t)) == 1)
	}
	fresh := index.Record{Stat: index.Stat{Changed: time.Now().UnixNano()}}
	fresh.MarkDoubtful(time.Now())
	require.True(t, fresh.Doubtful)
	fresh.MarkDoubtful(time.Now().Add(time.Second))
	require.False(t, fresh.Doubtful)
}

func TestIgnoredTrackedFilesStillCount(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	o.Commit("a tracked log", map[string]string{"build/kept.txt": "1\n", "x.log": "1\n"})
	o.Commit("ignore them", map[string]string{
		".gitignore":     "build/\n*.log\n",
		"sub/.gitignore": "*\n!.gitignore\n",
	})
	w := workspaceOf(t, o)
	w.write(t, "build/kept.txt", "2\n")
	w.write(t, "build/other.txt", "2\n")
	w.write(t, "x.log", "2\n")
	w.write(t, "y.log", "2\n")
	w.write(t, "sub/inner/z", "2\n")
	require.Equal(t, []string{"modified build/kept.txt +1 -1", "modified x.log +1 -1"}, w.list(t))
}

func TestAGitFolderInTheTreeIsNeverRead(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.write(t, ".git/config", "[core]\n\tfsmonitor = touch /tmp/owned\n")
	w.write(t, ".git/hooks/pre-commit", "#!/bin/sh\ntouch /tmp/owned\n")
	w.write(t, "sub/.git", "gitdir: /elsewhere\n")
	w.write(t, "sub/.GIT/config", "x")
	w.write(t, "sub/git~1/config", "x")
	w.write(t, ".git/info/exclude", "*\n")
	w.write(t, "sub/file.txt", "seen\n")
	require.Equal(t, []string{"added sub/file.txt +1 -0"}, w.list(t))
	w.save(t, "with a planted .git")
}

func TestRestoreBringsBack(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.write(t, "main.go", "package main // first attempt\n")
	w.write(t, "cart/new.go", "package cart\n")
	first, err := w.Tree(ctx0())
	require.NoError(t, err)

	w.write(t, "main.go", "package main // second attempt\n")
	require.NoError(t, os.RemoveAll(filepath.Join(w.Files(), "cart")))
	w.write(t, "cart", "a file where a folder was\n")
	require.NoError(t, os.Remove(filepath.Join(w.Files(), "link")))
	w.write(t, "link/in/place", "x\n")
	require.NoError(t, os.RemoveAll(filepath.Join(w.Files(), "bin")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(w.Files(), "bin")))
	w.write(t, "other/new.txt", "x\n")
	w.write(t, "x.log", "ignored, stays\n")

	require.NoError(t, w.Restore(ctx0(), first))
	again, err := w.Tree(ctx0())
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.NoDirExists(t, filepath.Join(w.Files(), "other"))
	require.FileExists(t, filepath.Join(w.Files(), "x.log"))
	require.Equal(t, []string{"added cart/new.go +1 -0", "modified main.go +1 -3"}, w.list(t))

	require.NoError(t, w.Restore(ctx0(), ""))
	require.Empty(t, w.list(t))
	require.NoError(t, w.Restore(ctx0(), first))
	again, err = w.Tree(ctx0())
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Error(t, w.Restore(ctx0(), "nonsense"))
}

func TestReopenedWorkspaceKeepsItsWork(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	dir := filepath.Join(t.TempDir(), "s")
	base, err := m.Commits().Resolve("main")
	require.NoError(t, err)
	w, err := m.Workspace(ctx0(), dir, base)
	require.NoError(t, err)
	require.True(t, w.IsFresh())
	w.write(t, "main.go", "package other\n")
	commit := w.save(t, "work")
	require.NoError(t, w.Close())

	o.Commit("meanwhile", map[string]string{"z": "z\n"})
	require.NoError(t, m.Fetch(ctx0()))
	w, err = m.Workspace(ctx0(), dir, base)
	require.NoError(t, err)
	require.Equal(t, base, w.Base())
	require.False(t, w.IsFresh())
	require.Equal(t, commit, w.save(t, "work"))
	_, err = m.Workspace(ctx0(), dir, "main")
	require.ErrorContains(t, err, "stands on "+base)
	require.NoError(t, w.Remove())
	require.NoDirExists(t, dir)
}

func TestInterruptedMakingIsBegunAgain(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	base, err := m.Commits().Resolve("")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "s")
	cancelledCtx, cancel := context.WithCancel(ctx0())
	cancel()
	_, err = m.Workspace(cancelledCtx, dir, base)
	require.ErrorIs(t, err, context.Canceled)

	// the state that a killed process leaves
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "git", "objects"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "git", "unfinished"), nil, 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "files", "cart"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "files", "main.go"), []byte("half"), 0o644))
	w, err := m.Workspace(ctx0(), dir, base)
	require.NoError(t, err)
	require.Empty(t, w.list(t))
	require.NoError(t, w.Remove())

	foreign := t.TempDir() // files of another owner are not removed
	require.NoError(t, os.MkdirAll(filepath.Join(foreign, "files"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "files", "thesis.txt"), []byte("x"), 0o644))
	_, err = m.Workspace(ctx0(), foreign, base)
	require.ErrorContains(t, err, "not empty")
	require.FileExists(t, filepath.Join(foreign, "files", "thesis.txt"))
}

func TestManyWorkspacesAtOnce(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	for i := range 8 {
		o.Commit(fmt.Sprint("more ", i), map[string]string{
			fmt.Sprintf("pkg%d/file.go", i): strings.Repeat(fmt.Sprintf("line %d\n", i), 200),
			"cart/cart.go":                  fmt.Sprintf("package cart\n\nvar N = %d\n", i),
		})
	}
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	base, err := m.Commits().Resolve("")
	require.NoError(t, err)
	dir := t.TempDir()
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			w, err := m.Workspace(ctx0(), filepath.Join(dir, fmt.Sprint(i)), base)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = w.Close() }()
			_ = os.WriteFile(filepath.Join(w.Files(), "main.go"), fmt.Appendf(nil, "package s%d\n", i), 0o644)
			commit, err := w.Commit(ctx0(), CommitSpec{Message: fmt.Sprint("session ", i), When: approvedAt})
			if err == nil {
				_, err = w.Push(ctx0(), transfer.PushSpec{Commit: commit, Branch: fmt.Sprint("bobbin/s", i)})
			}
			if err == nil && i%4 == 0 {
				err = m.Fetch(ctx0())
			}
			if err != nil {
				t.Error(i, err)
			}
		})
	}
	group.Wait()
	for i := range 16 {
		require.NotEmpty(t, o.BranchHead(fmt.Sprint("bobbin/s", i)))
	}
	o.Fsck()
}

func TestUnreadableFoldersAreOpenedUp(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.write(t, "shut/x.txt", "x\n")
	require.NoError(t, os.Chmod(filepath.Join(w.Files(), "shut"), 0))
	require.NoError(t, os.Chmod(filepath.Join(w.Files(), "main.go"), 0))
	require.Equal(t, []string{"added shut/x.txt +1 -0"}, w.list(t))
	require.NoError(t, os.Chmod(filepath.Join(w.Files(), "shut"), 0))
	require.NoError(t, w.Remove())
}

// A sandbox may give the files to another user, which changes the change time of every file. This is
// not reported as a change.
func TestAnotherOwnerIsNoChange(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	w := workspaceOf(t, remotetest.NewShop(t))
	require.NoError(t, filepath.WalkDir(w.Files(), func(path string, _ os.DirEntry, err error) error {
		require.NoError(t, err)
		return os.Lchown(path, 65534, 65534)
	}))
	require.Empty(t, w.list(t))
	w.write(t, "main.go", "package changed\n")
	require.Equal(t, []string{"modified main.go +1 -3"}, w.list(t))
	require.NoError(t, w.Restore(ctx0(), ""))
	require.Empty(t, w.list(t))
}

func TestLargeFiles(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	f, err := os.Create(filepath.Join(w.Files(), "core.dump"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(3<<30))
	require.NoError(t, f.Close())
	require.Equal(t, []string{"added core.dump (too large (3.0 GB)) binary"}, w.list(t))
	diff, err := w.Diff(ctx0())
	require.NoError(t, err)
	require.Contains(t, diff, "Binary files /dev/null and b/core.dump differ")
	_, err = w.Tree(ctx0())
	var tree *gittree.PathError
	require.ErrorAs(t, err, &tree)
	require.ErrorContains(t, err, "is 3.0 GB, more than the 50 MB that a commit may hold")
	require.NoError(t, w.Restore(ctx0(), ""))
	require.Empty(t, w.list(t))
}

func TestDeepFoldersAreRefused(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.write(t, strings.Repeat("d/", worktree.MaxDepth-1)+"x", "deep enough\n")
	require.Len(t, w.list(t), 1)
	w.write(t, strings.Repeat("d/", worktree.MaxDepth+2)+"x", "too deep\n")
	w.write(t, "cart/"+strings.Repeat("e/", 3*worktree.MaxDepth)+"x", "too deep, in a folder of the base\n")
	_, err := w.Changes(ctx0())
	require.ErrorContains(t, err, "folders deep")
	var tree *gittree.PathError
	require.ErrorAs(t, err, &tree)
	require.NoError(t, w.Restore(ctx0(), ""),
		"a command that leaves such folders behind must not be the end of a session")
	require.Empty(t, w.list(t))
}

func TestMaterialiseAndReadFile(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: "file://" + o.Dir})
	dir := filepath.Join(t.TempDir(), "base")
	require.NoError(t, m.Materialise(ctx0(), "main", dir))
	require.FileExists(t, filepath.Join(dir, "cart/deep/er/x.txt"))
	require.ErrorContains(t, m.Materialise(ctx0(), "main", dir), "not empty")
	b, err := m.Commits().ReadFile("main", "cart/cart.go")
	require.NoError(t, err)
	require.Equal(t, "package cart\n\nvar N = 1\n", string(b))
	for _, path := range []string{"nope", "cart", "cart/cart.go/x", "../x"} {
		_, err = m.Commits().ReadFile("main", path)
		require.ErrorIs(t, err, os.ErrNotExist, path)
	}
}
