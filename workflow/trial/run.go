package trial

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// A Runner tries repositories.
type Runner struct {
	Mirrors *git.Mirrors
	// Checker runs commands and fetches packages. If it is nil, nothing is run, and SandboxOff says why.
	Checker    *build.Checker
	SandboxOff Cause
	Once       bool // the tests are run once, not twice
	// Step is called when a step begins that may take long, with what it does in words, such as "run the
	// tests: go test ./...". It returns a function that is called when the step has ended. Nil: nothing is
	// called.
	Step func(what string) (done func())
	// Watch is told how far the runs of the build and the tests are. Nil: nobody is.
	Watch build.Watch
}

// Run tries a repository: it fetches it, looks at its files, fetches its packages, and builds and tests its
// base. A repository that is not ready is no error. The error is a *remote.Error if it cannot be read.
func (r *Runner) Run(ctx context.Context, repo repository.Repository) (Trial, error) {
	done := r.step("fetch the repository")
	mirror, err := r.Mirrors.Open(ctx, repo.Remote)
	done()
	if err != nil {
		return Trial{}, err
	}
	t := trying{Runner: r, mirror: mirror}
	t.subject = Subject{Repository: repo, Commits: mirror.Commits(), Branch: repo.Base}
	if repo.Base == "" {
		t.subject.Branch = t.subject.Commits.DefaultBranch()
	}
	if t.subject.Commit, err = t.subject.Commits.Resolve(t.subject.Branch); err != nil {
		return Trial{}, err
	}
	if r.Checker != nil {
		t.checker = r.Checker.For(mirror).WatchedBy(r.Watch)
		t.subject.later = true
	}
	done = r.step("look at the files")
	t.looked, err = look(ctx, t.subject)
	done()
	if err != nil {
		return Trial{}, err
	}
	if t.checker != nil {
		if err := t.runAll(ctx); err != nil {
			return t.trial, err
		}
	}
	t.conclude()
	return t.trial, nil
}

func (r *Runner) step(what string) (done func()) {
	if r.Step == nil {
		return func() {}
	}
	return r.Step(what)
}

// A trying is one call of Run.
type trying struct {
	*Runner
	looked
	subject Subject
	mirror  *git.Mirror
	checker *build.Checker
	base    result.Result
	missing []packages.Missing

	lfsMissing []packages.Missing // files of Git LFS without their content

	services []environment.Installed
	instead  []string // where packages come from, if not from a registry
}

func (t *trying) runAll(ctx context.Context) error {
	found, services, err := t.checker.Cache.UseEnvironment(ctx, t.subject.Commit,
		t.subject.Repository.Environment)
	if err != nil {
		return err
	}
	t.services = services
	t.trial.takeEnvironment(found)
	have, err := t.fetchPackages(ctx)
	if err != nil {
		return err
	}
	defer have.Close()
	t.checker.Cache.UsePackages(have)
	if t.project.Build+t.project.Test == "" {
		return nil
	}
	if err := t.runBase(ctx); err != nil {
		return err
	}
	if !t.base.TestsRan || t.base.Stopped != "" || t.base.Missing.Tests != "" {
		return nil
	}
	if err := t.runAgain(ctx); err != nil {
		return err
	}
	return t.runNear(ctx)
}

// fetchPackages fetches the packages and notes which are missing. The caller closes them; they may be nil.
func (t *trying) fetchPackages(ctx context.Context) (*packages.Packages, error) {
	done := func() {}
	have, err := t.checker.Cache.FetchPackages(ctx, t.subject.Commit, t.setup, func(names string) {
		done = t.step("fetch the packages that " + names + " names")
	})
	done()
	if ctx.Err() != nil {
		return have, ctx.Err()
	}
	for i, s := range t.trial.Submodules {
		t.trial.Submodules[i].Fetched = slices.Contains(have.Submodules(), s.Path)
	}
	t.lfsMissing = slices.DeleteFunc(slices.Clone(missingOf(have)),
		func(m packages.Missing) bool { return m.LFSFiles == 0 })
	if n, bytes, _ := have.LFSFiles(); n > 0 && t.trial.LFS != nil {
		t.trial.LFS.Fetched = n
		t.trial.LFS.Files -= n
		t.trial.LFS.Bytes = bytes
	}
	for i := range t.trial.Packages {
		p := &t.trial.Packages[i]
		if err != nil {
			p.Why = strings.TrimPrefix(err.Error(), "setup: ")
			continue
		}
		p.Fetched = have != nil && p.Why == ""
		for _, m := range missingOf(have) {
			if p.names == m.Kind+m.Names {
				p.Fetched = false
				p.Why = m.Why
				p.Cure = m.Cure
				p.Output = m.Output
				t.missing = append(t.missing, m)
			}
		}
	}
	for _, line := range have.Instead() {
		t.instead = append(t.instead, "the packages of "+line)
	}
	return have, nil
}

func missingOf(have *packages.Packages) []packages.Missing {
	if have == nil {
		return nil
	}
	return have.Missing
}

// runBase builds and tests the base, as a turn does when a session begins.
func (t *trying) runBase(ctx context.Context) (err error) {
	var done func()
	test := "test: " + t.project.TestCommand() + t.startedFirst()
	if t.project.Build != "" {
		done = t.step("build: " + t.project.Build)
	} else {
		done = t.step(test)
	}
	t.base, err = t.checker.BaselineBuilt(ctx, t.subject.Commit, t.project, func() {
		if t.project.Build != "" && t.project.Test != "" {
			done()
			done = t.step(test)
		}
	})
	done()
	if err == nil {
		t.trial.Base = runOf(t.base)
	}
	return errors.Join(err, ctx.Err())
}

