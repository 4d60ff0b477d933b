package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
	"github.com/bobbinhq/bobbin/repo/runners/gotest"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Reading is what could be read from a runner's output.
type Reading struct {
	format string
	Tests  []result.Test
	result.Counts
	Text      string // for people, where the output itself is for machines
	Uncounted bool   // only failures are named, and nobody says how many passed
}

// A format is the way in which a runner prints. read gives false when the text is not of
// that format.
type format struct {
	name string
	read func(text string) (Reading, bool)
}

// formats are tried in this order: those that cannot be mistaken for another come first. A new
// runner is one file with its read function, and one line here.
var formats = []format{
	{"go test -json", fromGo(gotest.ReadJSON)},
	{"JUnit XML", readJUnit},
	{"prove", readProve},
	{"automake", readAutomake},
	{"TAP", readTAP},
	{"cargo test", readCargo},
	{"pytest", readPytest},
	{"unittest", readUnittest},
	{"vitest", readVitest},
	{"jest", readJest},
	{"node test runner", readNodeSpec},
	{"mocha", readMocha},
	{"go test", fromGo(gotest.ReadText)},
}

// fromGo is a read function of what go test prints.
func fromGo(read func(text string) (gotest.Output, bool)) func(text string) (Reading, bool) {
	return func(text string) (Reading, bool) {
		out, ok := read(text)
		return Reading{Tests: out.Tests, Text: out.Text, Uncounted: out.Uncounted}, ok
	}
}

// Of each test and each text for people, at most so much is kept, half of it the end.
const (
	maxTestOutput = 8 << 10
	maxTests      = 100_000
	maxName       = 1000
)

// Read finds out which runner printed the text.
func Read(text string) (Reading, bool) {
	text = result.StripTerminal(text)
	for _, f := range formats {
		if r, ok := f.read(text); ok {
			r.format = f.name
			r.boundAndCount()
			return r, true
		}
	}
	return Reading{}, false
}

// runnerCount is one figure of the line with which jest, vitest and pytest end.
var runnerCount = regexp.MustCompile(`(\d+) (passed|failed|errors?|skipped|todo|pending|xfailed|xpassed)\b`)

// readCounts adds the figures of a summary.
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

// boundAndCount cuts what is too long and counts the tests, unless the runner counted more.
func (r *Reading) boundAndCount() {
	r.Tests = r.Tests[:min(len(r.Tests), maxTests)]
	var passed, failed, skipped int
	for i := range r.Tests {
		t := &r.Tests[i]
		t.Name, t.Group, t.Of = short(t.Name), short(t.Group), short(t.Of)
		switch t.Status {
		case result.Passed:
			passed++
		case result.Skipped:
			skipped++
		default:
			failed++
		}
		if t.Status == result.Failed {
			t.Output = result.KeepEnds(strings.TrimRight(t.Output, "\n"), maxTestOutput)
		} else {
			t.Output = ""
		}
	}
	r.Passed, r.Failed, r.Skipped = max(r.Passed, passed), max(r.Failed, failed), max(r.Skipped, skipped)
	r.Text = result.KeepEnds(r.Text, result.MaxText)
}

func short(s string) string {
	return plaintext.CutBytes(s, maxName)
}

// indentOf is how many spaces a line begins with.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// An outline keeps the headings above a line that is indented below them.
type outline struct {
	names  []string
	levels []int
}

// closeTo drops the headings that a line of this indentation is not under.
func (o *outline) closeTo(level int) {
	for len(o.levels) > 0 && o.levels[len(o.levels)-1] >= level {
		o.levels, o.names = o.levels[:len(o.levels)-1], o.names[:len(o.names)-1]
	}
}

// openHeading adds a heading below the open ones.
func (o *outline) openHeading(level int, name string) {
	if len(o.levels) < 100 {
		o.levels, o.names = append(o.levels, level), append(o.names, name)
	}
}

// pathOf returns a name with the headings above it.
func (o *outline) pathOf(name string) string {
	return strings.Join(append(append([]string(nil), o.names...), name), separator)
}

// separator stands between a suite and what is in it.
const separator = " > "
