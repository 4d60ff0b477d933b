package proof

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

func TestMain(m *testing.M) { repotest.Main(m) }

// checker returns a Checker whose caches all tests share.
func checker(t *testing.T) *build.Checker {
	t.Helper()
	return &build.Checker{Caches: build.Caches{Sandbox: repotest.OpenBuilder(t), Dir: repotest.Shared("cache"), Log: slog.New(slog.DiscardHandler)}}
}

// goChecker returns a Checker for the repository of m whose build cache holds Go's standard library.
func goChecker(t *testing.T, m *git.Mirror) *build.Checker {
	t.Helper()
	c := checker(t).For(m)
	require.NoError(t, repotest.SeedGoCache(t.Context(), c.Caches.Sandbox, repotest.GoCacheDir(c.Cache.WritableMounts(""))))
	return c
}
