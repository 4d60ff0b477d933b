package git

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func openMirror(t testing.TB, m *Mirrors, r remote.Remote) *Mirror {
	t.Helper()
	if m.Dir == "" {
		m.Dir = t.TempDir()
	}
	m.Log = quiet()
	if m.Retry.Wait == 0 {
		m.Retry.Wait = time.Millisecond
	}
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	mirror, err := m.Open(context.Background(), r)
	require.NoError(t, err)
	return mirror
}

// workspaceOf returns a workspace at the origin's main branch, over a new mirror.
func workspaceOf(t testing.TB, o *remotetest.Origin) *Workspace {
	t.Helper()
	return workspaceAt(t, openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir}))
}

func workspaceAt(t testing.TB, m *Mirror) *Workspace {
	t.Helper()
	commit, err := m.Commits().Resolve("")
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

// withLine returns the content of a file with one line (from 1) replaced.
func withLine(t testing.TB, dir, name string, line int, text string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	all := strings.SplitAfter(string(b), "\n")
	all[line-1] = text + "\n"
	return strings.Join(all, "")
}
