package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A Prepared is a tree that was built once. Each run works on a copy of it with the same times, so that a
// build goes on from there, and no run sees what another one has written. Close removes it.
type Prepared struct {
	checker *Checker
	files   string
	tree    string // a hash of the files before the build; empty without a journal
	remove  func()
}

// Prepare builds a fresh tree of the commit for runs that change little of it. lay may change its files
// before the build; it may be nil. A build that fails is no error.
func (c *Checker) Prepare(
	ctx context.Context, commit string, lay func(*os.Root) error, p project.Project,
) (*Prepared, error) {
	if !c.HasSandbox() {
		return nil, ErrNoSandbox
	}
	files, remove, err := c.freshTree(ctx, commit, lay)
	if err != nil {
		return nil, err
	}
	p.Test = ""
	tree := ""
	if c.journal != nil {
		tree, err = sumOfFiles(files)
	}
	if err == nil {
		_, err = c.runTreeAt(ctx, treeRun{dir: files}, p)
	}
	if err != nil {
		remove()
		return nil, err
	}
	return &Prepared{c, files, tree, remove}, nil
}

// Close removes the tree.
func (pr *Prepared) Close() { pr.remove() }

// insideBuilt is where a command sees the tree that it copies.
const insideBuilt = "/cache/built"

// RunTree is Checker.RunTree for a copy of the tree. c is the Checker of Prepare, or one that was made of it.
// laid tells exactly what lay writes; if it is empty, no journal keeps the result.
func (pr *Prepared) RunTree(
	ctx context.Context, c *Checker, laid string, lay func(*os.Root) error, p project.Project,
) (result.Result, error) {
	work, remove, err := c.cacheOrEmpty().WorkFolder()
	if err != nil {
		return result.Result{}, err
	}
	defer remove()
	files := filepath.Join(work, "files")
	if err := os.Mkdir(files, 0o755); err != nil {
		return result.Result{}, err
	}
	if err := c.Caches.Sandbox.Own(files); err != nil {
		return result.Result{}, err
	}
	// The build may have written anything, so it is copied by a command that cannot leave the two folders.
	from := insideBuilt
	if c.Caches.Sandbox.Kind() == sandbox.KindNone { // without a sandbox there are no mounts
		from = pr.files
	}
	cmd := c.cacheOrEmpty().Sandbox().ShellCommand(ctx, files, `cp -a "$1/." .`, from)
	cmd.Mounts = []sandbox.Mount{{Host: pr.files, Inside: insideBuilt}}
	cmd.Limits = c.limits()
	if err := cmd.Run(ctx); err != nil {
		return result.Result{}, fmt.Errorf("test run: copy a built tree: %w", err)
	}
	if err := layInto(files, lay); err != nil {
		return result.Result{}, err
	}
	if err := c.Caches.Sandbox.Own(files); err != nil {
		return result.Result{}, err
	}
	tree := ""
	if pr.tree != "" && laid != "" {
		tree = "built " + pr.tree + " " + laid
	}
	return c.runJournaled(ctx, tree, treeRun{dir: files}, p)
}
