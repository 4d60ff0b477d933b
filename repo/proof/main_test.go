package proof

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// shared is what the tests share: a folder, and with it the Go build cache of goShop,
// which is cold when they begin.
var shared string

func TestMain(m *testing.M) {
	sandbox.Main()
	dir, err := os.MkdirTemp("", "check-")
	if err != nil {
		panic(err)
	}
	shared = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var box = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	return sandbox.Open(context.Background(), sandbox.Config{})
})

func checker(t *testing.T) *Checker {
	t.Helper()
	s, err := box()
	require.NoError(t, err)
	return &Checker{Sandbox: s, CacheDir: filepath.Join(shared, "cache"), Log: slog.New(slog.DiscardHandler)}
}

// files is a tree by path.
type files map[string]string

// with is the tree with some files changed; an empty text takes one away.
func (f files) with(changed files) files {
	out := maps.Clone(f)
	maps.Copy(out, changed)
	return out
}

// origin makes a real repository on disk, with one commit a tree; a later tree has the
// files of the earlier ones, too.
func origin(dir string, trees ...files) ([]string, error) {
	r, err := git.PlainInitWithOptions(dir, &git.PlainInitOptions{InitOptions: git.InitOptions{DefaultBranch: plumbing.Main}})
	if err != nil {
		return nil, err
	}
	w, err := r.Worktree()
	if err != nil {
		return nil, err
	}
	var commits []string
	for _, tree := range trees {
		if err := write(dir, tree); err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			if err := w.AddWithOptions(&git.AddOptions{Path: name, SkipStatus: true}); err != nil {
				return nil, err
			}
		}
		by := &object.Signature{Name: "Ada", Email: "ada@example.com", When: time.Unix(1700000000, 0)}
		hash, err := w.Commit("a tree", &git.CommitOptions{Author: by})
		if err != nil {
			return nil, err
		}
		commits = append(commits, hash.String())
	}
	return commits, nil
}

func write(dir string, tree files) error {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		file := filepath.Join(dir, name)
		if err := os.RemoveAll(file); err != nil || tree[name] == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(tree[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// mirrorOf is a mirror of a new origin that holds the trees, the last on main.
func mirrorOf(t *testing.T, trees ...files) (*repo.Mirror, []string) {
	t.Helper()
	dir := t.TempDir()
	commits, err := origin(filepath.Join(dir, "origin"), trees...)
	require.NoError(t, err)
	mirrors := &repo.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { mirrors.Close() })
	m, err := mirrors.Open(t.Context(), repo.Remote{Name: "shop", URL: filepath.Join(dir, "origin")})
	require.NoError(t, err)
	return m, commits
}

// session is a workspace at the commit with some files changed.
func session(t *testing.T, m *repo.Mirror, commit string, changed files) *repo.Workspace {
	t.Helper()
	w, err := m.Workspace(t.Context(), filepath.Join(t.TempDir(), "session"), commit)
	require.NoError(t, err)
	t.Cleanup(func() { w.Close() })
	require.NoError(t, write(w.Files(), changed))
	return w
}

// able remembers which programs commands in the sandbox can use, and why not.
var able sync.Map

// can skips the test where commands in the sandbox cannot use a program.
func can(t *testing.T, line string) {
	t.Helper()
	ask, _ := able.LoadOrStore(line, sync.OnceValues(func() (string, error) {
		dir := filepath.Join(shared, "empty")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		r, err := checker(t).Run(context.Background(), dir, project.Project{Build: line})
		if r.BuildOK {
			return "", err
		}
		return r.BuildOutput + " ", err
	}))
	why, err := ask.(func() (string, error))()
	require.NoError(t, err)
	if why != "" {
		t.Skipf("not run: commands in the sandbox cannot use this here: %s: %s", line, why)
	}
}
