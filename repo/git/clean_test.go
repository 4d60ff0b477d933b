package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// fetchedOften returns an origin, a mirror that fetched n commits of it one after the other, and all
// commits.
func fetchedOften(t *testing.T, mirrors *Mirrors, n int) (*remotetest.Origin, *Mirror, []string) {
	t.Helper()
	o := remotetest.NewOrigin(t)
	commits := []string{o.Commit("first", map[string]string{"a.txt": strings.Repeat("line\n", 200), "dir/b.txt": "b\n"})}
	m := openMirror(t, mirrors, remote.Remote{Name: "shop", URL: o.Dir})
	for i := range n {
		commits = append(commits, o.Commit(fmt.Sprint("change ", i), map[string]string{"a.txt": strings.Repeat("line\n", 200) + fmt.Sprintln(i), fmt.Sprintf("dir/%d.txt", i): "new\n"}))
		require.NoError(t, m.Fetch(t.Context()))
	}
	return o, m, commits
}

func readAll(m *Mirror, commits []string) error {
	for _, c := range commits {
		found, err := m.store.Commit(plumbing.NewHash(c))
		if err != nil {
			return err
		}
		tree, err := gittree.Compare(ctx0(), m.store, plumbing.ZeroHash, found.TreeHash, "")
		if err != nil {
			return err
		}
		for _, d := range tree {
			if _, _, err := m.store.Get(d.After.Hash); err != nil {
				return err
			}
		}
	}
	return nil
}

func packFiles(t *testing.T, m *Mirror) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(m.dir, "objects", "pack", "pack-*"))
	require.NoError(t, err)
	return len(found)
}

// Clean leaves few packs however often a mirror was fetched, and concurrent readers lose no object.
func TestManyFetchesLeaveFewPacks(t *testing.T) {
	t.Parallel()
	for name, git := range map[string]string{"with git": "", "without git": "-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if git == "" {
				remotetest.NeedGit(t)
			}
			mirrors := &Mirrors{Git: git}
			o, m, commits := fetchedOften(t, mirrors, 24)
			require.Equal(t, 24+1, m.packs.Len(), "this is what grows where nobody cleans")
			w := workspaceAt(t, m)

			stop, failed := make(chan struct{}), make(chan error, 4)
			var readers sync.WaitGroup
			for range cap(failed) {
				readers.Go(func() {
					for err := error(nil); err == nil; err = readAll(m, commits) {
						select {
						case <-stop:
							failed <- nil
							return
						default:
						}
					}
					failed <- errors.New("a reader lost an object")
				})
			}
			removed, err := mirrors.Clean(t.Context(), MirrorRetention{Unused: time.Hour})
			close(stop)
			readers.Wait()
			require.NoError(t, err)
			require.Empty(t, removed)
			for range cap(failed) {
				require.NoError(t, <-failed)
			}
			require.Equal(t, 1, m.packs.Len())
			require.LessOrEqual(t, packFiles(t, m), 3)

			w.write(t, "a.txt", "mine\n")
			_, err = w.Tree(t.Context())
			require.NoError(t, err)
			commits = append(commits, o.Commit("after", map[string]string{"a.txt": "after\n"}))
			require.NoError(t, m.Fetch(t.Context()))
			require.NoError(t, readAll(m, commits))
			again := openMirror(t, &Mirrors{Dir: mirrors.Dir, Git: git}, m.Remote())
			require.NoError(t, readAll(again, commits))
			if git == "" {
				remotetest.RunGit(t, m.dir, "fsck", "--full")
			}
		})
	}
}

// DropPacks refuses to drop a pack with an object that no other pack holds.
func TestNoObjectIsLostToCleaning(t *testing.T) {
	t.Parallel()
	_, m, commits := fetchedOften(t, &Mirrors{}, 3)
	require.ErrorContains(t, m.packs.DropPacks(m.packs.ListPacks()[1:2]), "would be lost")
	require.Len(t, m.packs.ListPacks(), 4)
	require.NoError(t, readAll(m, commits))
}

func TestAMirrorThatNobodyUsesGoes(t *testing.T) {
	t.Parallel()
	now := time.Now()
	mirrors := &Mirrors{Dir: t.TempDir(), Now: func() time.Time { return now }}
	o := remotetest.NewShop(t)
	r := remote.Remote{Name: "shop", URL: o.Dir}
	m := openMirror(t, mirrors, r)
	left := m.dir + ".new-123"
	require.NoError(t, os.Mkdir(left, 0o755))
	require.NoError(t, os.Mkdir(m.dir+".gone-7", 0o755))
	w := workspaceAt(t, m)
	clean := func(dry bool) int {
		removed, err := mirrors.Clean(t.Context(), MirrorRetention{Unused: 30 * 24 * time.Hour, Dry: dry})
		require.NoError(t, err)
		return len(removed)
	}
	require.Equal(t, 1, clean(true), "what was being removed")
	require.Equal(t, 1, clean(false))
	now = now.Add(31 * 24 * time.Hour)
	require.Equal(t, 2, clean(true))
	require.Equal(t, 1, clean(false), "the unfinished clone; the mirror is in use")
	require.DirExists(t, m.dir)
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	require.Equal(t, 1, clean(false))
	require.NoDirExists(t, m.dir)

	m, err := mirrors.Open(t.Context(), r) // Open clones the mirror again
	require.NoError(t, err)
	require.NotEmpty(t, workspaceAt(t, m).Base())
	require.Zero(t, clean(false))
}

// The control: if the count of users is 0, Clean removes a mirror that a workspace is using.
func TestAMirrorInUseWouldBeTaken(t *testing.T) {
	t.Parallel()
	now := time.Now()
	mirrors := &Mirrors{Dir: t.TempDir(), Now: func() time.Time { return now }}
	m := openMirror(t, mirrors, remote.Remote{Name: "shop", URL: remotetest.NewShop(t).Dir})
	w := workspaceAt(t, m)
	m.packs.Users.Store(0)
	now = now.Add(31 * 24 * time.Hour)
	removed, err := mirrors.Clean(t.Context(), MirrorRetention{Unused: 30 * 24 * time.Hour})
	require.NoError(t, err)
	require.Len(t, removed, 1)
	require.NotZero(t, removed[0].Bytes)
	w.write(t, "main.go", "package main // mine\n")
	_, err = w.Tree(t.Context())
	require.Error(t, err)
}
