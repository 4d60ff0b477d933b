package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	unittestTest    = regexp.MustCompile(`^ *(\S+) \(([\w.$<>]+)\)((?: \[.*\])?(?: \(.*\))?)(.*)$`)
	unittestNext    = regexp.MustCompile(`^ \.\.\. (\S+ \([\w.$<>]+\)(?: \.\.\. .*)?)$`) // of Python before 3.11
	unittestVerdict = regexp.MustCompile(
		`^(.*? \.\.\. |)(.*)(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$`,
	)
	unittestRan   = regexp.MustCompile(`^Ran (\d+) tests? in [\d.]+s$`)
	unittestEnd   = regexp.MustCompile(`^(?:OK|FAILED|NO TESTS RAN)(?: \((.+)\))?$`)
	unittestCount = regexp.MustCompile(`([a-z ]+)=(\d+)`)
	unittestHead  = regexp.MustCompile(`^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+) \(([\w.$<>]+)\)(.*)$`)
)

// A unittestRun is the state while unittest's output is read.
type unittestRun struct {
	Reading
	failed   map[result.Name][]int // by class and name, the failed tests whose output is not complete
	named    map[result.Name]int   // by class and name, the last test
	pending  *result.Test          // a test whose status comes on a later line
	unsure   bool                  // the status of the last test may be what the test printed
	last     result.Name           // the test on the line before
	again    []int                 // tests that may be one more error of the test before them
	failures []unittestFailure
	counting bool // the number of tests was printed, and the counts come next
	ended    bool
}

// A unittestFailure is what is printed of a failed test after all tests ran.
type unittestFailure struct {
	test result.Test
	text *strings.Builder
}

// readUnittest reads python -m unittest; of several runs all. Without -v unittest names only failed tests. A
// class that several modules import, or that is made several times, runs as often under one name.
func readUnittest(text string) (Reading, bool) {
	run := unittestRun{failed: map[result.Name][]int{}, named: map[result.Name]int{}}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, " \n"))
	}
	if !run.ended {
		return Reading{}, false
	}
	run.joinErrors()
	for i, t := range run.Tests {
		name := result.Name{Group: t.Group, Name: t.Name}
		run.named[name] = i
		if t.Status == result.Failed {
			run.failed[name] = append(run.failed[name], i)
		}
	}
	for _, f := range run.failures {
		run.settleFailure(f)
	}
	run.Passed = max(0, run.Stated-run.Failed-run.Skipped)
	return run.Reading, true
}

func (run *unittestRun) readLine(line string) {
	switch {
	case run.counting:
		if m := unittestEnd.FindStringSubmatch(line); m != nil {
			run.ended, run.counting = true, false
			run.readSummary(m[1])
		}
	case unittestRan.MatchString(line):
		run.Stated += parseCount(unittestRan.FindStringSubmatch(line)[1])
		run.counting, run.unsure, run.pending, run.last = true, false, nil, result.Name{}
		run.closeFailure()
	case unittestHead.MatchString(line):
		m := unittestHead.FindStringSubmatch(line)
		run.beginFailure(m[1], m[2], m[3])
	case strings.HasPrefix(line, "====="):
		run.pending, run.unsure = nil, false
	case run.openFailure() != nil:
		result.AppendBounded(run.openFailure(), line+"\n")
	default:
		run.readVerdict(line)
	}
}

// readVerdict reads the output of -v: the test, what it printed, and its status, on one or more lines.
func (run *unittestRun) readVerdict(line string) {
	if m := unittestTest.FindStringSubmatch(line); m != nil {
		// Only the cases of this test have a status, and the next test stands on the same line.
		if next := unittestNext.FindStringSubmatch(m[4]); next != nil && len(line) < 4*maxName {
			run.pending = nil
			run.readVerdict(next[1])
			return
		}
		run.pending = &result.Test{Name: m[1], Group: className(m[1], m[2])}
		if strings.TrimSpace(m[3]) != "" && strings.Contains(m[4], " ... ") {
			run.pending.Of = run.pending.Name
			run.pending.Name += " " + strings.TrimSpace(m[3])
		}
		line = m[4]
	}
	m := unittestVerdict.FindStringSubmatch(line)
	switch {
	case m == nil:
	case run.pending != nil:
		run.pending.Status = unittestStatus(m[3])
		run.addTest(*run.pending, m[3])
		run.pending, run.unsure = nil, m[2] != "" && run.Tests[len(run.Tests)-1].Broken == ""
	case run.unsure && m[1]+m[2] == "":
		run.Tests[len(run.Tests)-1].Status = unittestStatus(m[3]) // a failure is printed once more after all tests
	}
}

