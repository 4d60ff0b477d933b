package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Proof is what the runs of a change showed.
type Proof struct {
	OwnTests
	// the new tests pass on the branch, and nothing fails there that did not fail on the base
	GreenOnBranch bool

	OldTests
	// Expectations are what old tests expect and the new code does not do. They are no failure of the change,
	// but it may go out with them only if people have allowed them.
	Expectations []Expectation
	// OldUnknown is why the old tests did not run to their end on the new code: "timed out". Empty: they did.
	OldUnknown string

	// the result of the branch's build in words; empty: there is nothing to build
	Build string
	// the build is clean, or fails no worse than on the base
	BuildOK bool

	// OnBase is the base with only the test files laid over it
	Base, OnBase, Branch result.Result
	// the branch with the base's versions of the files that decide about tests
	OnOldTests result.Result
	// the name of the base for people, such as main
	BaseName string

	// Ran is the project whose runs were compared: without the tests that a limit stops on the base, or only
	// the change's own test files.
	Ran project.Project
	// the whole suite on the base, if it did not run to its end: then Base, OnBase and Branch are runs of the
	// change's own test files alone
	Unfinished result.Result

	// Miscounted says that the tests were not counted rightly on the base, with both numbers: then the counts
	// took no part, and Base, OnBase and Branch have none.
	Miscounted string `json:",omitempty"`

	// TakenOver says which runs were not run again, since they had ended before an interruption.
	TakenOver string `json:",omitempty"`

	// Others say in a line each how the runs of commands beside the project's own one ended on the branch
	Others []string

	// by test: how it fails on the base, or why it no longer passes
	Notes   map[string]string
	Command Command
	// Rejected are tests of the change that show nothing; Repeated says how its tests were run again.
	Rejected []RejectedTest
	Repeated string
	// the project has no tests at all, or no way to run them is known
	NoTests bool
	// the tests were seen red on the base and green on the branch
	Demonstrated bool
	// Missing is set if nothing can be proven here, whatever the change is. It says what keeps the base
	// itself from running: "eslint is not installed".
	Missing string
	// Why is the reason of a proof that does not hold, and what to do. For a proof that holds it says what
	// could not be shown.
	Why string
}

// A Command is how the command that showed the bug on the base ends on the branch. The command may search
// for the bug itself, so a failure of it proves nothing.
type Command struct {
	Text   string // in words; empty: no command was run
	Fails  bool
	Output string `json:",omitempty"` // what it printed, if it fails; its ends if it is long
}

// OwnTests are the results of the change's own tests.
type OwnTests struct {
	// new tests, and extended ones that tell the base from the branch
	NewTests []string
	// those of NewTests that the base has in another form or with fewer cases, and whose old cases pass
	Extended []string
	// those of NewTests that the base has, and whose old cases do not pass on the new code
	Changed []string
	// those of NewTests that fail on the base, as they should
	RedOnBase []string
	// those of NewTests that pass on the base, too: they protect what works, and show nothing of the bug
	Guards []string
	// those of NewTests that do not run on the base or are skipped there, so nothing is known of them
	NotRed []string
	// unchanged tests of the base that fail there and pass on the branch
	Fixed []string
	Cases Cases
	// by new test
	OnBranch map[string]OnBranch
	// Alone says what was changed, such as "documents", if that is nothing but what no test can show, and
	// nothing else is wrong with the change.
	Alone string
}

// Cases count the change's own tests in the unit of all other figures: a test with five cases counts as
// five.
type Cases struct {
	New        int // cases of new tests that are red on the base and pass on the branch
	Extended   int // cases of extended tests that are red on the base and pass on the branch
	Guards     int // cases that pass on the base and on the branch
	Passing    int // cases that pass on the branch, whatever they do on the base
	StillRed   int // cases that are red on the base and fail on the branch
	NowSkipped int // cases that are red on the base and skipped on the branch, which proves nothing
}

// OnBranch is what the new cases of a test do on the branch.
type OnBranch struct {
	result.Counts
	NowSkipped int // of the skipped ones, those that fail on the base
}

// pass reports whether the branch passes the test: a case passes, none fails, and none is skipped that fails
// on the base.
func (o OnBranch) pass() bool { return o.Passed > 0 && o.Failed == 0 && o.NowSkipped == 0 }

// An Outcome is the verdict of a proof.
type Outcome string

// The verdicts of a proof.
const (
	Passed Outcome = "holds"
	Failed Outcome = "fails"
	// or its tests cannot be told apart; Proof.Missing has the reason, and nothing is known of the change
	NotStarted Outcome = "did not start"
)

// Outcome returns the verdict as one of three: a proof that did not start says nothing for or against the
// change.
func (p Proof) Outcome() Outcome {
	switch {
	case p.Passes():
		return Passed
	case p.Missing != "":
		return NotStarted
	}
	return Failed
}