// startedFirst names the services that are started before the tests: " (postgres 15.7 and redis 7.0 first)".
func (t *trying) startedFirst() string {
	var names []string
	for _, s := range t.services {
		if s.Has != "" {
			names = append(names, s.Kind+" "+s.Has)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, " and ") + " first)"
}

// runAgain runs the tests once more, and compares.
func (t *trying) runAgain(ctx context.Context) error {
	if t.Once || !t.base.Counted {
		return nil
	}
	done := t.step("test again, to find flaky tests")
	checker := t.checker.Named("all tests once more", t.base)
	again, err := checker.RunTree(ctx, t.subject.Commit, nil, t.base.Project.Afresh())
	done()
	if err != nil {
		return errors.Join(err, ctx.Err())
	}
	t.trial.Again = runOf(again)
	if again.Stopped == "" {
		t.trial.Flaky, t.trial.Unstable = compareRuns(t.base, again)
	}
	return ctx.Err()
}

// compareRuns returns the names of the tests that have different results in two runs, and of those that only
// one run has.
func compareRuns(a, b result.Result) (flaky, unstable []string) {
	first := result.CountByName(a.Tests)
	second := result.CountByName(b.Tests)
	flaky = []string{}
	unstable = []string{}
	for n, counts := range first {
		other, both := second[n]
		switch {
		case !both && counts.Passed > 0:
			unstable = append(unstable, n.Name)
		case both && counts != other:
			flaky = append(flaky, n.Name)
		}
	}
	for n, counts := range second {
		if _, both := first[n]; !both && counts.Passed > 0 {
			unstable = append(unstable, n.Name)
		}
	}
	slices.Sort(flaky)
	slices.Sort(unstable)
	return slices.Compact(flaky), slices.Compact(unstable)
}

// runNear runs the tests near one source file, as a check does after a change of that file.
func (t *trying) runNear(ctx context.Context) error {
	afresh := t.base.Project.Afresh()
	file, parts, ok := afresh.NearExample(t.files, t.paths)
	if !ok {
		return nil
	}
	shown := parts.Near
	if narrowed, ok := t.base.Project.Near([]string{file}, nil); ok && t.project.Kind == "go" {
		shown = narrowed.Test
	}
	near := &Near{File: file, Line: project.Project{Test: shown}.TestCommand()}
	done := t.step("test near " + file)
	r, err := t.checker.RunTreeNearFirst(ctx, t.subject.Commit, nil, afresh,
		build.First{Parts: parts, Enough: func(result.Result) bool { return true }})
	done()
	if err != nil {
		return errors.Join(err, ctx.Err())
	}
	near.Passed = r.Passed
	near.Failed = r.Failed
	near.Skipped = r.Skipped
	near.Seconds = seconds(r.Took - r.BuildTook)
	t.trial.Near = near
	return ctx.Err()
}

const (
	maxFailures = 10   // failed tests that are named
	maxOutput   = 3000 // bytes of an output that are kept
)

func runOf(r result.Result) *Run {
	run := &Run{
		BuildRan: r.BuildRan, BuildOK: r.BuildOK, BuildSeconds: seconds(r.BuildTook),
		TestsRan: r.TestsRan, TestSeconds: seconds(r.Took - r.BuildTook),
		Counted: r.Counted, Passed: r.Passed, Failed: r.Failed, Skipped: r.Skipped,
		Memory: r.Used.Memory, Processes: r.Used.Processes, Services: seconds(r.Used.Services),
		ExitCode: r.ExitCode, Stopped: r.Stopped, EachNamed: r.EveryTestNamed(),
		Line: strings.ReplaceAll(r.String(), "go test -json ", "go test "),
	}
	for _, test := range r.Tests {
		if test.Status == result.Failed && len(run.Failures) < maxFailures {
			run.Failures = append(run.Failures, test.Name)
		}
	}
	switch {
	case r.BuildRan && !r.BuildOK:
		run.Output = lastBytes(r.BuildOutput)
	case r.TestsRan && !r.TestsOK:
		run.Output = lastBytes(r.Output)
	}
	return run
}

// lastBytes returns the last lines of a text, without its oldest ones.
func lastBytes(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxOutput {
		return text
	}
	text = text[len(text)-maxOutput:]
	_, whole, _ := strings.Cut(text, "\n")
	return strings.ToValidUTF8(whole, "")
}

// asksServer matches what tests print if they cannot reach a server.
var asksServer = regexp.MustCompile(`\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\b|(?i:connection refused|` +
	`no such host|could not resolve|name resolution|network is unreachable|` +
	`failed to connect|could not connect)`)

// unreached returns how many failed tests could not reach a server, and the first line that says so.
func unreached(r result.Result) (n int, line string) {
	for _, test := range r.Tests {
		if test.Status != result.Failed || !asksServer.MatchString(test.Output) {
			continue
		}
		n++
		for text := range strings.Lines(test.Output) {
			if line == "" && asksServer.MatchString(text) {
				line = strings.TrimSpace(text)
			}
		}
	}
	return n, line
}
