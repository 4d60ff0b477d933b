package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

var (
	specTest  = regexp.MustCompile(`^( *)([✔✖﹣]) (.+?) \([\d.]+ms\)( # (?:SKIP|TODO).*)?$`)
	specOpen  = regexp.MustCompile(`^( *)▶ (.+?)( \([\d.]+ms\))?$`)
	specCount = regexp.MustCompile(`^ℹ (tests|pass|fail|cancelled|skipped|todo) (\d+)$`)
)

// A specRun is the state while the output of node's spec reporter is read.
type specRun struct {
	Reading
	heads    outline
	children map[string]bool // names that have tests below them
	failed   map[string]bool // names with a failed test below them
	details  *strings.Builder
	output   map[string]*strings.Builder // by the last part of a test's name
	closing  bool                        // the list of failed tests at the end has begun
	counted  bool
}

// readNodeSpec reads the spec reporter of node's own test runner.
func readNodeSpec(text string) (Reading, bool) {
	run := specRun{children: map[string]bool{}, failed: map[string]bool{}, output: map[string]*strings.Builder{}}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, " \n"))
	}
	if !run.counted {
		return Reading{}, false
	}
	for i, t := range run.Tests {
		last := t.Name[strings.LastIndex(separator+t.Name, separator):]
		if b := run.output[last]; b != nil && t.Status == result.Failed {
			run.Tests[i].Output = b.String()
		}
	}
	return run.Reading, true
}

func (run *specRun) readLine(line string) {
	if specCount.MatchString(line) {
		run.counted = true // the printed counts include parents; only the innermost tests are counted here
	} else if line == "✖ failing tests:" {
		run.closing = true
	} else if m := specTest.FindStringSubmatch(line); m != nil {
		if run.closing {
			run.details = &strings.Builder{}
			run.output[m[3]] = run.details
			return
		}
		run.addTest(len(m[1]), m[3], m[2], m[4])
	} else if m := specOpen.FindStringSubmatch(line); m != nil && !run.closing {
		run.openHeading(len(m[1]), m[2], m[3] != "")
	} else if run.details != nil {
		result.AppendBounded(run.details, line+"\n")
	}
}

// openHeading reads a heading. Older versions of node print it again, with a time, when it ends.
func (run *specRun) openHeading(level int, name string, again bool) {
	run.heads.closeTo(level)
	if !again {
		run.heads.openHeading(level, name)
	}
}

func (run *specRun) addTest(level int, name, mark, directive string) {
	run.heads.closeTo(level)
	whole := run.heads.pathOf(name)
	status := result.Failed
	switch {
	case directive != "" || mark == "﹣":
		status = result.Skipped
	case mark == "✔":
		status = result.Passed
	}
	for _, parent := range run.parentNames() {
		run.children[parent] = true
		run.failed[parent] = run.failed[parent] || status == result.Failed
	}
	switch {
	case run.children[whole] && (status != result.Failed || run.failed[whole]):
		// the tests below it are counted instead
	case status == result.Failed && level == 0 && tapFile.MatchString(name):
		run.Tests = append(run.Tests, result.BrokenGroup(strings.TrimPrefix(name, "/src/"), "could not be loaded", ""))
	default:
		run.Tests = append(run.Tests, result.Test{Name: whole, Status: status})
	}
}

// parentNames returns the full names of the open headings.
func (run *specRun) parentNames() []string {
	var out []string
	for i := range run.heads.names {
		out = append(out, strings.Join(run.heads.names[:i+1], separator))
	}
	return out
}
