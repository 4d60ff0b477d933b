package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func TestHostileTreesAreRefused(t *testing.T) {
	t.Parallel()
	bad := []string{
		"", ".", "..", "../x", "/abs", "a/b", ".git", ".GIT", ".Git", ".git ", ".git.", ".git . .", "git~1", "GIT~1",
		".git::$INDEX_ALLOCATION", ".g\u200cit", "\ufeff.git", ".gi\u202et", `a\..\b`, `..\x`, `.git\hooks`, strings.Repeat("n", 300),
	}
	for i, name := range bad {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			o := remotetest.NewOrigin(t)
			blob := o.RawObject(plumbing.BlobObject, []byte("owned\n"))
			inner := o.RawTree(remotetest.RawLine{Mode: filemode.Executable, Name: "post-checkout", Hash: blob})
			for _, tree := range []plumbing.Hash{
				o.RawTree(remotetest.RawLine{Mode: filemode.Regular, Name: name, Hash: blob}),
				o.RawTree(remotetest.RawLine{Mode: filemode.Dir, Name: name, Hash: inner}),
				o.RawTree(remotetest.RawLine{Mode: filemode.Symlink, Name: name, Hash: blob}),
				o.RawTree(remotetest.RawLine{Mode: filemode.Dir, Name: "ok", Hash: o.RawTree(remotetest.RawLine{Mode: filemode.Regular, Name: name, Hash: blob})}),
			} {
				commit := o.RawCommit(tree)
				m, err := (&Mirrors{Dir: t.TempDir(), Log: quiet(), Git: "-"}).Open(ctx0(), remote.Remote{Name: "bad", URL: o.Dir})
				if name == "" && err != nil {
					continue // go-git's server refuses to send it
				}
				require.NoError(t, err)
				above := t.TempDir()
				_, err = m.Workspace(ctx0(), filepath.Join(above, "s"), commit)
				var refused *gittree.PathError
				require.True(t, errors.As(err, &refused) || name == "" && err != nil, "%q: %v", name, err)
				require.NotContains(t, err.Error(), "\n")
				require.NoFileExists(t, filepath.Join(above, "x"))
				require.NoDirExists(t, filepath.Join(above, "s", "files"), "nothing is left of a refused one")
				require.Error(t, m.Materialise(ctx0(), commit, filepath.Join(above, "m")))
			}
		})
	}
}

