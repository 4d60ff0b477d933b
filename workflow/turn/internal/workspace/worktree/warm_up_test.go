package worktree

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
)

// TestCommandsDoNotWaitForTheBasesTests has a base whose tests run until a file appears in their folder.
// The test writes that file only after a command ran that found the build in the cache, and not the
// files of the tests.
func TestCommandsDoNotWaitForTheBasesTests(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	box := repotest.OpenSandbox(t)
	caches := t.TempDir()
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b"})
	checker := (&build.Checker{Caches: build.Caches{Sandbox: box, Dir: caches}}).For(m)
	ledger := ledgertest.Open(t, nil)
	require.NoError(
		t,
		ledger.Record(
			ctx,
			store.Update{Change: func(s *workflow.Session) {
				s.Repository = "shop"
				s.BaseCommit = commits[0]
			}},
		),
	)
	p := &Checkout{
		Mirror: m, Checker: checker, BaseBuilt: make(chan struct{}), BaseTested: make(chan struct{}),
		fetched: &fetched{done: make(chan struct{})}, Tests: &Setup{Ledger: ledger},
	}
	require.NoError(t, p.Tests.Find(ctx, project.Project{
		Build: "echo built > $GOCACHE/00/entry",
		Test: "touch /tmp/mark mark; while [ ! -e go-on ]; do sleep 0.01; done; echo 'ok 1 - waited'; " +
			"echo 1..1",
	}))
	trees := &Trees{Ledger: ledger, Sandbox: box, Checker: checker, checkout: p}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		trees.warmUp(ctx, p)
	}()

	_, err := trees.LateFacts(ctx, p.BaseBuilt)
	require.NoError(t, err)
	// The tests are running, and write a file "mark" to their working folder and to their /tmp.
	var mark []string
	require.Eventually(t, func() bool {
		mark, err = filepath.Glob(caches + "/*/work-*/files/mark")
		return len(mark) > 0 || err != nil
	}, 4*time.Minute, 10*time.Millisecond)
	require.NoError(t, err)
	require.Len(t, mark, 1)
	cmd := box.Command(repotest.WriteTree(t, nil), "sh", "-c",
		"cat $GOCACHE/00/entry && ! ls mark && ! ls /tmp/mark && ! touch $GOCACHE/00/other")
	cmd.Mounts, cmd.Env = checker.Cache.Mounts("")
	require.NoError(t, cmd.Run(ctx))
	select {
	case <-p.BaseTested:
		t.Fatal("the base's tests came to an end by themselves")
	default:
	}
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(mark[0]), "go-on"), nil, 0o644))
	_, err = trees.LateFacts(ctx, p.BaseTested)
	require.NoError(t, err)
	<-ended
	base, known := checker.Remembered(commits[0], p.Project())
	require.True(t, known)
	require.Equal(t, 1, base.Passed)
}

// Without confinement the base's tests and a command would share the machine's folders, so a command
// waits for the build and for the tests.
func TestCommandsWaitWhereNothingIsConfined(t *testing.T) {
	t.Parallel()
	box, err := sandbox.Open(t.Context(), sandbox.Config{Kind: sandbox.KindNone})
	require.NoError(t, err)
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b"})
	checker := (&build.Checker{Caches: build.Caches{Sandbox: box, Dir: t.TempDir()}}).For(m)
	ledger := ledgertest.Open(t, nil)
	require.NoError(
		t,
		ledger.Record(
			t.Context(),
			store.Update{Change: func(s *workflow.Session) {
				s.Repository = "shop"
				s.BaseCommit = commits[0]
			}},
		),
	)
	p := &Checkout{
		Mirror: m, Checker: checker, BaseBuilt: make(chan struct{}), BaseTested: make(chan struct{}),
		fetched: &fetched{done: make(chan struct{})}, Tests: &Setup{Ledger: ledger},
	}
	require.NoError(t, p.Tests.Find(t.Context(), project.Project{Build: "true", Test: "true"}))
	trees := &Trees{Ledger: ledger, Sandbox: box, Checker: checker, checkout: p}
	go trees.warmUp(t.Context(), p)
	_, err = trees.LateFacts(t.Context(), p.BaseBuilt)
	require.NoError(t, err)
	_, known := checker.Remembered(commits[0], p.Project())
	require.True(t, known, "the tests were run before")
	<-p.BaseTested
}
