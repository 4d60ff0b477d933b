package check

import (
	"regexp"
	"strings"
)

// A reading is what could be read from a runner's output.
type reading struct {
	format                  string
	tests                   []Test
	passed, failed, skipped int
	text                    string // for people, where the output itself is for machines
	uncounted               bool   // only failures are named, and nobody says how many passed
}

// A format is the way in which a runner prints. read gives false when the text is not of
// that format.
type format struct {
	name string
	read func(text string) (reading, bool)
}

// formats in the order in which they are tried: those that cannot be mistaken first.
var formats = []format{
	{"go test -json", readGoJSON},
	{"JUnit XML", readJUnit},
	{"TAP", readTAP},
	{"cargo test", readCargo},
	{"pytest", readPytest},
	{"unittest", readUnittest},
	{"vitest", readVitest},
	{"jest", readJest},
	{"node test runner", readNodeSpec},
	{"mocha", readMocha},
	{"go test", readGoText},
}

// Of each test and each text for people, at most so much is kept, half of it the end.
const (
	maxTestOutput = 8 << 10
	maxText       = 64 << 10
	maxTests      = 100_000
	maxName       = 1000
)

// read finds out which runner printed the text.
func read(text string) (reading, bool) {
	text = plain(text)
	for _, f := range formats {
		if r, ok := f.read(text); ok {
			r.format = f.name
			r.tidy()
			return r, true
		}
	}
	return reading{}, false
}

// tidy bounds what a runner said and counts the tests, unless the runner has counted more.
func (r *reading) tidy() {
	r.tests = r.tests[:min(len(r.tests), maxTests)]
	var passed, failed, skipped int
	for i := range r.tests {
		t := &r.tests[i]
		t.Name, t.Group, t.Of = short(t.Name), short(t.Group), short(t.Of)
		switch t.Status {
		case Passed:
			passed++
		case Skipped:
			skipped++
		default:
			failed++
		}
		if t.Status == Failed {
			t.Output = ends(strings.TrimRight(t.Output, "\n"), maxTestOutput)
		} else {
			t.Output = ""
		}
	}
	r.passed, r.failed, r.skipped = max(r.passed, passed), max(r.failed, failed), max(r.skipped, skipped)
	r.text = ends(r.text, maxText)
}

func short(s string) string {
	if len(s) > maxName {
		s = strings.ToValidUTF8(s[:maxName], "") + "…"
	}
	return s
}

// ends is the text, or its beginning and its end when it is longer than most.
func ends(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := "\n[… " + sizeInWords(len(text)-most) + " left out …]\n"
	return strings.ToValidUTF8(text[:most/2], "") + cut + strings.ToValidUTF8(text[len(text)-most/2:], "")
}

// terminal is what a program writes to move a terminal's cursor or change its colours.
var terminal = regexp.MustCompile(`\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])`)

// plain is the text without what is meant for a terminal.
func plain(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.Contains(text, "\x1b") {
		text = terminal.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// broken stands for a group none of whose further tests could run.
func broken(group, why, output string) Test {
	return Test{Name: group + " " + why, Group: group, Status: Failed, Broken: why, Output: output}
}

// indent is how many spaces a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// An outline keeps the headings above a line that is indented below them.
type outline struct {
	names  []string
	levels []int
}

// at drops the headings that a line of this indentation does not stand under.
func (o *outline) at(level int) {
	for len(o.levels) > 0 && o.levels[len(o.levels)-1] >= level {
		o.levels, o.names = o.levels[:len(o.levels)-1], o.names[:len(o.names)-1]
	}
}

// add puts a heading below those that stand.
func (o *outline) add(level int, name string) {
	if len(o.levels) < 100 {
		o.levels, o.names = append(o.levels, level), append(o.names, name)
	}
}

// path is a name with the headings above it.
func (o *outline) path(name string) string {
	return strings.Join(append(append([]string(nil), o.names...), name), separator)
}

// separator stands between a suite and what is in it.
const separator = " > "
