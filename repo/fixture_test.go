package repo

import (
	"context"
	"log/slog"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/stretchr/testify/require"
)

// origin is a bare repository as a team has it, written by go-git's own code,
// so that what we read was not written by us.
type origin struct {
	t    testing.TB
	dir  string // the bare repository
	work string
	repo *git.Repository
	now  time.Time
}

func newOrigin(t testing.TB) *origin {
	t.Helper()
	dir := t.TempDir()
	o := &origin{t: t, dir: filepath.Join(dir, "remote.git"), work: filepath.Join(dir, "work"), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	require.NoError(t, os.MkdirAll(o.work, 0o755))
	storage := filesystem.NewStorage(osfs.New(o.dir), cache.NewObjectLRUDefault())
	var err error
	o.repo, err = git.InitWithOptions(storage, osfs.New(o.work), git.InitOptions{DefaultBranch: "refs/heads/main"})
	require.NoError(t, err)
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[http]\n\treceivepack = true\n"
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, "config"), []byte(config), 0o644))
	return o
}

// commit changes files in the origin: "" removes one; a name that ends in * is
// executable; content that begins with -> is a link.
func (o *origin) commit(message string, files map[string]string) string {
	o.t.Helper()
	tree, err := o.repo.Worktree()
	require.NoError(o.t, err)
	for name, content := range files {
		name, executable := strings.CutSuffix(name, "*")
		path := filepath.Join(o.work, name)
		require.NoError(o.t, os.RemoveAll(path))
		if content != "" {
			require.NoError(o.t, os.MkdirAll(filepath.Dir(path), 0o755))
			if target, link := strings.CutPrefix(content, "->"); link {
				require.NoError(o.t, os.Symlink(target, path))
			} else {
				require.NoError(o.t, os.WriteFile(path, []byte(content), 0o644))
			}
			if executable {
				require.NoError(o.t, os.Chmod(path, 0o755))
			}
		}
	}
	for name, content := range files {
		name = strings.TrimSuffix(name, "*")
		if content == "" {
			_, err = tree.Remove(name)
		} else {
			err = tree.AddWithOptions(&git.AddOptions{Path: name, SkipStatus: true})
		}
		require.NoError(o.t, err)
	}
	o.now = o.now.Add(time.Hour)
	who := &object.Signature{Name: "Ada", Email: "ada@example.com", When: o.now}
	h, err := tree.Commit(message, &git.CommitOptions{Author: who, Committer: who})
	require.NoError(o.t, err)
	return h.String()
}

func (o *origin) branch(name, commit string) {
	o.t.Helper()
	ref := plumbing.NewHashReference(plumbing.NewBranchReferenceName(name), plumbing.NewHash(commit))
	require.NoError(o.t, o.repo.Storer.SetReference(ref))
}

// stands is where a branch of the origin is; "" when there is none.
func (o *origin) stands(branch string) string {
	o.t.Helper()
	// A fresh look: the git program may have written.
	fresh := filesystem.NewStorage(osfs.New(o.dir), cache.NewObjectLRUDefault())
	ref, err := fresh.Reference(plumbing.NewBranchReferenceName(branch))
	if err != nil {
		return ""
	}
	return ref.Hash().String()
}

func (o *origin) hook(name, script string) {
	o.t.Helper()
	dir := filepath.Join(o.dir, "hooks")
	require.NoError(o.t, os.MkdirAll(dir, 0o755))
	require.NoError(o.t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755))
}

// fsck asks git itself whether the origin is whole.
func (o *origin) fsck() {
	o.t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		return
	}
	out := runGit(o.t, o.dir, "fsck", "--full", "--strict")
	require.NotContains(o.t, out, "error")
	require.NotContains(o.t, out, "missing")
}

func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "safe.directory=*"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program here")
	}
}

// serveHTTP puts the origin behind smart HTTP; the token is asked for when it
// is not empty.
func (o *origin) serveHTTP(token string) string {
	o.t.Helper()
	needGit(o.t)
	backend := filepath.Join(runGit(o.t, o.dir, "--exec-path"), "git-http-backend")
	handler := &cgi.Handler{Path: backend, Env: []string{
		"GIT_PROJECT_ROOT=" + filepath.Dir(o.dir), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=bot",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}, Stderr: &headBuffer{}}
	server := httptest.NewServer(guard(handler, token))
	o.t.Cleanup(server.Close)
	return server.URL + "/remote.git"
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func openMirror(t testing.TB, m *Mirrors, r Remote) *Mirror {
	t.Helper()
	if m.Dir == "" {
		m.Dir = t.TempDir()
	}
	m.Log = quiet()
	if m.Patience.Wait == 0 {
		m.Patience.Wait = time.Millisecond
	}
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	mirror, err := m.Open(context.Background(), r)
	require.NoError(t, err)
	return mirror
}

// workspaceOf is a mirror of the origin and a workspace at its main branch.
func workspaceOf(t testing.TB, o *origin) *Workspace {
	t.Helper()
	return workspaceAt(t, openMirror(t, &Mirrors{}, Remote{Name: "shop", URL: o.dir}))
}

func workspaceAt(t testing.TB, m *Mirror) *Workspace {
	t.Helper()
	commit, err := m.Resolve("")
	require.NoError(t, err)
	w, err := m.Workspace(context.Background(), filepath.Join(t.TempDir(), "session"), commit)
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func (w *Workspace) write(t testing.TB, path, content string) {
	t.Helper()
	full := filepath.Join(w.Files(), path)
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(t, os.WriteFile(full, []byte(content), 0o644))
}

func (w *Workspace) list(t testing.TB) []string {
	t.Helper()
	changes, err := w.Changes(context.Background())
	require.NoError(t, err)
	out := []string{}
	for _, c := range changes {
		out = append(out, c.String())
	}
	return out
}

var approvedAt = time.Date(2026, 11, 3, 12, 0, 0, 0, time.FixedZone("here", 3600))

func (w *Workspace) save(t testing.TB, message string) string {
	t.Helper()
	h, err := w.Commit(context.Background(), CommitSpec{Message: message, When: approvedAt})
	require.NoError(t, err)
	return h
}

func writeFile(t testing.TB, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
}

// withLine gives a file with one line replaced.
func withLine(t testing.TB, dir, name string, line int, text string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	all := strings.SplitAfter(string(b), "\n")
	all[line-1] = text + "\n"
	return strings.Join(all, "")
}