func unittestStatus(word string) result.Status {
	switch {
	case word == "ok":
		return result.Passed
	case strings.HasPrefix(word, "skipped"), word == "expected failure":
		return result.Skipped
	}
	return result.Failed
}

// className returns the class. Since Python 3.11 the brackets contain the method as well.
func className(name, in string) string { return strings.TrimSuffix(in, "."+name) }

// addTest adds a test of -v. A test that fails twice, as in its tear-down, has a line for each error.
func (run *unittestRun) addTest(t result.Test, word string) {
	name := result.Name{Group: t.Group, Name: t.Name}
	if n := len(run.Tests); word == "ERROR" && name == run.last && run.Tests[n-1].Status == result.Failed {
		run.again = append(run.again, n)
	}
	run.last = name
	run.Tests = append(run.Tests, brokenIfUnloaded(t))
}

// brokenIfUnloaded returns the test, or the entry for a module that could not be loaded.
func brokenIfUnloaded(t result.Test) result.Test {
	if strings.HasSuffix(t.Group, "unittest.loader._FailedTest") {
		return result.BrokenGroup(t.Name, "could not be loaded", "")
	}
	return t
}

// joinErrors drops the further errors of one test, as far as -v names more tests than ran.
func (run *unittestRun) joinErrors() {
	over := -run.Stated
	for _, t := range run.Tests {
		if t.Of == "" && !strings.HasPrefix(t.Name, "setUp") && !strings.HasPrefix(t.Name, "tearDown") {
			over++
		}
	}
	drop := map[int]bool{}
	for _, i := range run.again[:max(0, min(over, len(run.again)))] {
		drop[i] = true
	}
	kept := run.Tests[:0]
	for i, t := range run.Tests {
		if !drop[i] {
			kept = append(kept, t)
		}
	}
	run.Tests = kept
}

// beginFailure starts the output of a failed test.
func (run *unittestRun) beginFailure(name, in, rest string) {
	t := result.Test{Name: name, Group: className(name, in), Status: result.Failed}
	if rest = strings.TrimSpace(rest); rest != "" {
		t.Of, t.Name = name, name+" "+rest
	}
	run.failures = append(run.failures, unittestFailure{t, &strings.Builder{}})
}

// openFailure returns the text of the failed test that is being read, or nil.
func (run *unittestRun) openFailure() *strings.Builder {
	if len(run.failures) == 0 {
		return nil
	}
	return run.failures[len(run.failures)-1].text
}

// closeFailure ends the text of the last failed test.
func (run *unittestRun) closeFailure() {
	if run.openFailure() != nil {
		run.failures = append(run.failures, unittestFailure{})
	}
}

// settleFailure adds the output to the test that it is of: of those that share the name, to the first failed
// one without output. A test that -v does not name is added.
func (run *unittestRun) settleFailure(f unittestFailure) {
	if f.text == nil {
		return
	}
	t := brokenIfUnloaded(f.test)
	name := result.Name{Group: t.Group, Name: t.Name}
	at := run.failed[name]
	if last, known := run.named[name]; !known {
		t.Output = f.text.String()
		run.Tests = append(run.Tests, t)
		return
	} else if len(at) == 0 {
		at = []int{last}
	}
	for len(at) > 1 && run.Tests[at[0]].Output != "" {
		at = at[1:]
	}
	run.failed[name] = at
	of := &run.Tests[at[0]]
	if of.Output != "" {
		run.Failed-- // the summary counts errors
	}
	of.Status, of.Output = result.Failed, of.Output+f.text.String()
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
