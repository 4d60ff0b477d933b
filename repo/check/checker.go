package check

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// ErrNoSandbox is given where there is nothing to run commands in.
var ErrNoSandbox = errors.New("check: there is no sandbox to run the build and the tests in")

// A Checker runs builds and tests. It is safe for concurrent use, also by several
// processes over the same CacheDir.
type Checker struct {
	Sandbox  *sandbox.Sandbox // nil: Run and Baseline give ErrNoSandbox, Prove says so
	CacheDir string           // what is kept between runs; the program's own
	Log      *slog.Logger     // default: discarded
	// Limits of one command. Default: the sandbox's own, but 10 minutes.
	Limits sandbox.Limits
	// ModuleCache is a Go module cache of this machine that commands may read; "-" for
	// none. Default: the one of the user that the program runs as, where it exists.
	ModuleCache string
}

var errNotYet = errors.New("check: not built yet")

func (c *Checker) Run(ctx context.Context, dir string, p Project) (Result, error) {
	return Result{}, errNotYet
}

func (c *Checker) Baseline(ctx context.Context, m *repo.Mirror, commit string, p Project) (Result, error) {
	return Result{}, errNotYet
}

func (c *Checker) Mounts(m *repo.Mirror) ([]sandbox.Mount, []string) { return nil, nil }

func (c *Checker) Prove(ctx context.Context, m *repo.Mirror, w *repo.Workspace, p Project) (Proof, error) {
	return Proof{}, errNotYet
}
