package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

var (
	unittestTest    = regexp.MustCompile(`^ *(\S+) \(([\w.$<>]+)\)((?: \[.*\])?(?: \(.*\))?)(.*)$`)
	unittestVerdict = regexp.MustCompile(`^(.*? \.\.\. |)(?:.*)(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$`)
	unittestRan     = regexp.MustCompile(`^Ran (\d+) tests? in [\d.]+s$`)
	unittestEnd     = regexp.MustCompile(`^(?:OK|FAILED|NO TESTS RAN)(?: \((.+)\))?$`)
	unittestCount   = regexp.MustCompile(`([a-z ]+)=(\d+)`)
	unittestHead    = regexp.MustCompile(`^(?:FAIL|ERROR): (\S+) \(([\w.$<>]+)\)(.*)$`)
)

// A unittestRun is the state while unittest's output is read.
type unittestRun struct {
	Reading
	at      map[string]int
	pending *result.Test // a test whose status comes on a later line
	detail  string
	output  map[string]*strings.Builder
	ran     int // the number of tests; -1 if not printed
	ended   bool
}

// readUnittest reads python -m unittest. Without -v unittest names only failed tests.
func readUnittest(text string) (Reading, bool) {
	run := unittestRun{at: map[string]int{}, output: map[string]*strings.Builder{}, ran: -1}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, " \n"))
	}
	if run.ran < 0 || !run.ended {
		return Reading{}, false
	}
	run.countPassed()
	return run.Reading, true
}

func (run *unittestRun) readLine(line string) {
	switch {
	case run.ran >= 0:
		if m := unittestEnd.FindStringSubmatch(line); m != nil && !run.ended {
			run.ended = true
			run.readSummary(m[1])
		}
	case unittestRan.MatchString(line):
		run.ran, run.detail = parseCount(unittestRan.FindStringSubmatch(line)[1]), ""
	case unittestHead.MatchString(line):
		m := unittestHead.FindStringSubmatch(line)
		run.beginFailure(m[1], m[2], m[3])
	case strings.HasPrefix(line, "====="):
		run.pending = nil
	case run.detail != "":
		result.AppendBounded(run.output[run.detail], line+"\n")
	default:
		run.readVerdict(line)
	}
}

// readVerdict reads the output of -v: the test, what it printed, and its status, on one or more lines.
func (run *unittestRun) readVerdict(line string) {
	if m := unittestTest.FindStringSubmatch(line); m != nil {
		run.pending = &result.Test{Name: m[1], Group: className(m[1], m[2])}
		if strings.TrimSpace(m[3]) != "" && strings.Contains(m[4], " ... ") {
			run.pending.Of = run.pending.Name
			run.pending.Name += " " + strings.TrimSpace(m[3])
		}
		line = m[4]
	}
	if run.pending == nil {
		return
	}
	m := unittestVerdict.FindStringSubmatch(line)
	if m == nil {
		return
	}
	t := *run.pending
	switch {
	case m[2] == "ok":
		t.Status = result.Passed
	case strings.HasPrefix(m[2], "skipped"), m[2] == "expected failure":
		t.Status = result.Skipped
	default:
		t.Status = result.Failed
	}
	run.pending = nil
	if _, again := run.at[t.Group+" "+t.Name]; again && t.Of == "" { // a class that several modules import runs once for each
		run.Tests = append(run.Tests, t)
	}
	run.addTest(t)
}

// className returns the class. Since Python 3.11 the brackets contain the method as well.
func className(name, in string) string { return strings.TrimSuffix(in, "."+name) }

func (run *unittestRun) addTest(t result.Test) int {
	key := t.Group + " " + t.Name
	if i, ok := run.at[key]; ok {
		if t.Status == result.Failed {
			run.Tests[i].Status = result.Failed
		}
		return i
	}
	if strings.HasSuffix(t.Group, "unittest.loader._FailedTest") {
		t = result.BrokenGroup(t.Name, "could not be loaded", "")
	}
	run.at[key] = len(run.Tests)
	run.Tests = append(run.Tests, t)
	return len(run.Tests) - 1
}

// beginFailure starts the output of a failed test.
func (run *unittestRun) beginFailure(name, in, rest string) {
	t := result.Test{Name: name, Group: className(name, in), Status: result.Failed}
	if rest = strings.TrimSpace(rest); rest != "" {
		t.Of, t.Name = name, name+" "+rest
	}
	run.addTest(t)
	run.detail = t.Group + " " + t.Name
	run.output[run.detail] = &strings.Builder{}
}

// readSummary reads the counts after OK or FAILED.
func (run *unittestRun) readSummary(said string) {
	for _, m := range unittestCount.FindAllStringSubmatch(said, -1) {
		switch strings.TrimSpace(m[1]) {
		case "failures", "errors", "unexpected successes":
			run.Failed += parseCount(m[2])
		case "skipped", "expected failures":
			run.Skipped += parseCount(m[2])
		}
	}
}

// countPassed computes the number of passed tests, and drops a test if its cases are listed.
func (run *unittestRun) countPassed() {
	cases := map[string]bool{}
	for key, i := range run.at {
		if b := run.output[key]; b != nil {
			run.Tests[i].Output = b.String()
		}
		if t := run.Tests[i]; t.Of != "" {
			cases[t.Group+" "+t.Of] = true
		}
	}
	var out []result.Test
	for _, t := range run.Tests {
		if t.Of != "" || t.Broken != "" || !cases[t.Group+" "+t.Name] {
			out = append(out, t)
		}
	}
	run.Tests = out
	run.Passed = max(0, run.ran-run.Failed-run.Skipped)
}
