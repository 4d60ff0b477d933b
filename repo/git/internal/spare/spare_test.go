package spare

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// shop returns a Maker, a Pool, and the hashes of the two commits of the Pool's repository.
func shop(t *testing.T) (m *Maker, p Pool, first, second string) {
	t.Helper()
	origin := remotetest.NewOrigin(t)
	first = origin.Commit("first", map[string]string{"a.txt": "a\n", "dir/b.txt": "b\n"})
	second = origin.Commit("second", map[string]string{"a.txt": "newer\n"})
	bare, err := git.PlainOpen(origin.Dir)
	require.NoError(t, err)
	require.NoError(t, bare.RepackObjects(&git.RepackConfig{})) // as in a mirror
	packs, err := objects.OpenPacks(filepath.Join(origin.Dir, "objects", "pack"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, packs.Close()) })
	m = NewMaker(0, nil, slog.New(slog.DiscardHandler), time.Now)
	t.Cleanup(m.End)
	return m, Pool{Mirror: t.TempDir(), Packs: packs, Store: objects.NewStore(packs, filepath.Join(origin.Dir, "objects"))}, first, second
}

func (p Pool) list(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(p.dir())
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (p Pool) take(t *testing.T, commit string) (*worktree.Worktree, error) {
	w := worktree.New(filepath.Join(t.TempDir(), "sessions", "one"), p.Packs)
	err := p.Take(commit, w)
	if err == nil {
		t.Cleanup(func() { _ = w.Close() })
	}
	return w, err
}

func TestASpareIsAWholeWorktree(t *testing.T) {
	t.Parallel()
	m, p, first, _ := shop(t)
	_, err := p.take(t, first)
	require.ErrorIs(t, err, fs.ErrNotExist)
	m.Keep(p, first)
	m.Settle()
	require.Equal(t, []string{first}, p.list(t))
	w, err := p.take(t, first)
	require.NoError(t, err)
	require.Equal(t, first, w.Base())
	content, err := os.ReadFile(filepath.Join(w.Files(), "dir", "b.txt"))
	require.NoError(t, err)
	require.Equal(t, "b\n", string(content))
	require.Empty(t, p.list(t), "it is nobody else's")
	var modes []fs.FileMode
	for _, folder := range []string{w.Dir, w.Files()} {
		info, err := os.Stat(folder)
		require.NoError(t, err)
		modes = append(modes, info.Mode())
	}
	require.Equal(t, modes[1], modes[0], "commands of another user get at it as at its files")
}

// A spare has its final owner before a session takes it, because changing the owner takes long. A spare whose
// owner could not be changed is not kept.
func TestASpareIsOwnedBeforeItIsTaken(t *testing.T) {
	t.Parallel()
	m, p, first, second := shop(t)
	m.changeOwner = func(files string) error {
		require.FileExists(t, filepath.Join(files, "dir", "b.txt"))
		return os.WriteFile(filepath.Join(files, "owned"), nil, 0o644)
	}
	m.Keep(p, first)
	m.Settle()
	w, err := p.take(t, first)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(w.Files(), "owned"))
	m.changeOwner = func(string) error { return fs.ErrPermission }
	m.Keep(p, second)
	m.Settle()
	require.Empty(t, p.list(t))
}

func TestASpareOfANewerCommitReplacesIt(t *testing.T) {
	t.Parallel()
	m, p, first, second := shop(t)
	m.Keep(p, first)
	m.Settle()
	m.Keep(p, second)
	m.Settle()
	require.Equal(t, []string{second}, p.list(t))
}

// If several sessions begin at the same time, only one of them gets the spare.
func TestASpareIsTakenOnce(t *testing.T) {
	t.Parallel()
	m, p, first, _ := shop(t)
	m.Keep(p, first)
	m.Settle()
	dir := t.TempDir()
	took := make(chan bool, 8)
	var begun sync.WaitGroup
	for n := range 8 {
		begun.Go(func() {
			w := worktree.New(filepath.Join(dir, string(rune('a'+n))), p.Packs)
			err := p.Take(first, w)
			took <- err == nil
			if err == nil {
				_ = w.Close()
			}
		})
	}
	begun.Wait()
	close(took)
	n := 0
	for ok := range took {
		if ok {
			n++
		}
	}
	require.Equal(t, 1, n)
}

func TestASpoiltSpareIsNotTaken(t *testing.T) {
	t.Parallel()
	m, p, first, _ := shop(t)
	m.Keep(p, first)
	m.Settle()
	require.NoError(t, os.Remove(filepath.Join(p.spare(first), "git", "state")))
	w, err := p.take(t, first)
	require.Error(t, err)
	require.NoDirExists(t, w.Dir, "nothing stands in the way of the files")
}

// A spare that a killed process left unfinished is removed, but not one that another process is making.
func TestSparesThatWereNotFinishedGo(t *testing.T) {
	t.Parallel()
	m, p, first, _ := shop(t)
	left, now := filepath.Join(p.dir(), "making-1"), filepath.Join(p.dir(), "making-2")
	for _, dir := range []string{left, now} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "files"), 0o755))
	}
	long := time.Now().AddDate(0, 0, -3)
	require.NoError(t, os.Chtimes(left, long, long))
	m.Keep(p, first)
	m.Settle()
	require.ElementsMatch(t, []string{first, "making-2"}, p.list(t))
}

// End leaves no unfinished spare.
func TestTheEndBreaksItOff(t *testing.T) {
	t.Parallel()
	m, p, first, _ := shop(t)
	m.Keep(p, first)
	m.End()
	m.Keep(p, first)
	entries, _ := os.ReadDir(p.dir())
	for _, e := range entries {
		require.Equal(t, first, e.Name())
	}
}

// Keep does not recreate the folder of a mirror that was removed in the meantime.
func TestARemovedMirrorStaysAway(t *testing.T) {
	t.Parallel()
	m, p, first, _ := shop(t)
	require.NoError(t, os.Remove(p.Mirror))
	m.Keep(p, first)
	m.Settle()
	require.NoDirExists(t, p.Mirror)
}
