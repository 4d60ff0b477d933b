package runners

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

var (
	cargoRunning = regexp.MustCompile(`^\s+(?:Running (?:unittests )?(\S+)(?: \(.*\))?|Doc-tests (\S+))$`)
	cargoTest    = regexp.MustCompile(`^test (.+) \.\.\. (ok|FAILED|ignored)(?:,.*)?$`)
	cargoBegin   = regexp.MustCompile(`^test (.+) \.\.\. `)
	cargoEnd     = regexp.MustCompile(`^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;`)
	cargoBroken  = regexp.MustCompile("^error: could not compile `([^`]+)`")
	cargoDetail  = regexp.MustCompile(`^---- (.+) stdout ----$`)
)

// cargoRun is cargo test's output while it is read.
type cargoRun struct {
	Reading
	group   string
	first   int    // test of the group
	pending string // a test whose verdict comes on a later line
	detail  string // the test whose output is being shown
	output  map[string]*strings.Builder
	errors  strings.Builder
	seen    bool
}

// readCargo reads cargo test, one group a test binary.
func readCargo(text string) (Reading, bool) {
	run := cargoRun{output: map[string]*strings.Builder{}}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, "\n"))
	}
	run.endGroup()
	return run.Reading, run.seen
}

func (run *cargoRun) readLine(readLine string) {
	if m := cargoEnd.FindStringSubmatch(readLine); m != nil {
		run.seen, run.detail, run.pending = true, "", ""
		run.Passed, run.Failed, run.Skipped = run.Passed+parseCount(m[1]), run.Failed+parseCount(m[2]), run.Skipped+parseCount(m[3])
		run.endGroup()
		return
	}
	if m := cargoRunning.FindStringSubmatch(readLine); m != nil {
		run.endGroup()
		run.group, run.detail, run.pending = m[1]+m[2], "", ""
		return
	}
	if m := cargoBroken.FindStringSubmatch(readLine); m != nil {
		run.seen = true
		run.Tests = append(run.Tests, result.BrokenGroup(m[1], "does not compile", run.errors.String()))
		return
	}
	run.readInGroup(readLine)
}

// readInGroup is a line inside a group, or of the compiler before one.
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

// readVerdict reads a test's line; what the test printed may stand before its verdict.
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

// endGroup gives the tests of the group what they printed.
func (run *cargoRun) endGroup() {
	for i := run.first; i < len(run.Tests); i++ {
		if b := run.output[run.Tests[i].Name]; b != nil && run.Tests[i].Status == result.Failed {
			run.Tests[i].Output = b.String()
		}
	}
	run.first = len(run.Tests)
	clear(run.output)
}

// parseCount is n, and 0 for anything that is none.
func parseCount(n string) int {
	i, err := strconv.Atoi(n)
	if err != nil || i > maxTests*100 {
		return 0
	}
	return i
}
