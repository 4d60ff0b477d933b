package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

// A Proof is what was shown of a change, in the program's own words.
type Proof struct {
	OwnTests
	GreenOnBranch bool // the new tests pass on the branch, and nothing else fails that did not before

	OldTests

	Build   string // how the build of the branch went, in words; empty: nothing to build
	BuildOK bool   // it is clean, or fails no worse than on the base

	Base, OnBase, Branch result.Result // OnBase: the test files alone laid over the base
	BaseName             string        // what people call the base: main

	Notes   map[string]string // to a test: how it fails on the base, or why it no longer passes
	Command Command
	NoTests bool // the project has no tests at all, or no way to run them is known
	Shown   bool // red on the base and green on the branch was seen
	// Missing is set where nothing can be proven here, whatever the change: what the base
	// itself does not run for, in words: "eslint is not installed".
	Missing string
	// Why is, of a proof that does not hold, the reason and what to do; of one that holds,
	// what could not be shown.
	Why string
}

// A Command is how the command ends now that showed the bug on the base. It may look for the bug,
// so that it fails proves nothing.
type Command struct {
	Said  string // in words; empty: none was run
	Fails bool
}

// OwnTests are what the change's own tests show.
type OwnTests struct {
	NewTests  []string // new ones, and extended ones that tell the base from the branch
	Extended  []string // those of NewTests that the base has, too, in another form or with fewer cases
	RedOnBase []string // those of NewTests that fail on the base, as they should
	Guards    []string // those that pass there, too: they guard what works, and show nothing of the bug
	NotRed    []string // those that do not run there, or are skipped: nothing is known of them
	Mended    []string // tests that the base has as they are, that fail there and pass on the branch
	Cases     Cases
	// Documents: there are none, since the change is of documents alone, which no test shows; nothing
	// else is wrong with it.
	Documents bool
}

// Cases are how many of the change's own tests there are, in the unit of all other figures: a
// test with five cases is five.
type Cases struct {
	New      int // new ones that are red on the base
	Extended int // of extended tests, those that are red on the base
	Guards   int
	Passing  int // on the branch, whatever they do on the base
}

// An Outcome is what came of a proof.
type Outcome string

// The outcomes.
const (
	Held       Outcome = "holds"
	Failed     Outcome = "fails"
	NotStarted Outcome = "did not start" // or tells nothing apart: Proof.Missing says why; it says nothing of the change
)

// Outcome is the verdict in three: a proof that did not start speaks neither for the change nor
// against it.
func (p Proof) Outcome() Outcome {
	switch {
	case p.Holds():
		return Held
	case p.Missing != "":
		return NotStarted
	}
	return Failed
}

// OldTests are what became of the tests that the base has.
type OldTests struct {
	PassedBefore   int      // tests that passed on the base
	StillPassing   int      // of them, on the branch
	Regressions    []string // of them, those that do not pass on the branch
	AlreadyFailing []string // tests that failed on the base and still do: nobody's fault here
	Unstable       []string // tests that failed on the branch, and passed when run again
}

// Holds reports whether the change is proven: at least one new test fails on the base, or one of
// old that failed is mended; the others pass there and guard what works; all of them pass on
// the branch, what passed still passes, and the build is clean. A project without any tests
// has nothing but its build to show.
func (p Proof) Holds() bool {
	if p.Missing != "" {
		return false
	}
	if p.NoTests {
		return p.BuildOK && p.Branch.BuildRan == p.Base.BuildRan && p.Branch.Stopped == ""
	}
	return p.Shown && p.BuildOK && p.GreenOnBranch &&
		len(p.RedOnBase)+len(p.Mended) > 0 && len(p.NotRed) == 0 && len(p.Regressions) == 0
}

// mostNamed is how many tests are named one by one.
const mostNamed = 5

// Lines are the proof for people, with figures. The reason of a refusal is the first.
func (p Proof) Lines() []string {
	var lines []string
	if p.Why != "" && !p.Holds() {
		lines = append(lines, p.Why)
	}
	lines = append(lines, p.newLines()...)
	if p.Branch.TestsRan || p.Branch.BuildRan || p.Branch.Stopped != "" {
		lines = append(lines, p.branchLine())
	}
	lines = append(lines, p.keptLines()...)
	if p.Command.Said != "" {
		lines = append(lines, p.Command.Said)
	}
	if p.Why != "" && p.Holds() {
		lines = append(lines, "Not shown: "+p.Why)
	}
	return lines
}

