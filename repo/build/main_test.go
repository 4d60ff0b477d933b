package build

import (
	"log/slog"
	"testing"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

func TestMain(m *testing.M) { repotest.Main(m) }

// checker returns a Checker whose caches all tests share.
func checker(t *testing.T) *Checker {
	t.Helper()
	return &Checker{Caches: Caches{Sandbox: repotest.OpenSandbox(t), Dir: repotest.Shared("cache"), Log: slog.New(slog.DiscardHandler)}}
}
