package proof

import (
	"log/slog"
	"testing"

	"github.com/bobbinhq/bobbin/repo/buildcache"
	"github.com/bobbinhq/bobbin/repo/repotest"
	"github.com/bobbinhq/bobbin/repo/testrun"
)

func TestMain(m *testing.M) { repotest.Main(m) }

// checker is one whose caches the tests share.
func checker(t *testing.T) *testrun.Checker {
	t.Helper()
	return &testrun.Checker{Caches: buildcache.Caches{Sandbox: repotest.OpenBuilder(t), Dir: repotest.Shared("cache"), Log: slog.New(slog.DiscardHandler)}}
}
