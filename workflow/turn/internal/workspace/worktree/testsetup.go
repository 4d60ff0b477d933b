package worktree

import (
	"context"
	"fmt"
	"sync"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A Setup holds how one repository is tested, or the folder of it that the work is limited to. It is
// safe for concurrent use.
type Setup struct {
	*ledger.Ledger
	Repository string
	Folder     string // empty: the whole repository
	Display    string // the name that people know
	Branch     string // the branch that the work starts from
	Configured bool   // the operator has configured the test command

	mu      sync.Mutex
	project project.Project
	named   bool          // the test command was named by an agent, in this session or an earlier one
	base    result.Result // the result of the base's own run; zero: not known yet, or of another command
}

// Find sets the project: to found, or to found with the test command that an agent named before.
func (t *Setup) Find(ctx context.Context, found project.Project) error {
	t.set(found, false)
	if t.Configured {
		return nil
	}
	c, err := t.Store.TestCommand(ctx, t.Repository, t.Folder)
	if err != nil || c.Command == "" {
		return err
	}
	if named, ok := found.Named(c.Command, c.Source); ok {
		t.set(named, true)
	}
	return nil
}

// Project returns how the repository is built and tested, as far as that is known now.
func (t *Setup) Project() project.Project {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.project
}

func (t *Setup) set(found project.Project, named bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.project, t.named, t.base = found, named, result.Result{}
}

// SetBase stores the result of the base's own run.
func (t *Setup) SetBase(base result.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.base = base
}

// Unprovable says that nothing can be proven, since the build or the tests of the base do not start,
// and why. It returns an empty string if they start, or if that is not known yet.
func (t *Setup) Unprovable() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	command, missing := t.base.Project.TestShown(), t.base.Missing.Tests
	if command == "" {
		command, missing = t.base.Project.Build, t.base.Missing.Build
	}
	if missing == "" {
		return ""
	}
	return fmt.Sprintf("Nothing can be proven here: `%s` did not start on %s (%s).", prompt.WithoutJSONFlag(command), t.Branch, missing)
}

// Judge returns the project with a test command that an agent names. It refuses if a command is
// configured, or if the command that was found finds tests and names each: a proof must not be weaker
// than the project allows.
func (t *Setup) Judge(by, line, source string) (project.Project, error) {
	t.mu.Lock()
	now, base, named := t.project, t.base, t.named
	t.mu.Unlock()
	switch {
	case t.Configured:
		return now, model.Mistakef("No command can be named: whoever runs me has set how %s is tested (`%s`). Call check without one.", t.Repository, now.TestShown())
	case !named && now.Test != "" && base.Sum() > 0 && base.EveryTestNamed() && base.Missing.Tests == "":
		return now, model.Mistakef("No command has to be named: `%s` works, and names each test. Call check without one.", now.TestShown())
	}
	from := "named by " + by
	if source = plaintext.OneLine(source); source != "" {
		from += ", from " + plaintext.CutCounted(source, 200)
	}
	next, ok := now.Named(line, from)
	if !ok {
		return now, model.Mistake("That cannot be the test command: it has to be a call of a test runner whose output is read (go test, pytest, unittest, cargo test, jest, vitest, mocha, ava, tap, node --test), with nothing before it but cd, and nothing behind it. Use run for anything else.")
	}
	return next, nil
}

// Keep stores the command as the repository's, and posts a line so that people can correct it.
func (t *Setup) Keep(ctx context.Context, next project.Project, line string, r result.Result) error {
	if t.Project() == next {
		return nil
	}
	passed := fmt.Sprintf("%d of %s passed", r.Passed, plaintext.CountNoun(r.Sum(), "test"))
	err := t.Record(ctx, progress.TestCommand{Repository: t.Repository, Folder: t.Folder, Command: line, Source: next.From},
		lessons.Seen{Repository: t.Repository, Folder: t.Folder, Key: lessons.KeyTest, Text: "Its tests are run with: " + line, Source: passed + ", " + next.From},
		store.Lines(t.ProgramLine(fmt.Sprintf("From now on %s is tested with `%s` (%s): %s. If that is wrong, say which command is right.",
			t.Display, prompt.WithoutJSONFlag(r.Project.TestShown()), next.From, passed))))
	if err == nil {
		t.set(next, true)
	}
	return err
}
