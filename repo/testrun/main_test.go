package testrun

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/bobbinhq/bobbin/repo/buildcache"
	"github.com/bobbinhq/bobbin/repo/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// shared is a folder for what the tests share: caches, cold when they begin.
var shared string

func TestMain(m *testing.M) {
	sandbox.Main()
	dir, err := os.MkdirTemp("", "testrun-")
	if err != nil {
		panic(err)
	}
	shared = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// checker is one whose caches the tests share.
func checker(t *testing.T) *Checker {
	t.Helper()
	return &Checker{Caches: buildcache.Caches{Sandbox: repotest.OpenSandbox(t), Dir: filepath.Join(shared, "cache"), Log: slog.New(slog.DiscardHandler)}}
}
