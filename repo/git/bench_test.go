package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// A bench is a repository with Go's own source, some ten thousand real files. The git program makes and
// packs it, and each benchmark also measures git on it.
type bench struct {
	remote string // a bare repository
	mirror *Mirror
	base   string
}

func newBench(b *testing.B) *bench {
	b.Helper()
	remotetest.NeedGit(b)
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(b, err)
	dir := b.TempDir()
	work, bare := filepath.Join(dir, "work"), filepath.Join(dir, "remote.git")
	require.NoError(b, os.CopyFS(work, os.DirFS(filepath.Join(strings.TrimSpace(string(out)), "src"))))
	remotetest.RunGit(b, work, "init", "-q", "-b", "main")
	remotetest.RunGit(b, work, "add", "-A")
	remotetest.RunGit(b, work, "commit", "-qm", "source")
	remotetest.RunGit(b, dir, "clone", "-q", "--bare", work, bare)
	m := openMirror(b, &Mirrors{}, remote.Remote{Name: "go", URL: bare})
	base, err := m.Commits().Resolve("")
	require.NoError(b, err)
	return &bench{bare, m, base}
}

func BenchmarkWorkspace(b *testing.B) {
	at := newBench(b)
	dir := b.TempDir()
	b.Run("ours", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			w, err := at.mirror.Workspace(context.Background(), filepath.Join(dir, fmt.Sprint("ours", i)), at.base)
			require.NoError(b, err)
			b.StopTimer()
			require.NoError(b, w.Remove())
			b.StartTimer()
		}
	})
	b.Run("git-worktree-add", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			path := filepath.Join(dir, fmt.Sprint("git", i))
			remotetest.RunGit(b, at.remote, "worktree", "add", "-q", "--detach", path, "main")
			b.StopTimer()
			remotetest.RunGit(b, at.remote, "worktree", "remove", "--force", path)
			b.StartTimer()
		}
	})
}

func BenchmarkChanges(b *testing.B) {
	at := newBench(b)
	w, err := at.mirror.Workspace(context.Background(), filepath.Join(b.TempDir(), "w"), at.base)
	require.NoError(b, err)
	clone := filepath.Join(b.TempDir(), "clone")
	remotetest.RunGit(b, b.TempDir(), "clone", "-q", at.remote, clone)
	for _, dir := range []string{w.Files(), clone} {
		writeFile(b, dir, "fmt/print.go", "package fmt\n")
	}
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			changes, err := w.Changes(context.Background())
			require.NoError(b, err)
			require.Len(b, changes, 1)
		}
	})
	b.Run("git-status", func(b *testing.B) {
		for b.Loop() {
			require.Contains(b, remotetest.RunGit(b, clone, "status", "--porcelain"), "print.go")
		}
	})
}

func BenchmarkCommitPush(b *testing.B) {
	at := newBench(b)
	w, err := at.mirror.Workspace(context.Background(), filepath.Join(b.TempDir(), "w"), at.base)
	require.NoError(b, err)
	clone := filepath.Join(b.TempDir(), "clone")
	remotetest.RunGit(b, b.TempDir(), "clone", "-q", at.remote, clone)
	b.Run("ours", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			writeFile(b, w.Files(), "fmt/print.go", fmt.Sprintf("package fmt // ours %d %d\n", b.N, i))
			commit, err := w.Commit(context.Background(), CommitSpec{Message: fmt.Sprint("change ", i), When: approvedAt})
			require.NoError(b, err)
			_, err = w.Push(context.Background(), transfer.PushSpec{Commit: commit, Branch: fmt.Sprintf("bobbin/b%d-%d", b.N, i)})
			require.NoError(b, err)
		}
	})
	b.Run("git", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			writeFile(b, clone, "fmt/print.go", fmt.Sprintf("package fmt // git %d %d\n", b.N, i))
			remotetest.RunGit(b, clone, "commit", "-qam", "change")
			remotetest.RunGit(b, clone, "push", "-q", "origin", fmt.Sprintf("HEAD:refs/heads/git/b%d-%d", b.N, i))
		}
	})
}
