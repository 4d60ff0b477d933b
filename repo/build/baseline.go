package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
)

// rememberedVersion is part of the name of each result file. Raise it when a stored result would be read
// differently.
const rememberedVersion = 4

// Baseline builds and tests a commit of the repository without changes. It runs once per commit and stores
// the result on disk. Only Baseline fills the repository's build cache. A run that did not start is not
// stored, because the next run may get further. One that was ended by a limit is stored with its limits, and
// runs again once they have grown. If it was the time, it runs a second time in any case: it may find more in
// the build cache. If a limit ended it while a few tests were running, it runs again without them: they are
// in LeftOut then, and the result's Project is the command without them.
func (c *Checker) Baseline(ctx context.Context, commit string, p project.Project) (result.Result, error) {
	return c.BaselineBuilt(ctx, commit, p, nil)
}

// BaselineBuilt is Baseline, and calls built after the build and before the tests: from then on commands
// find the build's output in the cache. If the result is already stored, built is not called.
func (c *Checker) BaselineBuilt(
	ctx context.Context, commit string, p project.Project, built func(),
) (result.Result, error) {
	if !c.HasSandbox() {
		return result.Result{Project: p}, ErrNoSandbox
	}
	cache := c.cacheOrEmpty()
	release, err := cache.pin(ctx)
	if err != nil {
		return result.Result{}, err
	}
	defer release()
	file, err := cache.resultFile(resultName(commit, p, cache.packagesKey(), cache.environmentKey()))
	if err != nil {
		return result.Result{}, err
	}
	if r, ok := c.loadBaseline(file); ok {
		c.learn(p, r)
		return r, nil
	}
	unlock, err := cache.lockBase(ctx)
	if err != nil {
		return result.Result{}, err
	}
	defer unlock()
	if r, ok := c.loadBaseline(file); ok { // the previous holder of the lock may have stored the result
		c.learn(p, r)
		return r, nil
	}
	name := cache.Mirror().Remote().Name
	c.Caches.log().Info("build and test the base", "repository", name, "commit", commit)
	run := c.Named(c.name, c.figuresOf(p)).KeptIn(nil) // its result is stored for all sessions
	r, err := run.runTree(ctx, commit, nil, p, treeRun{writable: true, built: built})
	if err == nil && r.Limited() != "" && r.TestsRan {
		r, err = run.withoutStopped(ctx, commit, r, p)
	}
	if err != nil {
		return r, err
	}
	c.Caches.log().Info("the base was tested", "repository", name, "commit", commit,
		"result", r.String(), "took", r.Took)
	if r.Missing == (result.Missing{}) && (r.Stopped == "" || r.Limited() != "") {
		r.Runs = 1
		if before, ok := loadResult(file); ok && before.Stopped == r.Stopped && before.Limits == r.Limits {
			r.Runs = before.Runs + 1
		}
		err = errors.Join(saveResult(file, r), c.keepFigures(p, r))
	}
	return r, err
}

// loadBaseline reads the stored result of a baseline. It returns false if it has to run: no result is stored,
// or a limit ended it that is larger now.
func (c *Checker) loadBaseline(file string) (result.Result, bool) {
	r, ok := loadResult(file)
	if ok && len(r.LeftOut) > 0 { // they may fit now
		now := c.limits()
		return r, now.Time <= r.Limits.Time && now.Memory <= r.Limits.Memory &&
			now.Processes <= r.Limits.Processes && now.FileSize <= r.Limits.FileSize
	}
	if !ok || r.Limited() == "" {
		return r, ok
	}
	now := c.limits()
	switch r.Limited() {
	case result.StoppedTime:
		return r, r.Runs > 1 && now.Time <= r.Limits.Time
	case result.StoppedMemory:
		return r, now.Memory <= r.Limits.Memory
	case result.LackedProcesses:
		return r, now.Processes <= r.Limits.Processes
	case result.StoppedDisk:
		return r, now.Disk <= r.Limits.Disk
	case result.LackedFileSize:
		return r, now.FileSize <= r.Limits.FileSize
	}
	return r, true
}

// learn notes from a stored result that the test command of p can be counted only without a reporter's
// flags, and whether it needs too much memory with several workers.
func (c *Checker) learn(p project.Project, r result.Result) {
	if r.OneWorker || r.Limited() == result.StoppedMemory {
		c.noteWorkers(p.Build, r.OneWorker)
		c.noteWorkers(countableCommand(p.Test), r.OneWorker)
	}
	if p.Written != "" && r.Project.Test == p.Written {
		c.noteUncountable(countableCommand(p.Test))
	}
}

