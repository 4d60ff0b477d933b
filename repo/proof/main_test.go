package proof

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/bobbinhq/bobbin/repo/buildcache"
	"github.com/bobbinhq/bobbin/repo/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/testrun"
)

// shared is a folder for what the tests share: caches, cold when they begin.
var shared string

func TestMain(m *testing.M) {
	sandbox.Main()
	dir, err := os.MkdirTemp("", "proof-")
	if err != nil {
		panic(err)
	}
	shared = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// checker is one whose caches the tests share.
func checker(t *testing.T) *testrun.Checker {
	t.Helper()
	return &testrun.Checker{Caches: buildcache.Caches{Sandbox: repotest.OpenSandbox(t), Dir: filepath.Join(shared, "cache"), Log: slog.New(slog.DiscardHandler)}}
}