func TestOddTreesAreRefusedOrHarmless(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, build := range map[string]func(o *remotetest.Origin, blob, dir plumbing.Hash) plumbing.Hash{
		"a link, then a folder of its name": func(o *remotetest.Origin, _, dir plumbing.Hash) plumbing.Hash {
			link := o.RawObject(plumbing.BlobObject, []byte(outside))
			return o.RawTree(remotetest.RawLine{Mode: filemode.Symlink, Name: "d", Hash: link}, remotetest.RawLine{Mode: filemode.Dir, Name: "d", Hash: dir})
		},
		"a folder, then a link of its name": func(o *remotetest.Origin, _, dir plumbing.Hash) plumbing.Hash {
			link := o.RawObject(plumbing.BlobObject, []byte(outside))
			return o.RawTree(remotetest.RawLine{Mode: filemode.Dir, Name: "d", Hash: dir}, remotetest.RawLine{Mode: filemode.Symlink, Name: "d", Hash: link})
		},
		"a file twice": func(o *remotetest.Origin, blob, _ plumbing.Hash) plumbing.Hash {
			return o.RawTree(remotetest.RawLine{Mode: filemode.Regular, Name: "f", Hash: blob}, remotetest.RawLine{Mode: filemode.Regular, Name: "f", Hash: blob})
		},
		"an unknown mode": func(o *remotetest.Origin, blob, _ plumbing.Hash) plumbing.Hash {
			return o.RawTree(remotetest.RawLine{Mode: 0o140000, Name: "f", Hash: blob})
		},
		"a file where a tree should be": func(o *remotetest.Origin, blob, _ plumbing.Hash) plumbing.Hash {
			return o.RawTree(remotetest.RawLine{Mode: filemode.Dir, Name: "f", Hash: blob})
		},
		"an object that is not there": func(o *remotetest.Origin, _, _ plumbing.Hash) plumbing.Hash {
			return o.RawObject(plumbing.TreeObject, []byte("100644 short\x00abc"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := remotetest.NewOrigin(t)
			blob := o.RawObject(plumbing.BlobObject, []byte("owned\n"))
			commit := o.RawCommit(build(o, blob, o.RawTree(remotetest.RawLine{Mode: filemode.Regular, Name: "f", Hash: blob})))
			m, err := (&Mirrors{Dir: t.TempDir(), Log: quiet(), Git: "-"}).Open(ctx0(), remote.Remote{Name: "odd", URL: o.Dir})
			if err == nil { // go-git's server may refuse to pack it at all
				_, err = m.Workspace(ctx0(), filepath.Join(t.TempDir(), "s"), commit)
			}
			require.Error(t, err)
			left, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestSubmodulesStayWhatTheyAre(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	blob := o.RawObject(plumbing.BlobObject, []byte("[submodule \"sub\"]\n\tpath = sub\n\turl = ext::sh -c touch% /tmp/owned\n"))
	pin := plumbing.NewHash("1111111111111111111111111111111111111111")
	commit := o.RawCommit(o.RawTree(remotetest.RawLine{Mode: filemode.Regular, Name: ".gitmodules", Hash: blob}, remotetest.RawLine{Mode: filemode.Submodule, Name: "sub", Hash: pin}))
	w := workspaceOf(t, o)
	require.DirExists(t, filepath.Join(w.Files(), "sub"))
	w.write(t, "sub/inner.txt", "another repository's\n")
	require.Empty(t, w.list(t))
	w.write(t, "new.txt", "x\n")
	h := w.save(t, "beside a submodule")
	c, err := w.Store.Commit(plumbing.NewHash(h))
	require.NoError(t, err)
	n, err := gittree.FindNode(w.Store, c.TreeHash, "sub")
	require.NoError(t, err)
	require.Equal(t, pin, n.Hash)
	require.NotEqual(t, commit, h)
}

func TestOddNamesAreKept(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := remotetest.NewOrigin(t)
	o.Commit("first", map[string]string{"a": "a\n"})
	clone := t.TempDir()
	remotetest.RunGit(t, clone, "clone", "-q", o.Dir, ".")
	for i, name := range []string{"Readme", "README", "tab\there", "new\nline", "caf\xe9", "-rf", "späti 🛒"} {
		writeFile(t, clone, name, fmt.Sprint(i, "\n"))
	}
	remotetest.RunGit(t, clone, "add", "-A")
	remotetest.RunGit(t, clone, "commit", "-qm", "odd names")
	remotetest.RunGit(t, clone, "push", "-q", "origin", "main")
	w := workspaceOf(t, o)
	require.Empty(t, w.list(t))
	w.write(t, "new\nline", "changed\n")
	w.write(t, "caf\xe9", "changed\n")
	w.write(t, "x\n+++ b/forged\n@@ -1 +1 @@\n+evil", "z\n")
	diff, err := w.Diff(ctx0())
	require.NoError(t, err)
	require.NotContains(t, diff, "\n+++ b/forged")
	require.NotContains(t, diff, "\n+evil")
	commit := w.save(t, "odd names")
	_, err = w.Push(ctx0(), transfer.PushSpec{Commit: commit, Branch: "bobbin/odd"})
	require.NoError(t, err)
	o.Fsck()
}

// A folder is swapped for a link to the outside while the tree is walked, read and restored: no content
// is read from outside, and nothing is written there.
func TestRacingLinksLeakNothing(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("TOP SECRET\n"), 0o644))
	o := remotetest.NewOrigin(t)
	o.Commit("first", map[string]string{"dir/secret.txt": "harmless\n", "z.txt": "z\n"})
	w := workspaceOf(t, o)
	w.write(t, "dir/secret.txt", "changed and longer\n")

	stop, leaks, naive := make(chan struct{}), 0, atomic.Int64{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		swapUntil(stop, w.Files(), outside, &naive)
	}()
	// A second, and on a busy machine longer: until the control has leaked.
	for began := time.Now(); time.Since(began) < time.Second || naive.Load() == 0 && time.Since(began) < 2*time.Minute; {
		diff, err := w.Diff(ctx0())
		if err == nil && strings.Contains(diff, "TOP SECRET") {
			leaks++
		}
		_ = w.Restore(ctx0(), "")
		_, _ = w.Tree(ctx0())
	}
	close(stop)
	<-done
	require.Zero(t, leaks)
	require.NotZero(t, naive.Load(), "the control, which reads by path, must leak: else this shows nothing")
	b, err := os.ReadFile(filepath.Join(outside, "secret.txt"))
	require.NoError(t, err)
	require.Equal(t, "TOP SECRET\n", string(b))
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// swapUntil swaps the folder and a link until stop is closed. It also plays the naive reader, which
// checks the path first and then opens it.
func swapUntil(stop chan struct{}, files, outside string, leaked *atomic.Int64) {
	dir, aside := filepath.Join(files, "dir"), filepath.Join(files, "aside")
	for {
		select {
		case <-stop:
			return
		default:
		}
		_ = os.MkdirAll(dir, 0o755)
		_ = os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("changed and longer\n"), 0o644)
		info, err := os.Lstat(dir)
		_ = os.Rename(dir, aside)
		_ = os.Symlink(outside, dir)
		if err == nil && info.IsDir() {
			if b, err := os.ReadFile(filepath.Join(dir, "secret.txt")); err == nil && strings.Contains(string(b), "TOP SECRET") {
				leaked.Add(1)
			}
		}
		_ = os.Remove(dir)
		_ = os.RemoveAll(aside)
	}
}
