package result

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Status is the result of one test.
type Status string

// The statuses of a test.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// A Test is one test as its runner names it.
type Test struct {
	Name   string // such as TestSplit/remainder, test_split[3], cart > splits
	Group  string // the package, file or class of the test, if the runner prints it
	Of     string // the test that this is a case of; empty for a test that is no case
	Status Status
	Output string // what a failed test printed; its beginning and end if it is long
	// Broken is set if this is no test but stands for a group whose further tests could not run. It is the
	// reason: "does not compile".
	Broken string
	// Unfinished is set if the test, or the group, began and did not end. Its status is Failed.
	Unfinished bool
	// Waits is set if an unfinished test waited for others when the output ended.
	Waits bool `json:",omitempty"`
	// Lacked is set if the test failed since the run reached that limit (memory, processes): it says nothing
	// about the code.
	Lacked string
	// Absent is set if the failed test names a file, or the folder of a submodule, that could not be fetched:
	// it cannot be run here.
	Absent string `json:",omitempty"`
}

// HasFailed reports whether the test failed.
func (t Test) HasFailed() bool { return t.Status == Failed }

// A LeftOut is a test that cannot be run on this machine: a limit stops it on the base itself.
type LeftOut struct {
	Name string // of a test that is no case, as in Test
	Why  string // such as "needed more than 2 GB"
	Cure string // as of StopCure
}

// DoesNotCompile is the reason of a group that is broken because its code does not compile.
const DoesNotCompile = "does not compile"

// BrokenGroup returns the Test that stands for a group whose further tests could not run.
func BrokenGroup(group, why, output string) Test {
	return Test{Name: group + " " + why, Group: group, Status: Failed, Broken: why, Output: output}
}

// Counts are the numbers of tests by status.
type Counts struct{ Passed, Failed, Skipped int }

// Sum returns the number of tests.
func (c Counts) Sum() int { return c.Passed + c.Failed + c.Skipped }

// Add adds the counts of another report.
func (c *Counts) Add(more Counts) {
	c.Passed = c.Passed + more.Passed
	c.Failed = c.Failed + more.Failed
	c.Skipped = c.Skipped + more.Skipped
}

// Count adds a test with the status s.
func (c *Counts) Count(s Status) {
	switch s {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Skipped:
		c.Skipped++
	}
}

// Missing says in words what kept the build or the tests from starting: "eslint is not installed". An empty
// text means that they started.
type Missing struct{ Build, Tests string }

// A Result is one run of a project's build and tests.
type Result struct {
	Project project.Project // what was run

	BuildOK     bool
	BuildRan    bool
	BuildOutput string

	TestsRan bool
	TestsOK  bool // the command ended with 0 and no test failed
	Counts
	Tests    []Test // the tests that the runner named; some runners name only failed tests
	Output   string // the output of the tests for people; its beginning and end if it is long
	ExitCode int
	Missing  Missing
	// Stopped is the reason why the sandbox ended a command (time, memory, output, disk, files, killed), or
	// StoppedNear.
	Stopped string
	Printed int64 // the number of bytes printed, also those not in the outputs here
	// Services are lines about services, such as a database, that did not start for the tests.
	Services []string `json:",omitempty"`
	Took     time.Duration
	// BuildTook is the part of Took that the build needed.
	BuildTook time.Duration
	Limits    Limits // of each command
	Used      Used
	// OneWorker is set if the run needed more memory than it may, and ran again with one worker at a time.
	OneWorker bool
	Runs      int // how often a stored result was measured
	// Unfinished names the tests that ran when the sandbox ended the command. They do not count.
	Unfinished []string
	Counted    bool // if false, only the exit code is known
	// Stated is the number of tests by the runner's own summary, or 0 if it has none. Where a test has cases,
	// it may be smaller than the counts.
	Stated int
	// First is how many tests ran before the others, since they are near the change; Reach is set if they are
	// those that the change can reach. If Stopped is StoppedNear, the others did not run.
	First int  `json:",omitempty"`
	Reach bool `json:",omitempty"`
	// LeftOut are the tests without which Baseline ran Project, because a limit stops them. All other runs
	// that are compared with this one leave them out, too.
	LeftOut []LeftOut `json:",omitempty"`
}

// StoppedNear is the value of Result.Stopped if only the tests near the change were run, because they do
// not pass.
const StoppedNear = "near"

// OK reports whether the build is clean and the tests pass, as far as they ran, and no command was stopped.
func (r Result) OK() bool {
	return (!r.BuildRan || r.BuildOK) && (!r.TestsRan || r.TestsOK) && r.Stopped == ""
}

// String returns the result in one line: "go test ./...: 214 passed, build clean".
func (r Result) String() string {
	return r.LineWithNews("")
}

// LineWithNews is String with news written after the number of passed tests.
func (r Result) LineWithNews(news string) string {
	var parts []string
	if r.TestsRan {
		parts = append(parts, r.Project.TestCommand()+": "+r.testCounts(news))
	}
	switch {
	case r.BuildRan && r.BuildOK:
		parts = append(parts, "build clean")
	case r.Missing.Build != "":
		parts = append(parts, "build did not start: "+r.Missing.Build+" ("+r.Project.Build+")")
	case r.BuildRan:
		parts = append(parts, "build fails ("+r.Project.Build+")")
	}
	switch {
	case len(parts) == 0 && r.Stopped != "":
		return strings.Join(append([]string{r.StopReason()}, r.limitNote()...), ", ")
	case len(parts) == 0:
		return "nothing to run: no build or test command is known"
	case !r.TestsRan && r.Project.Test != "":
		parts = append(parts, "tests not run")
	case !r.TestsRan:
		parts = append(parts, "no test command is known")
	}
	if !r.TestsRan && r.Stopped != "" {
		parts = append(append(parts, r.StopReason()), r.limitNote()...)
	}
	return strings.Join(parts, ", ")
}

