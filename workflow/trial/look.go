package trial

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// A Subject is what is tried: a commit of a repository.
type Subject struct {
	Repository repository.Repository
	Commits    git.Commits
	Branch     string
	Commit     string // whole hash
	// Sandbox is asked for the versions of tools; nil: no version is known.
	Sandbox *sandbox.Sandbox
	Temp    string // a folder for the command that asks; default: that of the system

	later bool // the versions of tools are looked for by UseEnvironment
}

// Look returns what the files of the subject say. It fetches nothing, and runs no command of the repository.
func Look(ctx context.Context, s Subject) (Trial, error) {
	l, err := look(ctx, s)
	return l.trial, err
}

// A looked is what was found in the files, with what the later steps need.
type looked struct {
	trial   Trial
	project project.Project
	setup   packages.Config
	files   fs.FS
	paths   []string
}

func look(ctx context.Context, s Subject) (l looked, err error) {
	l.trial = Trial{
		Repository: s.Repository.Name, URL: remote.Redact(s.Repository.URL),
		Branch: s.Branch, Commit: s.Commit, Folder: s.Repository.Folder(),
		Packages: []Packages{}, Services: []Service{}, Submodules: []Submodule{}, Versions: []Version{},
		Unused: []string{}, Flaky: []string{}, Unstable: []string{}, Provable: []string{}, Causes: []Cause{},
		Notes:    []Cause{},
		Settings: []Setting{},
	}
	if l.files, err = s.Commits.Files(s.Commit); err != nil {
		return l, err
	}
	if l.paths, err = s.Commits.ListPaths(ctx, s.Commit, func(string) bool { return false }); err != nil {
		return l, err
	}
	l.project = s.Repository.Project(l.files)
	l.trial.Files = len(l.paths)
	l.trial.Languages = languagesOf(l.paths)
	l.trial.Kind = l.project.Kind
	l.trial.Build, l.trial.Test = commandsOf(s.Repository, l.project)
	l.setup = s.Repository.SetupFor(l.project.Test, time.Now())
	if err := l.findPackages(ctx, s); err != nil {
		return l, err
	}
	if l.trial.Submodules, err = submodulesOf(ctx, s); err != nil {
		return l, err
	}
	if l.trial.LFS, err = lfsOf(ctx, l.files, l.paths); err != nil {
		return l, err
	}
	found := environment.Find(environment.FilesOf(l.files), s.Repository.Environment)
	if !s.later {
		lookTools(ctx, found, s.Sandbox, s.Repository.Environment, s.Temp)
	}
	l.trial.takeEnvironment(found)
	return l, ctx.Err()
}

// commandsOf returns the commands as people write them, with where they come from.
func commandsOf(r repository.Repository, p project.Project) (build, test Command) {
	build = Command{Line: p.Build}
	test = Command{Line: p.WrittenCommand(), From: p.From}
	if r.Build != "" {
		build.From = configured
	}
	if r.Test != "" {
		test.From = configured
	}
	return build, test
}

// configured is where a command comes from that the configuration names.
const configured = "the configuration"

func (l *looked) findPackages(ctx context.Context, s Subject) error {
	named, err := packages.FindNamed(ctx, s.Commits, s.Commit, l.setup)
	if err != nil {
		l.trial.Packages = append(l.trial.Packages, Packages{Files: []string{}, Why: err.Error()})
		return ctx.Err()
	}
	for _, n := range named {
		l.trial.Packages = append(l.trial.Packages,
			Packages{Manager: n.Manager, Files: slices.Concat([]string{}, n.Files), names: n.Kind + n.Names})
	}
	return nil
}

// String returns what was found in one line.
func (t Trial) String() string {
	parts := []string{cmp.Or(t.Kind, "no known kind of project")}
	for _, line := range []string{t.Build.Line, t.Test.Line} {
		if line != "" {
			parts = append(parts, line)
		}
	}
	if t.Test.Line == "" {
		parts = append(parts, "no test command")
	}
	for _, p := range t.Packages {
		parts = append(parts, "packages of "+plaintext.FirstOf(p.Files, 2))
	}
	for _, s := range t.Services {
		parts = append(parts, strings.TrimSpace("needs "+s.Name+" "+s.Version))
	}
	for _, v := range t.Versions {
		if v.Differs {
			parts = append(parts, v.String())
		}
	}
	if n := len(t.Submodules); n > 0 {
		parts = append(parts, plaintext.CountNoun(n, "submodule")+" not here")
	}
	if t.LFS != nil && t.LFS.Files > 0 {
		parts = append(parts, plaintext.CountNoun(t.LFS.Files, "LFS file")+" to fetch")
	}
	return strings.Join(parts, "; ")
}

// Lacks reports whether something is not here that the files name: a version of a tool, or submodules.
func (t Trial) Lacks() bool {
	return len(t.Submodules) > 0 ||
		slices.ContainsFunc(t.Versions, func(v Version) bool { return v.Differs })
}

// String says what is wanted and what is there: "wants node 22, has 20.1.0".
func (v Version) String() string {
	return environment.Tool{Name: v.Tool, Wants: v.Wants, Has: v.Has}.String()
}