// newLines say of each new test what it does on the base and on the branch.
func (p Proof) newLines() []string {
	var lines []string
	for _, name := range p.RedOnBase[:min(len(p.RedOnBase), mostNamed)] {
		line := fmt.Sprintf("%s test %s: %s", p.newOrExtended(name), name, p.onBaseInWords(name))
		switch p.branchStatus(name) {
		case result.Failed:
			line += ", and fails on the branch, too"
		case result.Skipped:
			line += ", and is skipped on the branch"
		default:
			line += ", passes on the branch"
		}
		lines = append(lines, line)
	}
	if more := len(p.RedOnBase) - mostNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("%d more new tests fail on %s (as expected)", more, p.BaseName))
	}
	for _, name := range p.Guards[:min(len(p.Guards), mostNamed)] {
		lines = append(lines, fmt.Sprintf("Guard %s: passes on %s, %s on the branch", name, p.BaseName, verbOf[p.branchStatus(name)]))
	}
	if more := len(p.Guards) - mostNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("%d more guards pass on %s", more, p.BaseName))
	}
	for _, name := range p.Mended[:min(len(p.Mended), mostNamed)] {
		lines = append(lines, fmt.Sprintf("Test %s was there: %s, passes on the branch", name, p.onBaseInWords(name)))
	}
	for _, name := range p.NotRed[:min(len(p.NotRed), mostNamed)] {
		lines = append(lines, fmt.Sprintf("%s test %s: %s, so it does not show what was wrong", p.newOrExtended(name), name, p.onBaseInWords(name)))
	}
	if more := len(p.NotRed) - mostNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("%d more new tests do not fail on %s", more, p.BaseName))
	}
	return lines
}

// verbOf says how a test ended.
var verbOf = map[result.Status]string{result.Passed: "passes", result.Failed: "fails", result.Skipped: "is skipped"}

func (p Proof) newOrExtended(name string) string {
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

// branchStatus is how the branch's tests of that label ended; Passed where nothing else is known.
func (p Proof) branchStatus(name string) result.Status {
	if !p.Branch.EveryTestNamed() {
		if p.Branch.TestsOK {
			return result.Passed
		}
		return result.Failed
	}
	status := result.Passed
	for _, t := range p.Branch.Tests {
		if u := unitOf(t); name != t.Name && name != u.name && name != t.Group+" "+t.Name && name != u.group+" "+u.name {
			continue
		}
		if t.Status == result.Failed {
			return result.Failed
		}
		if t.Status == result.Skipped {
			status = result.Skipped
		}
	}
	return status
}

// branchLine is the whole run on the branch.
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

// keptLines say what became of the tests that the base has.
func (p Proof) keptLines() []string {
	var lines []string
	if p.PassedBefore > 0 {
		lines = append(lines, fmt.Sprintf("Still passing: %d of %d that passed before", p.StillPassing, p.PassedBefore))
	}
	if lost := p.listWithNotes(p.Regressions); lost != "" && !strings.Contains(p.Why, lost) {
		lines = append(lines, "No longer passing: "+lost)
	}
	if len(p.Unstable) > 0 {
		lines = append(lines, "Unstable: "+result.ListNames(p.Unstable, mostNamed)+" failed once on the branch and passed when run again")
	}
	if len(p.AlreadyFailing) > 0 {
		lines = append(lines, fmt.Sprintf("Failing on %s already, and not counted against the branch: %s", p.BaseName, result.ListNames(p.AlreadyFailing, mostNamed)))
	}
	return lines
}

// listWithNotes lists the first names, each note once, behind the names that it is of.
func (p Proof) listWithNotes(names []string) string {
	var out []string
	for rest := names; len(rest) > 0; {
		note, n := p.Notes[rest[0]], 1
		for n < len(rest) && p.Notes[rest[n]] == note {
			n++
		}
		of := result.ListNames(rest[:n], mostNamed)
		switch {
		case note != "" && n > 1:
			of += " (each " + note + ")"
		case note != "":
			of += " (" + note + ")"
		}
		out, rest = append(out, of), rest[n:]
	}
	return result.ListNames(out, mostNamed)
}

// addNote records how a test fails or why it is gone.
func (p *Proof) addNote(name, format string, args ...any) {
	if p.Notes == nil {
		p.Notes = map[string]string{}
	}
	p.Notes[name] = strings.TrimSpace(fmt.Sprintf(format, args...))
}