// testCounts returns the result of the tests in words.
func (r Result) testCounts(news string) string {
	if r.Missing.Tests != "" {
		return "did not start: " + r.Missing.Tests
	}
	var parts []string
	if r.Counted {
		parts = r.countFigures(news)
	}
	switch {
	case r.Stopped != "":
		parts = append(parts, r.StopReason()+r.running())
	case !r.Counted && r.TestsOK:
		parts = append(parts, "exit code 0 (the tests could not be counted)")
	case !r.Counted:
		parts = append(parts, fmt.Sprintf("exit code %d (the tests could not be counted)", r.ExitCode))
	case r.ExitCode != 0 && r.Failed == 0 && r.Passed+r.Skipped > 0:
		parts = append(parts, fmt.Sprintf("exit code %d though no test failed", r.ExitCode))
	}
	parts = append(parts, r.limitNote()...)
	if n, example := r.Absent(); n > 0 {
		parts = append(parts,
			fmt.Sprintf("%d of the failed cannot be run here, since %s is not here", n, example))
	}
	if _, stated, wrong := r.Miscounted(); wrong {
		parts = append(parts, fmt.Sprintf(
			"which is wrong: the runner itself says %d, and Bobbin did not read its output rightly", stated))
	}
	return strings.Join(parts, ", ")
}

func (r Result) countFigures(news string) []string {
	if r.Sum() == 0 {
		return []string{"no tests"}
	}
	parts := []string{fmt.Sprintf("%d passed%s", r.Passed, news)}
	if r.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed%s", r.Failed, r.someFailed()))
	}
	if r.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", r.Skipped))
	}
	return parts
}

// running names the tests that ran when the command was ended.
func (r Result) running() string {
	if len(r.Unfinished) == 0 {
		return ""
	}
	return " (while " + plaintext.FirstOf(r.Unfinished, 3) + " ran)"
}

// someFailed names the first three tests that failed.
func (r Result) someFailed() string {
	var names []string
	for _, t := range r.Tests {
		if t.Status == Failed {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + plaintext.FirstOf(names, 3) + ")"
}

// Absent returns how many tests failed that name a file which could not be fetched, and such a file.
func (r Result) Absent() (n int, example string) {
	for _, t := range r.Tests {
		if t.Absent != "" {
			n++
			example = cmp.Or(example, t.Absent)
		}
	}
	return n, example
}

// EveryTestNamed reports whether every test that was counted has a name.
func (r Result) EveryTestNamed() bool {
	return r.Counted && len(r.Tests) >= r.Sum()
}

// EveryFailureNamed reports whether every test that was counted as failed has a name.
func (r Result) EveryFailureNamed() bool {
	named := 0
	for _, t := range r.Tests {
		if t.Status == Failed {
			named++
		}
	}
	return r.Counted && named >= r.Failed
}

// Unread returns how many tests of the runner's own summary have no name here, and the number in the summary.
// It returns zero for a runner that names only failing tests.
func (r Result) Unread() (unread, stated int) {
	named := 0
	passing := false
	for _, t := range r.Tests {
		if t.Broken == "" {
			named++
		}
		passing = passing || t.Status == Passed
	}
	if !passing || named >= r.Stated {
		return 0, r.Stated
	}
	return r.Stated - named, r.Stated
}

// Miscounted reports whether the counts are far from the number in the runner's own summary, by more than
// two tests and more than a twentieth. It returns both numbers. Then the output was not read rightly, and the
// counts say nothing for or against a change. A test may have cases that the runner does not count.
func (r Result) Miscounted() (counted, stated int, wrong bool) {
	if !r.Counted || r.Stated == 0 || r.Stopped != "" {
		return r.Sum(), r.Stated, false
	}
	counted = r.Sum()
	if counted > r.Stated {
		counted = max(r.Stated, counted-r.extraCases())
	}
	apart := max(counted-r.Stated, r.Stated-counted)
	return counted, r.Stated, apart > 2 && apart > r.Stated/20
}

// WithoutCounts returns the result of the exit code alone, for a result that is Miscounted.
func (r Result) WithoutCounts() Result {
	r.Counts = Counts{}
	r.Tests = nil
	r.Stated = 0
	r.Counted = false
	r.TestsOK = r.TestsRan && r.ExitCode == 0 && r.Stopped == ""
	return r
}

// extraCases returns how many of the tests are cases of another one or stand for a group.
func (r Result) extraCases() (extra int) {
	for _, t := range r.Tests {
		if t.Of != "" || t.Broken != "" {
			extra++
		}
	}
	return extra
}

// worthSaying is from how many tests on it is said which ran first.
const worthSaying = 50

// Order says in a sentence which tests ran first: "214 tests that the change can reach ran first, then the
// other 1937." It returns an empty string if all ran at once, or if they are so few that it does not matter.
func (r Result) Order() string {
	if r.First == 0 || r.Sum() < worthSaying && r.Stopped != StoppedNear {
		return ""
	}
	what := "near the change"
	if r.Reach {
		what = "that the change can reach"
	}
	line := plaintext.CountNoun(r.First, "test") + " " + what + " ran first"
	switch others := r.Sum() - r.First; {
	case r.Stopped == StoppedNear:
		return line + ", and the others not at all."
	case others > 0:
		return fmt.Sprintf("%s, then the other %d.", line, others)
	}
	return ""
}

// HasNoTests reports whether the tests ran and there are none.
func (r Result) HasNoTests() bool {
	return r.TestsRan && r.Counted && r.Sum() == 0 && r.Stopped == ""
}