// OldTests are the results of the tests that the base has.
type OldTests struct {
	PassedBefore   int      // tests that passed on the base
	StillPassing   int      // of these, the number that pass on the branch
	Regressions    []string // of these, the ones that do not pass on the branch
	AlreadyFailing []string // tests that fail on the base and on the branch, so not through the change
	// Rewritten are checks of old tests that changed although the old tests pass on the branch, too, in words
	Rewritten  []string `json:",omitempty"`
	CannotRun  []string // as AlreadyFailing, but since files of the repository could not be fetched
	NowSkipped []string // tests that fail on the base and are skipped on the branch, which proves nothing
	Unstable   []string // tests that failed on the branch and passed when run again
}

// Passes reports whether the change is proven: at least one new test fails on the base, or an old test that
// failed there is fixed; every other new test passes on the base as a guard; all new tests pass on the
// branch, and none of them is rejected; what passed still passes; and the build is clean. For a project
// without tests only the build counts.
func (p Proof) Passes() bool {
	if p.Missing != "" {
		return false
	}
	if p.NoTests {
		return p.BuildOK && p.Branch.BuildRan == p.Base.BuildRan && p.Branch.Stopped == ""
	}
	return p.Demonstrated && p.BuildOK && p.GreenOnBranch && len(p.Rejected) == 0 &&
		len(p.RedOnBase)+len(p.Fixed) > 0 && len(p.NotRed) == 0 && len(p.Regressions) == 0
}

// maxNamed is the most tests that are named one by one.
const maxNamed = 5

// Lines returns the proof for people, with figures. If the proof does not hold, the first line is the
// reason.
func (p Proof) Lines() []string {
	var lines []string
	if p.Why != "" && !p.Passes() {
		lines = append(lines, p.Why)
	}
	lines = append(lines, p.expectationLines(maxNamed)...)
	lines = append(lines, p.newLines()...)
	if p.Branch.TestsRan || p.Branch.BuildRan || p.Branch.Stopped != "" {
		lines = append(lines, p.branchLine())
	}
	if order := p.Branch.Order(); order != "" && p.Branch.Stopped == "" {
		lines = append(lines, strings.TrimSuffix(order, "."))
	}
	lines = append(lines, p.Others...)
	if line := p.miscountedLine(); line != "" {
		lines = append(lines, line)
	}
	if note := p.unreadNote(); note != "" {
		lines = append(lines, note)
	}
	if line := leftOutLine(p.Base, p.BaseName); line != "" {
		lines = append(lines, line)
	}
	lines = append(lines, p.keptLines()...)
	if line := p.rewrittenLine(); line != "" {
		lines = append(lines, line)
	}
	if p.Repeated != "" {
		lines = append(lines, p.Repeated)
	}
	if p.TakenOver != "" {
		lines = append(lines, p.TakenOver)
	}
	if p.Command.Text != "" {
		lines = append(lines, p.Command.Text)
	}
	if p.Why != "" && p.Passes() {
		lines = append(lines, "Not shown: "+p.Why)
	}
	return lines
}

// newLines returns lines for the new and fixed tests: what each does on the base and on the branch. At
// most maxNamed tests of each kind are named.
func (p Proof) newLines() []string {
	var lines []string
	for _, name := range p.RedOnBase[:min(len(p.RedOnBase), maxNamed)] {
		line := fmt.Sprintf("%s test %s: %s", p.newOrExtended(name), name, p.onBaseInWords(name))
		lines = append(lines, line+p.onBranchInWords(name))
	}
	if more := len(p.RedOnBase) - maxNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("%d more new tests fail on %s (as expected)", more, p.BaseName))
	}
	for _, name := range p.Guards[:min(len(p.Guards), maxNamed)] {
		lines = append(lines, "Guard "+name+": passes on "+p.BaseName+p.onBranchInWords(name))
	}
	if more := len(p.Guards) - maxNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("%d more guards pass on %s", more, p.BaseName))
	}
	fixed := countEach(p.Fixed, func(name string, n int) string {
		return "Test " + timesName(name, n) + " was there: " +
			p.onBaseInWords(name) + ", passes on the branch"
	})
	lines = append(lines, fixed[:min(len(fixed), maxNamed)]...)
	for _, name := range p.NotRed[:min(len(p.NotRed), maxNamed)] {
		lines = append(lines, fmt.Sprintf("%s test %s: %s, so it does not show what was wrong",
			p.newOrExtended(name), name, p.onBaseInWords(name)))
	}
	if more := len(p.NotRed) - maxNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("%d more new tests do not fail on %s", more, p.BaseName))
	}
	return lines
}

