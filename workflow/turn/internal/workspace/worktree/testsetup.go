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
func (s *Setup) Find(ctx context.Context, found project.Project) error {
	s.set(found, false)
	if s.Configured {
		return nil
	}
	c, err := s.Store.TestCommand(ctx, s.Repository, s.Folder)
	if err != nil || c.Command == "" {
		return err
	}
	if named, ok := found.Named(c.Command, c.Source); ok {
		s.set(named, true)
	}
	return nil
}

// Project returns how the repository is built and tested, as far as that is known now.
func (s *Setup) Project() project.Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.project
}

func (s *Setup) set(found project.Project, named bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.project = found
	s.named = named
	s.base = result.Result{}
}

// setBase stores the result of the base's own run.
func (s *Setup) setBase(base result.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = base
}

// unprovable says that nothing can be proven, since the build or the tests of the base do not start,
// and why. It returns an empty string if they start, or if that is not known yet.
func (s *Setup) unprovable() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	command := s.base.Project.TestCommand()
	missing := s.base.Missing.Tests
	if command == "" {
		command = s.base.Project.Build
		missing = s.base.Missing.Build
	}
	if missing == "" {
		return ""
	}
	return fmt.Sprintf("Nothing can be proven here: `%s` did not start on %s (%s).",
		prompt.WithoutJSONFlag(command), s.Branch, missing)
}

// limited returns a sentence for each thing that a limit of this machine keeps from being run on the base.
func (s *Setup) limited() (notes []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.base.LeftOut {
		notes = append(notes, fmt.Sprintf("%s cannot be run here, on %s either (%s), and is left out.",
			t.Name, s.Branch, t.Why))
	}
	if s.base.Stopped != "" {
		notes = append(notes, fmt.Sprintf("The whole test suite does not end here, on %s either (%s), "+
			"so the tests of changed test files are run alone.", s.Branch, s.base.StopReason()))
	}
	return notes
}

// Judge returns the project with a test command that an agent names. It refuses if a command is
// configured, or if the command that was found finds tests and names each: a proof must not be weaker
// than the project allows.
func (s *Setup) Judge(by, line, source string) (project.Project, error) {
	s.mu.Lock()
	now := s.project
	base := s.base
	named := s.named
	s.mu.Unlock()
	switch {
	case s.Configured:
		return now, model.Mistakef("No command can be named: the operator has set how %s is tested "+
			"(`%s`). Call check without one.", s.Repository, now.TestCommand())
	case !named && now.Test != "" && base.Sum() > 0 && base.EveryTestNamed() && base.Missing.Tests == "":
		return now, model.Mistakef("No command has to be named: `%s` works, and names each test. "+
			"Call check without one.", now.TestCommand())
	}
	from := "named by " + by
	if source = plaintext.OneLine(source); source != "" {
		from += ", from " + plaintext.CutCounted(source, 200)
	}
	next, ok := now.Named(line, from)
	if !ok {
		return now, model.Mistake("That cannot be the test command: it has to be a call of a test runner " +
			"whose output is read (go test, pytest, unittest, cargo test, jest, vitest, mocha, ava, tap, " +
			"node --test), with nothing before it but cd, and nothing behind it. Use run for anything else.")
	}
	return next, nil
}

// Keep stores the command as the repository's, and posts a line so that people can correct it.
func (s *Setup) Keep(ctx context.Context, next project.Project, line string, r result.Result) error {
	if s.Project() == next {
		return nil
	}
	passed := fmt.Sprintf("%d of %s passed", r.Passed, plaintext.CountNoun(r.Sum(), "test"))
	err := s.Record(ctx,
		progress.TestCommand{Repository: s.Repository, Folder: s.Folder, Command: line, Source: next.From},
		lessons.Seen{
			Repository: s.Repository,
			Folder:     s.Folder,
			Key:        lessons.KeyTest,
			Text:       "Its tests are run with: " + line,
			Source:     passed + ", " + next.From,
		},
		store.Lines(s.ProgramLine(fmt.Sprintf("From now on %s is tested with `%s` (%s): %s. "+
			"If that is wrong, say which command is right.",
			s.Display, prompt.WithoutJSONFlag(r.Project.TestCommand()), next.From, passed))))
	if err == nil {
		s.set(next, true)
	}
	return err
}
