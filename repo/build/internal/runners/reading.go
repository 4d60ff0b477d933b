package runners

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/internal/runners/gotest"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Reading is the result of reading a runner's output.
type Reading struct {
	format string
	Tests  []result.Test
	result.Counts
	Text       string   // the output for people, if the runner's output is for machines
	Uncounted  bool     // only failures are named, and the number of passed tests is unknown
	Unfinished []string // of ReadCut: the tests that were running
	// Stated is the number of tests by the runner's own summary, or 0 if it has none. It may be smaller than
	// the number of tests here, which counts each case.
	Stated int
}

// A format is the output format of a runner. read returns false if the text has another format or has no end:
// what it could read is in the Reading even so.
type format struct {
	name string
	read func(text string) (Reading, bool)
	// summary is a part of the line with which the runner ends, of which a text of that format has at least
	// one. Empty: the runner states no number of tests in a form that other programs do not print.
	summary string
	// ends says that there is no text of this format without summary.
	ends bool
}

// goJSON is the name of a format in which no line of another runner can be mistaken for one of its own.
const goJSON = "go test -json"

// formats are tried in this order: formats that cannot be mistaken for another come first. A new runner
// needs one file with its read function and one line here.
var formats = withLineFormats([]format{
	{goJSON, fromGo(gotest.ReadJSON), "", false},
	{"JUnit XML", readJUnit, "", false},
	{"prove", readProve, "", false},
	{"automake", readAutomake, "", false},
	{"TAP", readTAP, "", false},
	{"cargo test", readCargo, "test result: ", false},
	{"pytest", readPytest, " in ", false},
	{"unittest", readUnittest, "\nRan ", false},
	{"vitest", readVitest, " Tests ", false},
	{"jest", readJest, "\nTests: ", false},
	{"node test runner", readNodeSpec, "ℹ pass ", false},
	{"mocha", readMocha, " passing", false},
	{"go test", fromGo(gotest.ReadText), "", false},
})

// Names returns the names of the runners whose output Read reads, in order of the alphabet.
func Names() (names []string) {
	for _, f := range formats {
		if f.name != goJSON && f.name != "JUnit XML" { // forms in which others write
			names = append(names, f.name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	return names
}

// fromGo adapts a read function of the package gotest.
func fromGo(read func(text string) (gotest.Output, bool)) func(text string) (Reading, bool) {
	return func(text string) (Reading, bool) {
		out, ok := read(text)
		return Reading{Tests: out.Tests, Text: out.Text, Uncounted: out.Uncounted}, ok
	}
}

// Limits in bytes of a failed test's output, of the number of tests, and in bytes of a name.
const (
	maxTestOutput = 8 << 10
	maxTests      = 100_000
	maxName       = 1000
)

// Read finds the runner that printed the text, and returns its tests and counts. It returns false if no
// format matches. If tests run another runner and its output is in the text, too, the summary with more tests
// decides.
func Read(text string) (Reading, bool) {
	text = result.StripTerminal(text)
	var best Reading
	found := false
	for _, f := range formats {
		if found && (best.format == goJSON || f.summary == "") ||
			(found || f.ends) && !strings.Contains(text, f.summary) {
			continue
		}
		if r, ok := f.read(text); ok {
			r.settle(f.name)
			if !found || r.Stated > best.Sum() {
				best = r
			}
			found = true
		}
	}
	return best, found
}

// ReadCut is Read for the output of a command that was ended before it could print a summary: the tests that
// ended before that count, and those that were running are named in Unfinished.
func ReadCut(text string) (Reading, bool) {
	best, found := Read(text)
	text = result.StripTerminal(text)
	for _, f := range formats {
		if r, _ := f.read(text); !found || len(r.Tests) > len(best.Tests) {
			r.Counts = result.Counts{}
			r.Stated = 0
			r.settle(f.name)
			best = r
			found = found || len(r.Tests) > 0
		}
	}
	best.dropUnfinished()
	return best, found
}

// dropUnfinished takes out the tests that did not end.
func (r *Reading) dropUnfinished() {
	r.Tests = slices.DeleteFunc(r.Tests, func(t result.Test) bool {
		if t.Unfinished {
			r.Failed--
			r.Stated--
		}
		if t.Unfinished && !t.Waits && t.Broken == "" {
			r.Unfinished = append(r.Unfinished, t.Name)
		}
		return t.Unfinished
	})
}

// runnerCount matches one count of the last line of jest, vitest and pytest.
var runnerCount = regexp.MustCompile(`(\d+) (passed|failed|errors?|skipped|todo|pending|xfailed|xpassed)\b`)

// readCounts adds the counts of a summary line.
func (r *Reading) readCounts(summary string) {
	for _, m := range runnerCount.FindAllStringSubmatch(summary, -1) {
		switch n := parseCount(m[1]); m[2] {
		case "passed":
			r.Passed += n
		case "failed", "error", "errors":
			r.Failed += n
		default:
			r.Skipped += n
		}
	}
}

// settle completes what a reader has read.
func (r *Reading) settle(format string) {
	r.format = format
	if r.Stated == 0 {
		r.Stated = r.Sum() // what the reader took from the summary
	}
	r.boundAndCount()
}

// boundAndCount shortens long texts and counts the tests. A count of the runner stays if it is larger.
func (r *Reading) boundAndCount() {
	var read result.Counts
	for _, t := range r.Tests {
		read.Count(t.Status)
	}
	r.Passed = max(r.Passed, read.Passed)
	r.Failed = max(r.Failed, read.Failed)
	r.Skipped = max(r.Skipped, read.Skipped)
	r.Uncounted = r.Uncounted || r.Sum() == 0 && r.Stated > 0
	r.Tests = r.Tests[:min(len(r.Tests), maxTests)]
	for i := range r.Tests {
		t := &r.Tests[i]
		t.Name = short(t.Name)
		t.Group = short(t.Group)
		t.Of = short(t.Of)
		if t.Status == result.Failed {
			t.Output = result.KeepEnds(strings.TrimRight(t.Output, "\n"), maxTestOutput)
		} else {
			t.Output = ""
		}
	}
	r.Text = result.KeepEnds(r.Text, result.MaxText)
}

func short(s string) string {
	return plaintext.CutBytes(s, maxName)
}

// indentOf returns the number of spaces at the start of a line.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// An outline holds the headings above an indented line.
type outline struct {
	names  []string
	levels []int
}

// closeTo drops the headings that are not above a line of this indentation.
func (o *outline) closeTo(level int) {
	for len(o.levels) > 0 && o.levels[len(o.levels)-1] >= level {
		o.levels = o.levels[:len(o.levels)-1]
		o.names = o.names[:len(o.names)-1]
	}
}

// openHeading adds a heading below the open ones.
func (o *outline) openHeading(level int, name string) {
	if len(o.levels) < 100 {
		o.levels = append(o.levels, level)
		o.names = append(o.names, name)
	}
}

// pathOf returns a name with the headings above it.
func (o *outline) pathOf(name string) string {
	return strings.Join(append(append([]string(nil), o.names...), name), separator)
}

// separator is written between a suite and its tests.
const separator = " > "
