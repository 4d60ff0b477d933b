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

func (run *cargoRun) readLine(line string) {
	if m := cargoEnd.FindStringSubmatch(line); m != nil {
		run.seen, run.detail, run.pending = true, "", ""
		run.Passed, run.Failed, run.Skipped = run.Passed+parseCount(m[1]), run.Failed+parseCount(m[2]), run.Skipped+parseCount(m[3])
		run.endGroup()
		return
	}
	if m := cargoRunning.FindStringSubmatch(line); m != nil {
		run.endGroup()
		run.group, run.detail, run.pending = m[1]+m[2], "", ""
		return
	}
	if m := cargoBroken.FindStringSubmatch(line); m != nil {
		run.seen = true
		run.Tests = append(run.Tests, result.BrokenGroup(m[1], "does not compile", run.errors.String()))
		return
	}
	run.readInGroup(line)
}

// readInGroup reads a line inside a group, or a compiler's line before one.
func (run *cargoRun) readInGroup(line string) {
	m := cargoDetail.FindStringSubmatch(line)
	switch {
	case m != nil:
		run.detail = m[1]
		run.output[run.detail] = &strings.Builder{}
	case run.detail != "" && line == "failures:":
		run.detail = ""
	case run.detail != "":
		result.AppendBounded(run.output[run.detail], line+"\n")
	case run.readVerdict(line):
	default:
		result.AppendBounded(&run.errors, line+"\n")
	}
}

// readVerdict reads the line of a test. The test's own output may come before its status.
func (run *cargoRun) readVerdict(line string) bool {
	name, word := "", ""
	if m := cargoTest.FindStringSubmatch(line); m != nil {
		name, word = m[1], m[2]
	} else if m := cargoBegin.FindStringSubmatch(line); m != nil {
		run.pending = m[1]
		return true
	} else if run.pending != "" && (line == "ok" || line == "FAILED" || line == "ignored") {
		name, word = run.pending, line
	} else {
		return false
	}
	run.seen, run.pending = true, ""
	status := map[string]result.Status{"ok": result.Passed, "FAILED": result.Failed, "ignored": result.Skipped}[word]
	name = strings.TrimSuffix(name, " - should panic")
	run.Tests = append(run.Tests, result.Test{Name: name, Group: run.group, Status: status})
	return true
}

// endGroup stores the output of the group's failed tests.
func (run *cargoRun) endGroup() {
	for i := run.first; i < len(run.Tests); i++ {
		if b := run.output[run.Tests[i].Name]; b != nil && run.Tests[i].Status == result.Failed {
			run.Tests[i].Output = b.String()
		}
	}
	run.first = len(run.Tests)
	clear(run.output)
}

// parseCount returns the number n, or 0 if n is no number or is too large.
func parseCount(n string) int {
	i, err := strconv.Atoi(n)
	if err != nil || i > maxTests*100 {
		return 0
	}
	return i
}
