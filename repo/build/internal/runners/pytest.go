package runners

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	pytestTest = regexp.MustCompile(`^(?:\[gw\d+\] \[ *\d+%\] )?(\S+\.py::.+?) ` +
		`(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?: +\[ *\d+%\])?$`)
	pytestWorker = regexp.MustCompile(
		`^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S+\.py::.+?)\s*$`)
	pytestShort   = regexp.MustCompile(`^(FAILED|ERROR) (\S+\.py)(::.+?)?(?: - .*)?$`)
	pytestSummary = regexp.MustCompile(
		`^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$`)
	pytestHeading = regexp.MustCompile(`^_{3,} (.+?) _{3,}$`)
)

// A pytestRun is the state while pytest's output is read.
type pytestRun struct {
	Reading
	at      map[string]int // by its full name the last test of that name
	failed  map[string]bool
	errors  map[int]bool // the tests with an error outside of the test itself
	heading string
	output  map[string]*strings.Builder // by the heading above it
	ended   bool
}

// readPytest reads the terminal output of pytest. Without -v pytest names only failed tests.
func readPytest(text string) (Reading, bool) {
	run := pytestRun{at: map[string]int{}, failed: map[string]bool{}, errors: map[int]bool{}}
	run.output = map[string]*strings.Builder{}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, " \n"))
	}
	for i := range run.Tests {
		run.Tests[i].Output = run.outputOf(run.Tests[i])
	}
	run.Uncounted = !run.ended && len(run.failed) > 0 && run.namesOnlyFailed()
	return run.Reading, run.ended || len(run.Tests) > 0
}

// namesOnlyFailed reports whether no test is named that did not fail.
func (p *pytestRun) namesOnlyFailed() bool {
	return !slices.ContainsFunc(p.Tests, func(t result.Test) bool { return t.Status != result.Failed })
}

func (p *pytestRun) readLine(line string) {
	if m := pytestTest.FindStringSubmatch(line); m != nil {
		p.addTest(m[1], m[2])
	} else if m := pytestWorker.FindStringSubmatch(line); m != nil {
		p.addTest(m[2], m[1])
	} else if m := pytestShort.FindStringSubmatch(line); m != nil {
		p.readShortLine(m)
	} else if m := pytestSummary.FindStringSubmatch(line); m != nil {
		p.ended = true
		p.readCounts(m[1])
	} else if m := pytestHeading.FindStringSubmatch(line); m != nil {
		p.heading = m[1]
		p.output[p.heading] = &strings.Builder{}
	} else if strings.HasPrefix(line, "=====") {
		p.heading = ""
	} else if p.heading != "" {
		result.AppendBounded(p.output[p.heading], line+"\n")
	}
}

// addTest records a status of -v. A test that ran and whose tear-down fails has a second one.
func (p *pytestRun) addTest(whole, word string) {
	status := result.Failed
	switch word {
	case "PASSED":
		status = result.Passed
	case "SKIPPED", "XFAIL", "XPASS":
		status = result.Skipped
	}
	p.failed[whole] = p.failed[whole] || status == result.Failed
	if i, ok := p.at[whole]; ok && word == "ERROR" && !p.errors[i] {
		if t := &p.Tests[i]; t.Status == result.Passed {
			p.Passed-- // the summary counts both
		} else if t.Status == result.Failed {
			p.Failed--
		} else {
			p.Skipped--
		}
		p.Tests[i].Status = result.Failed
		p.errors[i] = true
		return
	}
	p.at[whole] = len(p.Tests)
	p.errors[len(p.Tests)] = word == "ERROR"
	group, name, _ := strings.Cut(whole, "::")
	if i := strings.LastIndex(strings.SplitN(name, "[", 2)[0], "::"); i >= 0 {
		group, name = group+"::"+name[:i], name[i+2:]
	}
	p.Tests = append(p.Tests, result.Test{Name: name, Group: group, Of: caseOf(name), Status: status})
}

// readShortLine reads a line of the short summary: a test, or a file that cannot be imported.
func (p *pytestRun) readShortLine(m []string) {
	if m[3] != "" {
		i, known := p.at[m[2]+m[3]]
		if !known {
			p.addTest(m[2]+m[3], m[1])
		} else if !p.failed[m[2]+m[3]] {
			p.Tests[i].Status = result.Failed
		}
		return
	}
	if _, ok := p.at[m[2]]; !ok {
		p.at[m[2]] = len(p.Tests)
		p.Tests = append(p.Tests, result.BrokenGroup(m[2], "could not be loaded", ""))
	}
}

// outputOf returns the text under the test's heading.
func (p *pytestRun) outputOf(t result.Test) string {
	name := t.Name
	if i := strings.Index(t.Group, "::"); i >= 0 {
		name = strings.ReplaceAll(t.Group[i+2:], "::", ".") + "." + name
	}
	for _, heading := range []string{
		name, "ERROR collecting " + t.Group, "ERROR at setup of " + name, "ERROR at teardown of " + name,
	} {
		if b := p.output[heading]; b != nil {
			return b.String()
		}
	}
	return ""
}