// Remembered returns the stored result of Baseline, or false if there is none.
func (c *Checker) Remembered(commit string, p project.Project) (result.Result, bool) {
	cache := c.cacheOrEmpty()
	file, err := cache.resultFile(resultName(commit, p, cache.packagesKey(), cache.environmentKey()))
	if err != nil {
		return result.Result{}, false
	}
	return loadResult(file)
}

// RunTree builds and tests a fresh tree of the commit. lay may change its files before the run; it may be
// nil.
func (c *Checker) RunTree(
	ctx context.Context, commit string, lay func(*os.Root) error, p project.Project,
) (result.Result, error) {
	return c.runTree(ctx, commit, lay, p, treeRun{})
}

// RunTreeNearFirst is RunTree with the tests in two parts, the near ones first. Each test is counted once.
// Without near tests it is RunTree.
func (c *Checker) RunTreeNearFirst(
	ctx context.Context, commit string, lay func(*os.Root) error, p project.Project, first First,
) (result.Result, error) {
	if first.Near == "" {
		return c.RunTree(ctx, commit, lay, p)
	}
	return c.runTree(ctx, commit, lay, p, treeRun{first: &first})
}

// runTree runs j in a fresh tree of the commit.
func (c *Checker) runTree(
	ctx context.Context, commit string, lay func(*os.Root) error, p project.Project, j treeRun,
) (result.Result, error) {
	files, remove, err := c.freshTree(ctx, commit, lay)
	if err != nil {
		return result.Result{}, err
	}
	defer remove()
	j.dir = files
	tree := ""
	if c.journal != nil {
		if tree, err = sumOfFiles(files); err != nil {
			return result.Result{}, err
		}
	}
	return c.runJournaled(ctx, tree, j, p)
}

// runJournaled is runTreeAt for a tree with exactly this content. If the run has ended before, as the journal
// tells, its result is returned.
func (c *Checker) runJournaled(
	ctx context.Context, tree string, j treeRun, p project.Project,
) (result.Result, error) {
	j.kept = c.openRun(tree, p, j.first)
	if r, ok := j.kept.take(); ok {
		return r, nil
	}
	r, err := c.runTreeAt(ctx, j, p)
	if err == nil {
		j.kept.keep(ctx, r)
	}
	return r, err
}

// freshTree writes the files of the commit into a new folder, changed by lay, which may be nil. Commands can
// write it. remove removes it.
func (c *Checker) freshTree(
	ctx context.Context, commit string, lay func(*os.Root) error,
) (files string, remove func(), err error) {
	work, remove, err := c.cacheOrEmpty().WorkFolder()
	if err != nil {
		return "", nil, err
	}
	files = filepath.Join(work, "files")
	err = c.cacheOrEmpty().Mirror().Materialise(ctx, commit, files)
	if err == nil && lay != nil {
		err = layInto(files, lay)
	}
	if err == nil {
		err = c.Caches.Sandbox.Own(files)
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return files, remove, nil
}

func layInto(dir string, lay func(*os.Root) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return lay(root)
}

// resultName returns the name of the file that stores a result.
func resultName(commit string, p project.Project, packagesKey, environmentKey string) string {
	parts := []string{fmt.Sprint(rememberedVersion), commit, p.Build, p.Test}
	if p.Written != "" {
		parts = append(parts, "written: "+p.Written)
	}
	if packagesKey != "" {
		parts = append(parts, packagesKey)
	}
	if environmentKey != "" {
		parts = append(parts, "environment: "+environmentKey)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// loadResult reads a stored result. It returns false if the file is missing or damaged.
func loadResult(file string) (result.Result, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return result.Result{}, false
	}
	var r result.Result
	return r, json.Unmarshal(text, &r) == nil
}

// saveResult writes the result to a temporary file and renames it, so that the file is always complete.
func saveResult(file string, r result.Result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := writeWhole(file, text); err != nil {
		return fmt.Errorf("test run: remember a result: %w", err)
	}
	return nil
}

// writeWhole writes a temporary file and renames it.
func writeWhole(file string, text []byte) error {
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
	}
	return err
}
