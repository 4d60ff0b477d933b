package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	unittestTest = regexp.MustCompile(`^ *(\S+) \(([\w.$<>]+)\)((?: \[.*\])?(?: \(.*\))?)(.*)$`)
	// of Python before 3.11
	unittestNext    = regexp.MustCompile(`^ \.\.\. (\S+ \([\w.$<>]+\)(?: \.\.\. .*)?)$`)
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
	if run.ended {
		run.joinErrors()
	}
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
	run.Passed = max(0, run.Stated-run.failedTests()-run.Skipped)
	return run.Reading, run.ended
}

// failedTests returns how many of the tests that ran failed: the summary also counts failures outside of
// tests, as in the set-up of a class.
func (u *unittestRun) failedTests() int {
	n := u.Failed
	for _, f := range u.failures {
		if strings.HasPrefix(f.test.Name, "setUp") || strings.HasPrefix(f.test.Name, "tearDown") {
			n--
		}
	}
	return n
}

func (u *unittestRun) readLine(line string) {
	switch {
	case u.counting:
		if m := unittestEnd.FindStringSubmatch(line); m != nil {
			u.ended, u.counting = true, false
			u.readSummary(m[1])
		}
	case unittestRan.MatchString(line):
		u.Stated += parseCount(unittestRan.FindStringSubmatch(line)[1])
		u.counting = true
		u.unsure = false
		u.pending = nil
		u.last = result.Name{}
		u.closeFailure()
	case unittestHead.MatchString(line):
		m := unittestHead.FindStringSubmatch(line)
		u.beginFailure(m[1], m[2], m[3])
	case strings.HasPrefix(line, "====="):
		u.pending = nil
		u.unsure = false
	case u.openFailure() != nil:
		result.AppendBounded(u.openFailure(), line+"\n")
	default:
		u.readVerdict(line)
	}
}

// readVerdict reads the output of -v: the test, what it printed, and its status, on one or more lines.
func (u *unittestRun) readVerdict(line string) {
	if m := unittestTest.FindStringSubmatch(line); m != nil {
		// Only the cases of this test have a status, and the next test stands on the same line.
		if next := unittestNext.FindStringSubmatch(m[4]); next != nil && len(line) < 4*maxName {
			u.pending = nil
			u.readVerdict(next[1])
			return
		}
		u.pending = &result.Test{Name: m[1], Group: className(m[1], m[2])}
		if strings.TrimSpace(m[3]) != "" && strings.Contains(m[4], " ... ") {
			u.pending.Of = u.pending.Name
			u.pending.Name += " " + strings.TrimSpace(m[3])
		}
		line = m[4]
	}
	m := unittestVerdict.FindStringSubmatch(line)
	switch {
	case m == nil:
	case u.pending != nil:
		u.pending.Status = unittestStatus(m[3])
		u.addTest(*u.pending, m[3])
		u.pending = nil
		u.unsure = m[2] != "" && u.Tests[len(u.Tests)-1].Broken == ""
	case u.unsure && m[1]+m[2] == "":
		// a failure is printed once more after all tests
		u.Tests[len(u.Tests)-1].Status = unittestStatus(m[3])
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
func (u *unittestRun) addTest(t result.Test, word string) {
	name := result.Name{Group: t.Group, Name: t.Name}
	if n := len(u.Tests); word == "ERROR" && name == u.last && u.Tests[n-1].Status == result.Failed {
		u.again = append(u.again, n)
	}
	u.last = name
	u.Tests = append(u.Tests, brokenIfUnloaded(t))
}

// brokenIfUnloaded returns the test, or the entry for a module that could not be loaded.
func brokenIfUnloaded(t result.Test) result.Test {
	if strings.HasSuffix(t.Group, "unittest.loader._FailedTest") {
		return result.BrokenGroup(t.Name, "could not be loaded", "")
	}
	return t
}

// joinErrors drops the further errors of one test, as far as -v names more tests than ran.
func (u *unittestRun) joinErrors() {
	over := -u.Stated
	for _, t := range u.Tests {
		if t.Of == "" && !strings.HasPrefix(t.Name, "setUp") && !strings.HasPrefix(t.Name, "tearDown") {
			over++
		}
	}
	drop := map[int]bool{}
	for _, i := range u.again[:max(0, min(over, len(u.again)))] {
		drop[i] = true
	}
	kept := u.Tests[:0]
	for i, t := range u.Tests {
		if !drop[i] {
			kept = append(kept, t)
		}
	}
	u.Tests = kept
}

// beginFailure starts the output of a failed test.
func (u *unittestRun) beginFailure(name, in, rest string) {
	t := result.Test{Name: name, Group: className(name, in), Status: result.Failed}
	if rest = strings.TrimSpace(rest); rest != "" {
		t.Of = name
		t.Name = name + " " + rest
	}
	u.failures = append(u.failures, unittestFailure{t, &strings.Builder{}})
}

// openFailure returns the text of the failed test that is being read, or nil.
func (u *unittestRun) openFailure() *strings.Builder {
	if len(u.failures) == 0 {
		return nil
	}
	return u.failures[len(u.failures)-1].text
}

// closeFailure ends the text of the last failed test.
func (u *unittestRun) closeFailure() {
	if u.openFailure() != nil {
		u.failures = append(u.failures, unittestFailure{})
	}
}

// settleFailure adds the output to the test that it is of: of those that share the name, to the first failed
// one without output. A test that -v does not name is added.
func (u *unittestRun) settleFailure(f unittestFailure) {
	if f.text == nil {
		return
	}
	t := brokenIfUnloaded(f.test)
	name := result.Name{Group: t.Group, Name: t.Name}
	at := u.failed[name]
	if last, known := u.named[name]; !known {
		t.Output = f.text.String()
		u.Tests = append(u.Tests, t)
		return
	} else if len(at) == 0 {
		at = []int{last}
	}
	for len(at) > 1 && u.Tests[at[0]].Output != "" {
		at = at[1:]
	}
	u.failed[name] = at
	of := &u.Tests[at[0]]
	if of.Output != "" {
		u.Failed-- // the summary counts errors
	}
	of.Status = result.Failed
	of.Output = of.Output + f.text.String()
}

// readSummary reads the counts after OK or FAILED.
func (u *unittestRun) readSummary(summary string) {
	for _, m := range unittestCount.FindAllStringSubmatch(summary, -1) {
		switch strings.TrimSpace(m[1]) {
		case "failures", "errors", "unexpected successes":
			u.Failed += parseCount(m[2])
		case "skipped", "expected failures":
			u.Skipped += parseCount(m[2])
		}
	}
}
