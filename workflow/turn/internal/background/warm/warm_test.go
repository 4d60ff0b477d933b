package warm

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

func TestMain(m *testing.M) { repotest.Main(m) }

// newWarmer returns a Warmer for a repository whose tests are that command, and the checker of a session.
func newWarmer(t *testing.T, test string, on bool) (w *Warmer, session *build.Checker, commit string) {
	t.Helper()
	m, commits := repotest.NewMirror(t, repotest.Files{"a.txt": "a\n"})
	checker := &build.Checker{Caches: build.Caches{
		Sandbox: repotest.OpenSandbox(t), Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
	}}
	w = &Warmer{
		Repositories: []repository.Repository{{Remote: m.Remote(), Build: "true", Test: test, Warm: on}},
		Mirrors:      &git.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)},
		Checker:      checker,
		Every:        50 * time.Millisecond,
		Log:          slog.New(slog.DiscardHandler),
	}
	return w, checker.For(m), commits[0]
}

// tap prints one test, and how nice its process is.
const tap = "echo TAP version 13; echo \"ok 1 - nice $(nice)\"; echo 1..1"

// A repository that asks for it finds its base tested before a session needs it, at the lowest priority.
func TestTheBaseIsTestedAheadOfTime(t *testing.T) {
	t.Parallel()
	w, session, commit := newWarmer(t, tap, true)
	p := project.Project{Build: "true", Test: tap}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	require.Eventually(t, func() bool { _, known := session.Remembered(commit, p); return known },
		time.Minute, 10*time.Millisecond)
	cancel()
	<-ended
	r, err := session.Baseline(t.Context(), commit, p)
	require.NoError(t, err)
	require.Equal(t, "nice 19", r.Tests[0].Name, "the session takes the stored result")

	// The control: without the setting nothing is run.
	w, session, commit = newWarmer(t, tap, false)
	w.Run(t.Context())
	_, known := session.Remembered(commit, p)
	require.False(t, known)
}

// A turn that begins ends the work ahead of time, and keeps it from beginning.
func TestATurnEndsTheWorkAheadOfTime(t *testing.T) {
	t.Parallel()
	w, _, _ := newWarmer(t, tap, true)
	began := make(chan struct{})
	ended := make(chan error)
	go func() {
		ended <- w.whileIdle(t.Context(), func(ctx context.Context) error {
			close(began)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	<-began
	turn := w.Around(func(ctx context.Context, session string) error {
		require.NoError(t, <-ended, "it ended at once, and that is no error")
		require.NoError(t, w.whileIdle(ctx, func(context.Context) error {
			require.Fail(t, "it began beside a turn")
			return nil
		}))
		return nil
	})
	require.NoError(t, turn(t.Context(), "s"))
	ran := false
	require.NoError(t, w.whileIdle(t.Context(), func(context.Context) error { ran = true; return nil }))
	require.True(t, ran, "it goes on after the turn")
}