// onBranchInWords says what a new test does on the branch, after what it does on the base.
func (p Proof) onBranchInWords(name string) string {
	b := p.onBranch(name)
	switch b.Sum() {
	case b.Passed:
		return ", passes on the branch"
	case b.Failed:
		if slices.Contains(p.RedOnBase, name) {
			return ", and fails on the branch, too"
		}
		return ", and fails on the branch"
	case b.Skipped:
		return ", and is skipped on the branch, which proves nothing"
	}
	var parts []string
	for _, of := range []struct {
		n         int
		one, more string
	}{
		{b.Passed, "passes", "pass"},
		{b.Failed, "fails", "fail"},
		{b.Skipped, "is skipped, which proves nothing", "are skipped, which proves nothing"},
	} {
		if of.n == 1 {
			parts = append(parts, fmt.Sprintf("1 of %d %s", b.Sum(), of.one))
		} else if of.n > 1 {
			parts = append(parts, fmt.Sprintf("%d of %d %s", of.n, b.Sum(), of.more))
		}
	}
	return "; on the branch " + strings.Join(parts, ", ")
}

// onBranch returns what a new test does on the branch. Without names of its own the run as a whole decides.
func (p Proof) onBranch(name string) OnBranch {
	if b, known := p.OnBranch[name]; known {
		return b
	}
	if p.GreenOnBranch {
		return OnBranch{Counts: result.Counts{Passed: 1}}
	}
	return OnBranch{Counts: result.Counts{Failed: 1}}
}

func (p Proof) newOrExtended(name string) string {
	if slices.Contains(p.Changed, name) {
		return "Changed"
	}
	if slices.Contains(p.Extended, name) {
		return "Extended"
	}
	return "New"
}

// onBaseInWords says what a new test does on the base.
func (p Proof) onBaseInWords(name string) string {
	if note := p.Notes[name]; note != "" {
		return note
	}
	return "fails on " + p.BaseName + " (as expected)"
}

// branchLine returns the result of the whole run on the branch.
func (p Proof) branchLine() string {
	news := ""
	if n := p.Cases.Passing; n > 0 && p.Branch.EveryTestNamed() {
		news = fmt.Sprintf(" (%d new)", n)
	}
	line := p.Branch.LineWithNews(news)
	if p.Build != "" && p.Branch.BuildRan && !p.Branch.BuildOK {
		line += ": " + p.Build
	}
	return line
}

// unreadNote says that the runner counts more tests than it names, or than could be read of its output.
func (p Proof) unreadNote() string {
	var parts []string
	for _, run := range []struct {
		result.Result
		where string
	}{{p.Base, p.BaseName}, {p.Branch, "the branch"}} {
		if unread, stated := run.Unread(); unread > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d tests on %s", unread, stated, run.where))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Not compared one by one, since their names could not be read: " + strings.Join(parts, ", ")
}

// keptLines returns lines about what became of the tests that the base has.
func (p Proof) keptLines() []string {
	var lines []string
	if p.PassedBefore > 0 {
		lines = append(lines,
			fmt.Sprintf("Still passing: %d of %d that passed before", p.StillPassing, p.PassedBefore))
	}
	if lost := p.listWithNotes(p.Regressions); lost != "" && !strings.Contains(p.Why, lost) {
		lines = append(lines, "No longer passing: "+lost)
	}
	list := func(names []string) string { return plaintext.FirstOf(ofEachName(names), maxNamed) }
	if len(p.Unstable) > 0 {
		lines = append(lines,
			"Unstable: "+list(p.Unstable)+" failed once on the branch and passed when run again")
	}
	if len(p.NowSkipped) > 0 {
		what := "Failing on %s and skipped on the branch, which proves nothing: %s"
		lines = append(lines, fmt.Sprintf(what, p.BaseName, list(p.NowSkipped)))
	}
	if len(p.CannotRun) > 0 {
		what := "Cannot be run here, on %s either, and proven by nothing: %s"
		lines = append(lines, fmt.Sprintf(what, p.BaseName, p.listWithNotes(p.CannotRun)))
	}
	if len(p.AlreadyFailing) > 0 {
		what := "Failing on %s already, and not counted against the branch: %s"
		lines = append(lines, fmt.Sprintf(what, p.BaseName, list(p.AlreadyFailing)))
	}
	return lines
}

// listWithNotes lists the first names. A note that several names in a row share is written once, after
// them.
func (p Proof) listWithNotes(names []string) string {
	var out []string
	for rest := names; len(rest) > 0; {
		note := p.Notes[rest[0]]
		n := 1
		for n < len(rest) && p.Notes[rest[n]] == note {
			n++
		}
		of := plaintext.FirstOf(rest[:n], maxNamed)
		switch {
		case note != "" && n > 1:
			of += " (each " + note + ")"
		case note != "":
			of += " (" + note + ")"
		}
		out = append(out, of)
		rest = rest[n:]
	}
	return plaintext.FirstOf(out, maxNamed)
}

// addNote records how a test fails or why it is gone.
func (p *Proof) addNote(name, format string, args ...any) {
	if p.Notes == nil {
		p.Notes = map[string]string{}
	}
	p.Notes[name] = strings.TrimSpace(fmt.Sprintf(format, args...))
}
