// Package repotest makes real repositories, mirrors of them and a sandbox, for the tests of packages that
// run what a repository contains. Everything is removed when the test ends.
package repotest

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Files is a tree: the contents by path.
type Files map[string]string

// With returns the tree with some files changed; an empty text removes a file.
func (f Files) With(changed Files) Files {
	out := maps.Clone(f)
	maps.Copy(out, changed)
	return out
}

// Write writes the files to dir; an empty text removes a file. The files can be run as programs at
// once: a process that is started meanwhile would inherit an open file, and no program that is
// open for writing can be run.
func (f Files) Write(dir string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		file := filepath.Join(dir, name)
		if err := os.RemoveAll(file); err != nil || f[name] == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(f[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Origin makes a real repository on disk with one commit for each tree. A later commit also has the files
// of the earlier trees.
func Origin(dir string, trees ...Files) (commits []string, err error) {
	r, err := gogit.PlainInitWithOptions(dir, &gogit.PlainInitOptions{
		InitOptions: gogit.InitOptions{DefaultBranch: plumbing.Main},
	})
	if err != nil {
		return nil, err
	}
	w, err := r.Worktree()
	if err != nil {
		return nil, err
	}
	for _, tree := range trees {
		if err := tree.Write(dir); err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			if err := w.AddWithOptions(&gogit.AddOptions{Path: name, SkipStatus: true}); err != nil {
				return nil, err
			}
		}
		by := &object.Signature{Name: "Ada", Email: "ada@example.com", When: time.Unix(1700000000, 0)}
		hash, err := w.Commit("a tree", &gogit.CommitOptions{Author: by})
		if err != nil {
			return nil, err
		}
		commits = append(commits, hash.String())
	}
	return commits, nil
}

// CommitAt adds a commit of that time to a repository that Origin has made.
func CommitAt(dir string, at time.Time, message string, tree Files) error {
	r, err := gogit.PlainOpen(dir)
	if err != nil {
		return err
	}
	w, err := r.Worktree()
	if err != nil {
		return err
	}
	if err := tree.Write(dir); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if err := w.AddWithOptions(&gogit.AddOptions{Path: name, SkipStatus: true}); err != nil {
			return err
		}
	}
	by := &object.Signature{Name: "Ada", Email: "ada@example.com", When: at}
	_, err = w.Commit(message, &gogit.CommitOptions{Author: by})
	return err
}

// NewOrigin makes a real repository in a new folder, as Origin does, and returns the folder and the commits.
func NewOrigin(t testing.TB, trees ...Files) (dir string, commits []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "origin")
	commits, err := Origin(dir, trees...)
	if err != nil {
		t.Fatal(err)
	}
	return dir, commits
}

// OpenMirrors returns mirrors in a new folder.
func OpenMirrors(t testing.TB) *git.Mirrors {
	t.Helper()
	mirrors := &git.Mirrors{Dir: filepath.Join(t.TempDir(), "mirrors"), Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { mirrors.Close() })
	return mirrors
}

// NewMirror returns a mirror of a new origin with a commit for each tree, the last one on main, and the
// commits.
func NewMirror(t testing.TB, trees ...Files) (*git.Mirror, []string) {
	t.Helper()
	dir, commits := NewOrigin(t, trees...)
	m, err := OpenMirrors(t).Open(t.Context(), remote.Remote{Name: "shop", URL: dir})
	if err != nil {
		t.Fatal(err)
	}
	return m, commits
}

// NewWorkspace returns a workspace at the commit with some files changed.
func NewWorkspace(t testing.TB, m *git.Mirror, commit string, changed Files) *git.Workspace {
	t.Helper()
	w, err := m.Workspace(t.Context(), filepath.Join(t.TempDir(), "session"), commit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := changed.Write(w.Files()); err != nil {
		t.Fatal(err)
	}
	return w
}

var box = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	return sandbox.Open(context.Background(), sandbox.Config{})
})

// OpenSandbox returns a sandbox of this machine's default kind.
func OpenSandbox(t testing.TB) *sandbox.Sandbox {
	t.Helper()
	s, err := box()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var shared string

var builder = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	return sandbox.Open(context.Background(), sandbox.Config{Env: []string{
		"GOFLAGS=-gcflags=all=-dwarf=false -ldflags=-s -vet=off", "GOGC=off", "GOMEMLIMIT=512MiB",
	}})
})

// OpenBuilder is OpenSandbox for tests that build and test small Go modules: without go vet, without
// debugging information in the binaries, and without garbage collection in the compiler.
func OpenBuilder(t testing.TB) *sandbox.Sandbox {
	t.Helper()
	s, err := builder()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Main runs a package's tests with a shared folder, and exits.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "repotest-")
	if err != nil {
		panic(err)
	}
	shared = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// Shared returns a path in the folder that all tests of a package share. The folder is empty at the start.
func Shared(name string) string { return filepath.Join(shared, name) }

// OpenShared makes a repository in the folder that all tests of a package share, and returns a mirror of it
// and the commits. It is called once for each name.
func OpenShared(name string, trees ...Files) (*git.Mirror, []string, error) {
	origin := filepath.Join(Shared(name), "origin")
	commits, err := Origin(origin, trees...)
	if err != nil {
		return nil, nil, err
	}
	mirrors := &git.Mirrors{Dir: filepath.Join(Shared(name), "mirrors"), Log: slog.New(slog.DiscardHandler)}
	m, err := mirrors.Open(context.Background(), remote.Remote{Name: "shop", URL: origin})
	return m, commits, err
}

// WriteTree returns a new folder with the files. Commands in the sandbox may write to it.
func WriteTree(t testing.TB, f Files) string {
	t.Helper()
	dir := t.TempDir()
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := OpenSandbox(t).Own(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// NeedCommand skips the test if the command line fails in the sandbox.
func NeedCommand(t testing.TB, line string) {
	t.Helper()
	var out bytes.Buffer
	cmd := OpenSandbox(t).Command(WriteTree(t, nil), "sh", "-c", line)
	cmd.Stdout = &out
	cmd.Stderr = &out
	if err := cmd.Run(t.Context()); err != nil {
		t.Skipf("not run: commands in the sandbox cannot use this here: %s: %v: %s", line, err, out.String())
	}
}
