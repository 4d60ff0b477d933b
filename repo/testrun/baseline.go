package testrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/result"
)

// rememberedVersion changes when what is remembered would be read differently.
const rememberedVersion = 3

// Baseline builds and tests a commit of the repository itself, once: the result is
// remembered on disk. It alone fills the repository's build cache. A run that the sandbox
// had to end, or that did not start, is not remembered, since the next may fare better.
func (c *Checker) Baseline(ctx context.Context, commit string, p project.Project) (result.Result, error) {
	return c.BaselineBuilt(ctx, commit, p, nil)
}

// BaselineBuilt is Baseline, and calls built where the build is done and the tests are still to be
// run: from then on commands find in the cache what was built. Where the result is remembered it
// is not called.
func (c *Checker) BaselineBuilt(ctx context.Context, commit string, p project.Project, built func()) (result.Result, error) {
	if !c.HasSandbox() {
		return result.Result{Project: p}, ErrNoSandbox
	}
	cache := c.cacheOrEmpty()
	release, err := cache.Hold(ctx)
	if err != nil {
		return result.Result{}, err
	}
	defer release()
	file, err := cache.ResultFile(resultName(commit, p, cache.PackagesKey()))
	if err != nil {
		return result.Result{}, err
	}
	if r, ok := loadResult(file); ok {
		c.learn(p, r)
		return r, nil
	}
	unlock, err := cache.LockBase(ctx)
	if err != nil {
		return result.Result{}, err
	}
	defer unlock()
	if r, ok := loadResult(file); ok { // whoever held the lock did it
		c.learn(p, r)
		return r, nil
	}
	name := cache.Mirror().Remote().Name
	c.log().Info("build and test the base", "repository", name, "commit", commit)
	r, err := c.runTree(ctx, commit, nil, p, treeRun{writable: true, built: built})
	if err != nil {
		return r, err
	}
	c.log().Info("the base was tested", "repository", name, "commit", commit, "result", r.String(), "took", r.Took)
	if r.Stopped == "" && r.Missing == (result.Missing{}) {
		err = saveResult(file, r)
	}
	return r, err
}

// learn takes from what is remembered with which of its commands p is counted.
func (c *Checker) learn(p project.Project, r result.Result) {
	if p.Written != "" && r.Project.Test == p.Written {
		c.learnFlags(countableCommand(p.Test))
	}
}

// Remembered is what Baseline has found out before; false where it did not run yet.
func (c *Checker) Remembered(commit string, p project.Project) (result.Result, bool) {
	cache := c.cacheOrEmpty()
	file, err := cache.ResultFile(resultName(commit, p, cache.PackagesKey()))
	if err != nil {
		return result.Result{}, false
	}
	return loadResult(file)
}

// RunTree builds and tests a fresh tree of the commit, on which lay may put something.
func (c *Checker) RunTree(ctx context.Context, commit string, lay func(*os.Root) error, p project.Project) (result.Result, error) {
	return c.runTree(ctx, commit, lay, p, treeRun{})
}

// RunTreeNearFirst is RunTree with the tests in two parts, each test counted once.
func (c *Checker) RunTreeNearFirst(ctx context.Context, commit string, lay func(*os.Root) error, p project.Project, first First) (result.Result, error) {
	if first.Near == "" {
		return c.RunTree(ctx, commit, lay, p)
	}
	return c.runTree(ctx, commit, lay, p, treeRun{first: &first})
}

// runTree runs j in a fresh tree.
func (c *Checker) runTree(ctx context.Context, commit string, lay func(*os.Root) error, p project.Project, j treeRun) (result.Result, error) {
	work, remove, err := c.cacheOrEmpty().WorkFolder()
	if err != nil {
		return result.Result{}, err
	}
	defer remove()
	files := filepath.Join(work, "files")
	if err := c.cacheOrEmpty().Mirror().Materialise(ctx, commit, files); err != nil {
		return result.Result{}, err
	}
	if lay != nil {
		if err := layInto(files, lay); err != nil {
			return result.Result{}, err
		}
	}
	if err := c.Caches.Sandbox.Own(files); err != nil {
		return result.Result{}, err
	}
	j.dir = files
	return c.runTreeAt(ctx, j, p)
}

func layInto(dir string, lay func(*os.Root) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return lay(root)
}

// resultName is the name of the file that a result is kept in.
func resultName(commit string, p project.Project, packagesKey string) string {
	parts := []string{fmt.Sprint(rememberedVersion), commit, p.Build, p.Test}
	if p.Written != "" {
		parts = append(parts, "written: "+p.Written)
	}
	if packagesKey != "" {
		parts = append(parts, packagesKey)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// loadResult gives what is remembered. A file that cannot be read is as good as none.
func loadResult(file string) (result.Result, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return result.Result{}, false
	}
	var r result.Result
	return r, json.Unmarshal(text, &r) == nil
}

// saveResult writes the result so that it is there whole or not at all.
func saveResult(file string, r result.Result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "new-")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("test run: remember a result: %w", err)
	}
	return nil
}
