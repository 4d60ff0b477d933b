package eval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/suite"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A judge runs the hidden tests of a task in the sandbox, each time on a fresh checkout.
type judge struct {
	task    suite.Task
	checker *build.Checker
	mirror  *git.Mirror
	base    string
	fetched *packages.Packages
	warmed  bool // the build cache is filled
}

func openJudge(ctx context.Context, c *build.Checker, m *git.Mirror, t suite.Task) (j *judge, err error) {
	j = &judge{task: t, checker: c.For(m), mirror: m}
	if j.base, err = m.Commits().Resolve("main"); err != nil {
		return nil, err
	}
	if j.fetched, err = j.checker.Cache.FetchPackages(ctx, j.base, packages.Config{}, nil); err != nil {
		return nil, fmt.Errorf("fetch the packages of %s: %w", t.Name, err)
	}
	j.checker.Cache.UsePackages(j.fetched)
	return j, nil
}

// lacksPackages returns one line about the first package that cannot be fetched here, or an empty string.
func (j *judge) lacksPackages() string {
	if j.fetched == nil || len(j.fetched.Missing) == 0 {
		return ""
	}
	m := j.fetched.Missing[0]
	return fmt.Sprintf("the packages that %s names cannot be had here: %s", m.Names, m.Why)
}

// Close releases the fetched packages.
func (j *judge) Close() {
	if j.fetched != nil {
		j.fetched.Close()
	}
}

func (j *judge) run(ctx context.Context, commit string, lay func(*os.Root) error) (result.Result, error) {
	return j.checker.RunTree(ctx, commit, lay, project.Project{Test: j.task.Test})
}

// passes reports whether tests ran and all of them passed.
func passes(r result.Result) bool {
	return r.TestsRan && r.OK() && (!r.Counted || r.Passed > 0)
}

// warm runs the tests of the unchanged base, unless the build cache is filled already. Only such a baseline run
// fills it, so Go's standard library is compiled once and not for each checkout.
func (j *judge) warm(ctx context.Context) error {
	if j.warmed {
		return nil
	}
	_, err := j.checker.Baseline(ctx, j.base, project.Project{Test: j.task.Test})
	return err
}

// examineBase runs the hidden tests on the base. It returns one line about why they prove nothing, or an
// empty string if they ran and failed.
func (j *judge) examineBase(ctx context.Context) (string, error) {
	if err := j.warm(ctx); err != nil {
		return "", err
	}
	r, err := j.run(ctx, j.base, j.task.LayHidden)
	switch {
	case err != nil:
		return "", err
	case passes(r):
		return "the hidden tests pass on the base, so they show nothing", nil
	case r.Missing.Tests != "":
		return "the hidden tests did not start: " + r.Missing.Tests, nil
	case r.Stopped != "":
		return "the hidden tests were ended on the base: " + r.Stopped, nil
	case r.TestsOK:
		return "the hidden tests on the base: " + r.String(), nil
	}
	return "", nil
}

// onMachine reports whether a program is in PATH.
func onMachine(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// A Verdict is Check's result for one task.
type Verdict struct {
	Task    string
	Skipped string   // why the task was not checked; empty if it was
	Wrong   []string // reasons why the task proves nothing; empty for a sound task
}

// A Checking configures Check.
type Checking struct {
	Tasks   []suite.Task
	Sandbox config.Sandbox
	Log     *slog.Logger
	// Warm, if not nil, fills the caches of a task's repository before its tests run. Else a run of the
	// unchanged base fills them.
	Warm func(*build.Checker) error
	// Found receives the verdict of each task when it is done.
	Found func(Verdict)
}

// Check tests for each task that its hidden tests fail on the base and pass on the good fix.
func Check(ctx context.Context, c Checking) error {
	dir, err := stage.MakeDir("")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	checker, err := server.OpenChecker(ctx, server.Settings{Target: storage.Target{DataDir: dir}, Sandbox: c.Sandbox}, c.Log)
	if err != nil {
		return err
	}
	for _, t := range c.Tasks {
		v := Verdict{Task: t.Name}
		if missing := t.Missing(onMachine); len(missing) > 0 {
			v.Skipped = "not on this machine: " + strings.Join(missing, ", ")
		} else if err := c.check(ctx, checker, t, dir, &v); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		c.Found(v)
	}
	return nil
}

func (c Checking) check(ctx context.Context, checker *build.Checker, t suite.Task, dir string, v *Verdict) (err error) {
	// All tasks use the same repository name and path, one after the other, so they share a build cache.
	at, mirrors := remote.Remote{Name: "task", URL: filepath.Join(dir, "remote.git")}, &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: c.Log}
	defer func() { err = errors.Join(err, mirrors.Close(), os.RemoveAll(at.URL), os.RemoveAll(mirrors.Dir)) }()
	if err := plantRemote(ctx, at.URL, t, c.Log); err != nil { // the task's fault: its repository names something that does not exist
		v.Wrong = append(v.Wrong, err.Error())
		return ctx.Err()
	}
	mirror, err := mirrors.Open(ctx, at)
	if err != nil {
		return err
	}
	j, err := openJudge(ctx, checker, mirror, t)
	if err != nil {
		return err
	}
	defer j.Close()
	if v.Skipped = j.lacksPackages(); v.Skipped != "" {
		return nil
	}
	if c.Warm != nil {
		if err := c.Warm(j.checker); err != nil {
			return err
		}
		j.warmed = true
	}
	v.Wrong, err = j.prove(ctx)
	return err
}

// prove returns the reasons why the task proves nothing, or nil if it is sound.
func (j *judge) prove(ctx context.Context) (wrong []string, err error) {
	why, err := j.examineBase(ctx)
	if err != nil {
		return nil, err
	}
	if why != "" {
		wrong = append(wrong, why)
	}
	r, err := j.run(ctx, j.base, j.task.LayGood)
	switch {
	case err != nil && ctx.Err() == nil: // the good patch does not apply
		wrong = append(wrong, err.Error())
	case err != nil:
		return nil, err
	case !passes(r):
		wrong = append(wrong, strings.TrimSpace("the hidden tests do not pass on the good fix: "+r.String()+"\n"+r.Output))
	}
	return wrong, nil
}
