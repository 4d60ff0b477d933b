package runners

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	cargoRunning = regexp.MustCompile(`^\s+(?:Running (?:unittests )?(\S+)(?: \(.*\))?|Doc-tests (\S+))$`)
	cargoTest    = regexp.MustCompile(`^test (.+) \.\.\. (ok|FAILED|ignored)(?:,.*)?$`)
	cargoBegin   = regexp.MustCompile(`^test (.+) \.\.\. `)
	cargoEnd     = regexp.MustCompile(`^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;`)
	cargoBroken  = regexp.MustCompile("^error: could not compile `([^`]+)`")
	cargoDetail  = regexp.MustCompile(`^---- (.+) stdout ----$`)
)

// A cargoRun is the state while the output of cargo test is read.
type cargoRun struct {
	Reading
	group   string
	first   int    // index of the group's first test
	pending string // a test whose status comes on a later line
	detail  string // the test whose output is being read
	output  map[string]*strings.Builder
	errors  strings.Builder
	seen    bool
}

// readCargo reads cargo test, with one group for each test binary.
func readCargo(text string) (Reading, bool) {
	run := cargoRun{output: map[string]*strings.Builder{}}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, "\n"))
	}
	run.endGroup()
	return run.Reading, run.seen
}

func (c *cargoRun) readLine(line string) {
	if m := cargoEnd.FindStringSubmatch(line); m != nil {
		c.seen = true
		c.detail = ""
		c.pending = ""
		c.Passed = c.Passed + parseCount(m[1])
		c.Failed = c.Failed + parseCount(m[2])
		c.Skipped = c.Skipped + parseCount(m[3])
		c.endGroup()
		return
	}
	if m := cargoRunning.FindStringSubmatch(line); m != nil {
		c.endGroup()
		c.group = m[1] + m[2]
		c.detail = ""
		c.pending = ""
		return
	}
	if m := cargoBroken.FindStringSubmatch(line); m != nil {
		c.seen = true
		c.Tests = append(c.Tests, result.BrokenGroup(m[1], result.DoesNotCompile, c.errors.String()))
		return
	}
	c.readInGroup(line)
}

// readInGroup reads a line inside a group, or a compiler's line before one.
func (c *cargoRun) readInGroup(line string) {
	m := cargoDetail.FindStringSubmatch(line)
	switch {
	case m != nil:
		c.detail = m[1]
		c.output[c.detail] = &strings.Builder{}
	case c.detail != "" && line == "failures:":
		c.detail = ""
	case c.detail != "":
		result.AppendBounded(c.output[c.detail], line+"\n")
	case c.readVerdict(line):
	default:
		result.AppendBounded(&c.errors, line+"\n")
	}
}

// readVerdict reads the line of a test. The test's own output may come before its status.
func (c *cargoRun) readVerdict(line string) bool {
	name, word := "", ""
	if m := cargoTest.FindStringSubmatch(line); m != nil {
		name = m[1]
		word = m[2]
	} else if m := cargoBegin.FindStringSubmatch(line); m != nil {
		c.pending = m[1]
		return true
	} else if c.pending != "" && (line == "ok" || line == "FAILED" || line == "ignored") {
		name = c.pending
		word = line
	} else {
		return false
	}
	c.seen = true
	c.pending = ""
	status := map[string]result.Status{
		"ok":      result.Passed,
		"FAILED":  result.Failed,
		"ignored": result.Skipped,
	}[word]
	name = strings.TrimSuffix(name, " - should panic")
	c.Tests = append(c.Tests, result.Test{Name: name, Group: c.group, Status: status})
	return true
}

// endGroup stores the output of the group's failed tests.
func (c *cargoRun) endGroup() {
	for i := c.first; i < len(c.Tests); i++ {
		if b := c.output[c.Tests[i].Name]; b != nil && c.Tests[i].Status == result.Failed {
			c.Tests[i].Output = b.String()
		}
	}
	c.first = len(c.Tests)
	clear(c.output)
}

// parseCount returns the number n, or 0 if n is no number or is too large.
func parseCount(n string) int {
	i, err := strconv.Atoi(n)
	if err != nil || i > maxTests*100 {
		return 0
	}
	return i
}
