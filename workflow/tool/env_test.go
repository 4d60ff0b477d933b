package tool

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/model"
)

func TestMain(m *testing.M) {
	os.Exit(m.Run())
}

// files is a tree: it maps paths to contents.
type files map[string]string

// newEnv returns an Env on a workspace of a new repository with these files.
func newEnv(t testing.TB, tree files) *Env {
	t.Helper()
	dir := t.TempDir()
	commit := newRepository(t, filepath.Join(dir, "origin"), tree)
	mirrors := &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: slog.New(slog.DiscardHandler)}
	mirror, err := mirrors.Open(t.Context(), remote.Remote{Name: "shop", URL: filepath.Join(dir, "origin")})
	require.NoError(t, err)
	w, err := mirror.Workspace(t.Context(), filepath.Join(dir, "session"), commit)
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return &Env{Workspace: w, Mirror: mirror, OutputDir: filepath.Join(dir, "outputs")}
}

// newRepository commits the files in the order of their names: the first one, and all others in a second
// commit. It returns the second commit.
func newRepository(t testing.TB, dir string, tree files) (commit string) {
	t.Helper()
	r, err := gogit.PlainInitWithOptions(dir, &gogit.PlainInitOptions{InitOptions: gogit.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName("main")}})
	require.NoError(t, err)
	w, err := r.Worktree()
	require.NoError(t, err)
	add := func(names []string, message string, day int) {
		for _, name := range names {
			put(t, dir, name, tree[name])
			require.NoError(t, w.AddWithOptions(&gogit.AddOptions{Path: name, SkipStatus: true}))
		}
		hash, err := w.Commit(message, &gogit.CommitOptions{
			AllowEmptyCommits: true,
			Author:            &object.Signature{Name: "Ada", Email: "ada@example.com", When: time.Date(2026, 1, day, 12, 0, 0, 0, time.UTC)},
		})
		require.NoError(t, err)
		commit = hash.String()
	}
	names := slices.Sorted(maps.Keys(tree))
	first := min(1, len(names))
	add(names[:first], "begin the shop", 1)
	add(names[first:], "add the rest\n\nWith a body.", 2)
	return commit
}

func put(t testing.TB, dir, name, data string) {
	t.Helper()
	p := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
	require.NoError(t, os.WriteFile(p, []byte(data), 0o644))
}

// put writes a file without the tools' knowledge.
func (b *Env) put(t testing.TB, name, data string) {
	t.Helper()
	put(t, b.Workspace.Files(), name, data)
}

func (b *Env) get(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.Workspace.Files(), name))
	require.NoError(t, err)
	return string(data)
}

// args are the arguments of a call.
type args map[string]any

// call calls a tool as the loop does: by name, with JSON.
func (b *Env) call(t testing.TB, name string, in args) model.Result {
	t.Helper()
	r, err := b.try(t.Context(), name, in)
	require.NoError(t, err)
	return r
}

func (b *Env) try(ctx context.Context, name string, in args) (model.Result, error) {
	if in == nil {
		in = args{}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return model.Result{}, err
	}
	for _, tool := range allTools(b) {
		if tool.Name == name {
			return tool.Call(ctx, raw)
		}
	}
	panic("no tool " + name)
}

func allTools(b *Env) []model.Tool { return slices.Concat(Reading(b), Running(b), Writing(b)) }

// ok returns the text of a call that has to succeed.
func (b *Env) ok(t testing.TB, name string, in args) string {
	t.Helper()
	r := b.call(t, name, in)
	require.False(t, r.Wrong, r.Text)
	return model.WithoutDuration(r.Text) // it depends on the machine
}

// refused returns the text of a call that has to be wrong.
func (b *Env) refused(t testing.TB, name string, in args) string {
	t.Helper()
	r := b.call(t, name, in)
	require.True(t, r.Wrong, r.Text)
	require.NotEmpty(t, r.Text)
	return r.Text
}
