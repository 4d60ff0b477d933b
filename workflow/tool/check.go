package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	maxFailing    = 10   // tests whose output is shown
	failingEnd    = 1500 // characters of each end of one test's output
	buildEnd      = 4000 // characters of each end of the build's output
	uncountedEnd  = 6000 // characters of each end of the tests' output, if no tests were counted
	maxOtherNames = 50
)

type checkArgs struct {
	Command string `json:"command,omitempty" jsonschema:"only where no test command is known or works: one call of a test runner; it is kept for the repository"`
	Source  string `json:"source,omitempty" jsonschema:"what says so: a file, or whose words"`
}

// CommandSetter lets agents set the repository's test command. Its functions are all set, or all nil.
type CommandSetter struct {
	// the project as it is known now
	Current func() project.Project
	// the project with it, or a [model.Mistake]
	Judge func(line, source string) (project.Project, error)
	// shows the command in the thread, and stores it; weaker says why it does not, if the project has a
	// better one
	Keep func(ctx context.Context, p project.Project, line string, r result.Result) (weaker string, err error)
}

// check runs the program's own build and tests over the workspace. Its [result.Result] is stored with the
// call.
func (c commandRunner) check(ctx context.Context, in checkArgs) (string, execution, error) {
	if c.Sandbox == nil || c.Checker == nil {
		return "", nil, c.off("Checks cannot be run")
	}
	p, err := c.projectOf(in)
	if err != nil {
		return "", nil, err
	}
	if p.Build == "" && p.Test == "" {
		return "", nil, model.Mistake("No build or test command is known for this repository: " +
			"find out how it is tested, and name that in command.")
	}
	r, err := proof.Check(ctx, c.Checker, c.workspace, p)
	if err != nil {
		return "", nil, err
	}
	kept := ""
	switch {
	case in.Command == "":
	case r.Sum() > 0 && (r.EveryTestNamed() || r.Counted && p.Written != "" && r.Project.Test == p.Written):
		kept = "It is the repository's test command from now on, also for done.\n"
		var weaker string
		if weaker, err = c.CommandSetter.Keep(ctx, p, in.Command, r); weaker != "" {
			kept = "It was not kept as the test command: " + weaker + ".\n"
		}
	default:
		kept = "It was not kept as the test command: no tests could be read from what it printed" +
			triedWithout(p) + ".\n"
	}
	base, _ := c.Checker.Remembered(c.workspace.Base(), p)
	return checked(r, base) + kept, CheckRun{r, r.RedSince(base)}, err
}

// A CheckRun is a completed check. It is stored with the call of check.
type CheckRun struct {
	result.Result
	red bool // it fails, and not only as the base does
}

// StoredWithCall marks the check as something to store.
func (CheckRun) StoredWithCall() {}

func (c CheckRun) failed() bool { return c.red }

// triedWithout says with which added flags a command was tried, and without them, in vain; empty: there are
// none.
func triedWithout(p project.Project) string {
	if p.Written == "" || p.TestCommand() == p.WrittenCommand() {
		return ""
	}
	return fmt.Sprintf(", neither with what I added for that (`%s`) nor without it (`%s`)", p.TestCommand(),
		p.WrittenCommand())
}

// projectOf returns the project that a check runs: with the command that the call names, or as it is known.
func (c commandRunner) projectOf(in checkArgs) (project.Project, error) {
	switch {
	case c.CommandSetter.Judge == nil && in.Command != "":
		return project.Project{}, model.Mistake("No command can be named here: call check without one.")
	case in.Command != "":
		return c.CommandSetter.Judge(in.Command, in.Source)
	case c.CommandSetter.Current != nil:
		return c.CommandSetter.Current(), nil
	}
	return c.Project, nil
}

// checked returns the counts of a result, and as much of the failures as helps. Tests that also fail on the
// base are listed separately, by name only.
func checked(r, base result.Result) string {
	var s strings.Builder
	fresh, already := r.FailingSince(base)
	// r.String names the first: those that fail only with the change
	r.Tests = append(slices.Clone(fresh), already...)
	s.WriteString(r.String() + model.After(r.Took) + "\n")
	if r.Stopped == result.StoppedNear {
		s.WriteString("The tests near the change were run first, and the rest not at all: fix these, " +
			"or call check once more as it is to run everything.\n")
	}
	if len(already) > 0 {
		fmt.Fprintf(&s, "%d of the failed ones fail without the change, too, "+
			"and are not counted against it: %s\n", len(already), testNames(already))
	}
	var told []string
	if r.BuildRan && !r.BuildOK {
		told = append(told, r.BuildOutput)
		fmt.Fprintf(&s, "The build fails:\n%s\n", ends(r.BuildOutput, buildEnd))
	}
	failingTests(&s, fresh, told)
	if len(fresh)+len(already) == 0 && r.TestsRan && !r.TestsOK {
		fmt.Fprintf(&s, "The tests fail:\n%s\n", ends(r.Output, uncountedEnd))
	}
	return s.String()
}

// failingTests shows the first failing tests with their output, and names the others. Output that was shown
// before, for another test or for the build, is not repeated.
func failingTests(s *strings.Builder, failing []result.Test, told []string) {
	var others []result.Test
	shown := 0
	for _, t := range failing {
		switch {
		case result.IsRepeatOf(told, t.Output):
			fmt.Fprintf(s, "FAIL %s (as above)\n", testName(t))
		case shown == maxFailing:
			others = append(others, t)
			continue
		default:
			shown++
			told = append(told, t.Output)
			fmt.Fprintf(s, "FAIL %s\n%s\n", testName(t), ends(t.Output, failingEnd))
		}
	}
	if len(others) > 0 {
		s.WriteString("Failing too: " + testNames(others) + "\n")
	}
}

// testNames returns the names of the first tests, and how many more there are.
func testNames(tests []result.Test) string {
	var names []string
	for _, t := range tests {
		names = append(names, testName(t))
	}
	if more := len(names) - maxOtherNames; more > 0 {
		names = append(names[:maxOtherNames], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, "; ")
}

func testName(t result.Test) string {
	name := t.Name
	switch {
	case t.Broken != "":
		name = t.Group + ": " + t.Broken
	case t.Group != "" && t.Group != name:
		name = t.Group + " " + name
	}
	return plaintext.CutCounted(strings.Join(strings.Fields(plaintext.StripTerminal(name)), " "), 300)
}

func ends(text string, each int) string {
	out, _ := plaintext.CutMiddle(strings.TrimSpace(plaintext.StripTerminal(text)), each, each)
	return out
}
