package worktree

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/repo/build"
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
	found   project.Project // what the program found by itself
	told    string          // the member who said the test command; empty: no member did
	untried bool            // it was said in this session: the thread is told how it ends on the base
	base    result.Result   // the result of the base's own run; zero: not known yet, or of another command
}

// Find sets the project: to found, or to found with the test command that a member said or an agent named
// before.
func (s *Setup) Find(ctx context.Context, found project.Project) error {
	s.set(found)
	s.found = found
	if s.Configured {
		return nil
	}
	c, err := s.Store.TestCommand(ctx, s.Repository, s.Folder)
	if err != nil || c.Command == "" {
		return err
	}
	if c.Person != "" {
		s.set(found.Told(c.Command, c.Source))
		s.told = c.Person
		s.untried = c.Session == s.Session().ID
		return nil
	}
	if named, ok := nameable(found, c.Command, c.Source); ok {
		s.set(named)
	}
	return nil
}

// nameable returns the project with a test command that an agent names: a call of a test runner, or of
// what the tree defines.
func nameable(p project.Project, line, source string) (project.Project, bool) {
	if named, ok := p.Named(line, source); ok {
		return named, true
	}
	return p.NamedByTree(line, source)
}

// Project returns how the repository is built and tested, as far as that is known now.
func (s *Setup) Project() project.Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.project
}

func (s *Setup) set(found project.Project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.project = found
	s.told = ""
	s.untried = false
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
	cure := s.base.StopCure()
	for _, t := range s.base.LeftOut {
		cure = t.Cure
		notes = append(notes, fmt.Sprintf("%s cannot be run here, on %s either (%s), and is left out.",
			t.Name, s.Branch, t.Why))
	}
	if s.base.Stopped != "" {
		notes = append(notes, fmt.Sprintf("The whole test suite does not end here, on %s either (it %s), "+
			"so the tests of changed test files are run alone.", s.Branch, s.base.StopReason()))
	}
	if cure != "" && len(notes) > 0 {
		notes[len(notes)-1] += fmt.Sprintf(" `%s` of the repository in bobbin.yaml allows more.", cure)
	}
	if n, example := s.base.Absent(); n > 0 {
		notes = append(notes, fmt.Sprintf("%s cannot be run here, on %s either, since %s is not here; "+
			"no proof counts on that.", plaintext.CountNoun(n, "test"), s.Branch, example))
	}
	return notes
}

// mostSkip says that half or more of the base's tests skip, so that they prove little. It returns an empty
// string if fewer do, or if that is not known yet.
func (s *Setup) mostSkip() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	skipped := s.base.Skipped
	if !s.base.Counted || skipped < 2 || 2*skipped < s.base.Sum() {
		return ""
	}
	return fmt.Sprintf("%d of %d tests skip on %s: they may need a database, or something else that is not "+
		"here.", skipped, s.base.Sum(), s.Branch)
}

// Judge returns the project with a test command that an agent names. It refuses if a command is
// configured, or if a member said which one is right. Whether the command is taken only its run tells.
func (s *Setup) Judge(by, line, source string) (project.Project, error) {
	s.mu.Lock()
	now := s.project
	told := s.told
	s.mu.Unlock()
	switch {
	case s.Configured:
		return now, model.Mistakef("No command can be named: the operator has set how %s is tested "+
			"(`%s`). Call check without one.", s.Repository, now.TestCommand())
	case told != "":
		return now, model.Mistakef("No command can be named: a member said how %s is tested (`%s`). "+
			"Call check without one, or ask the thread.", s.Repository, now.TestCommand())
	}
	from := "named by " + by
	if source = plaintext.OneLine(source); source != "" {
		from += ", from " + plaintext.CutCounted(source, 200)
	}
	next, ok := nameable(now, line, from)
	if !ok {
		return now, model.Mistakef("That cannot be the test command: it has to be a call of a test runner, "+
			"or of what the repository defines (make, ctest, npm run, ./script), with nothing before it but "+
			"cd, and nothing behind it. The output of these is read: %s. Use run for anything else.",
			strings.Join(build.Runners(), ", "))
	}
	return next, nil
}

// weaker returns why a command that an agent named is not kept, though its run found tests: what is used
// so far works and finds more. A proof must not be weaker than the project allows. It returns an empty
// string if it is kept.
func (s *Setup) weaker(r result.Result) string {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	least := base.Sum()
	switch {
	case least == 0 || !base.EveryTestNamed() || base.Missing.Tests != "":
		return ""
	case !base.TestsOK: // a test that cannot run here may be left out, and no more
		least -= max(1, least/20)
	}
	if r.Sum() >= least {
		return ""
	}
	return fmt.Sprintf("`%s` finds %s on %s, and this one only %d", base.Project.TestCommand(),
		plaintext.CountNoun(base.Sum(), "test"), s.Branch, r.Sum())
}

// Keep stores the command as the repository's, and posts a line so that people can correct it. It returns why
// it does not, in words for the model, if the command is weaker than the one that is used so far.
func (s *Setup) Keep(
	ctx context.Context, next project.Project, line string, r result.Result,
) (weaker string, err error) {
	if s.Project() == next {
		return "", nil
	}
	if weaker = s.weaker(r); weaker != "" {
		return weaker, nil
	}
	passed := fmt.Sprintf("%d of %s passed", r.Passed, plaintext.CountNoun(r.Sum(), "test"))
	err = s.Record(ctx,
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
		s.set(next)
	}
	return "", err
}

// sayTold tells the thread, after the base's own run, what became of the command that a member said: how it
// ended, or that it does not start. In that case it is forgotten, and the setup is again what the program
// found. It reports whether the base has to run once more for that.
func (s *Setup) sayTold(ctx context.Context, say func(context.Context, string)) (again bool, err error) {
	s.mu.Lock()
	base := s.base
	untried := s.untried
	s.mu.Unlock()
	if !untried || !base.TestsRan {
		return false, nil
	}
	command := prompt.WithoutJSONFlag(base.Project.TestCommand())
	if base.Missing.Tests == "" {
		say(ctx, fmt.Sprintf("Tried on %s: %s.", s.Branch, strings.Replace(base.String(),
			base.Project.TestCommand(), "`"+command+"`", 1)))
		return false, nil
	}
	why := fmt.Sprintf("`%s` did not start on %s (%s), so it is not used.", command, s.Branch,
		base.Missing.Tests)
	if s.found.Test != "" {
		why += fmt.Sprintf(" I go on with `%s`.", prompt.WithoutJSONFlag(s.found.TestCommand()))
	}
	err = s.Record(ctx, progress.TestCommand{Repository: s.Repository, Folder: s.Folder},
		lessons.Seen{Repository: s.Repository, Folder: s.Folder, Key: lessons.KeyTest},
		store.Lines(s.ProgramLine(why)))
	if err == nil {
		s.set(s.found)
	}
	return err == nil && s.found.Test != "", err
}
