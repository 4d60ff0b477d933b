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
	"github.com/bobbinhq/bobbin/workflow/tool/internal/output"
)

const (
	maxFailing    = 10   // tests whose output is shown
	failingEnd    = 1500 // characters of each end of one test's output
	buildEnd      = 4000 // characters of each end of the build's output
	uncountedEnd  = 6000 // characters of each end of the tests' output, if no tests were counted
	maxOtherNames = 50
)

type checkArgs struct {
	Command string `json:"command,omitempty" jsonschema:"if none is known or works: one call of a test runner, kept"`
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
	number, err := c.nextRun(ctx)
	if err != nil {
		return "", nil, err
	}
	log, err := output.NewCapture(c.outputDir, "check", number)
	if err != nil {
		return "", nil, err
	}
	commands := proof.Commands{Project: p}
	if c.Candidates != nil {
		commands.Others = c.Candidates()
	}
	checked, err := proof.CheckWith(ctx, c.Checker.LogTo(log), c.workspace, commands, in.Command != "")
	if err != nil {
		log.Finish(true)
		return "", nil, err
	}
	r := checked.Result
	clean := r.OK() && (r.Counted || !r.TestsRan)
	text := describe(checked)
	if log.Finish(clean) {
		text = strings.TrimSuffix(text, "\n") + log.DescribeRest(false, true) + "\n"
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
	said, _, _ := strings.Cut(text, "\n")
	_, _, wrong := r.Miscounted() // then nothing is known of single tests
	ran := CheckRun{Result: r, Number: number, Said: said, red: r.RedSince(checked.Base) && !wrong}
	return model.Numbered(number, text+kept), ran, err
}

// A CheckRun is a completed check. It is stored with the call of check.
type CheckRun struct {
	result.Result
	Number int    // in the session; 0: it has none
	Said   string // the first line of its result

	red bool // it fails, and not only as the base does
}

// Red reports whether the check failed, and not only as the base does.
func (c CheckRun) Red() bool { return c.red }

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

// describe returns the counts of a check, then what fails on the base, too, by name only, and then as much of
// the other failures as helps.
func describe(c proof.Checked) string {
	var s strings.Builder
	r := c.Result
	fresh, already := r.FailingSince(c.Base)
	// r.String names the first: those that fail only with the change
	r.Tests = append(slices.Clone(fresh), already...)
	if c.Instead != "" {
		fmt.Fprintf(&s, "`%s` reaches nothing of the changed code, so the tests that do were run, "+
			"as in the proof.\n", c.Instead)
	}
	s.WriteString(r.String() + model.After(r.Took) + "\n")
	if len(already) > 0 {
		verb := "fail"
		if len(already) == 1 {
			verb = "fails"
		}
		fmt.Fprintf(&s, "%d %s on %s too, not counted against the change: %s\n", len(already), verb,
			c.BaseName, testNames(already))
	}
	s.WriteString(uncovered(c.Coverage, r))
	if order := c.Order(); order != "" {
		s.WriteString(order + "\n")
	}
	if r.Stopped == result.StoppedNear {
		s.WriteString("Fix these, or call check once more as it is to run everything.\n")
	}
	if c.StoppedByLimit() {
		s.WriteString(notReached(c))
	}
	var told []string
	if r.BuildRan && !r.BuildOK {
		told = append(told, r.BuildOutput)
		fmt.Fprintf(&s, "The build fails:\n%s\n", ends(r.BuildOutput, buildEnd))
	}
	failingTests(&s, fresh, told)
	if len(fresh)+len(already) == 0 && r.TestsRan && !r.TestsOK {
		s.WriteString(unnamedFailure(r))
	}
	return s.String()
}

// unnamedFailure shows the output of tests that did not pass, though no test is known to fail.
func unnamedFailure(r result.Result) string {
	switch {
	case !r.StoppedByLimit():
		return fmt.Sprintf("The tests fail:\n%s\n", ends(r.Output, uncountedEnd))
	case r.Counted:
		return "No test had failed when they were stopped.\n"
	}
	return fmt.Sprintf("The tests were stopped, and none of them could be read from what they printed:\n%s\n",
		ends(r.Output, failingEnd))
}

// notReached says what a limit kept from being run, as far as the base's own run tells.
func notReached(c proof.Checked) string {
	tests, groups := c.NotReached(c.Base)
	if tests == 0 || !c.TestsRan {
		return ""
	}
	line := fmt.Sprintf("Not reached: %d of the %d tests of %s", tests, len(c.Base.Tests), c.BaseName)
	if len(groups) > 0 {
		line += ", all of " + plaintext.FirstOf(groups, maxOtherNames) + " among them"
	}
	return line + ".\n"
}

// uncovered says which changed code the tests of a check do not reach, and which command's tests do.
func uncovered(cover proof.Coverage, r result.Result) string {
	if len(cover.Uncovered) == 0 {
		return ""
	}
	files := plaintext.FirstOf(cover.Uncovered, 5)
	line := fmt.Sprintf("`%s` does not reach %s", r.Project.TestCommand(), files)
	if cover.Reached == 0 {
		line = fmt.Sprintf("This says nothing about the change: `%s` reaches none of the changed code (%s)",
			r.Project.TestCommand(), files)
	}
	var by []string
	for _, p := range cover.By {
		by = append(by, "`"+p.TestCommand()+"`")
	}
	if len(by) > 0 {
		return line + ". The proof also runs what does: " + strings.Join(by, ", ") + ".\n"
	}
	return line + ", and no test command that is known does: " +
		"find out how it is tested, and name that in command.\n"
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
