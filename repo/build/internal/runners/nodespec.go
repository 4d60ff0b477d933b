package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	specTest  = regexp.MustCompile(`^( *)([✔✖﹣]) (.+?) \([\d.]+ms\)( # .*)?$`)
	specOpen  = regexp.MustCompile(`^( *)▶ (.+?)( \([\d.]+ms\))?$`)
	specCount = regexp.MustCompile(`^ℹ (tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$`)
)

// A specRun is the state while the output of node's spec reporter is read.
type specRun struct {
	Reading
	heads   outline
	open    []specHead // of the headings in heads
	details *strings.Builder
	output  map[string][]*strings.Builder // by the last part of a test's name
	points  int                           // the lines with a status
	closing bool                          // the list of failed tests at the end has begun
	counted bool
}

// A specHead is a test or suite whose tests are being read.
type specHead struct{ tests, failed bool }

// readNodeSpec reads the spec reporter of node's own test runner.
func readNodeSpec(text string) (Reading, bool) {
	run := specRun{output: map[string][]*strings.Builder{}}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, " \n"))
	}
	if !run.counted {
		return Reading{}, false
	}
	// The runner counts tests and suites that contain others, too.
	run.Stated = max(0, run.Stated-run.points+len(run.Tests))
	for i, t := range run.Tests {
		last := t.Name[strings.LastIndex(separator+t.Name, separator):]
		if texts := run.output[last]; len(texts) > 0 && t.Status == result.Failed {
			run.Tests[i].Output = texts[0].String()
			run.output[last] = texts[min(1, len(texts)-1):]
		}
	}
	return run.Reading, true
}

func (run *specRun) readLine(line string) {
	if m := specCount.FindStringSubmatch(line); m != nil {
		run.counted, run.details = true, nil
		if m[1] == "tests" || m[1] == "suites" {
			run.Stated += parseCount(m[2])
		}
	} else if line == "✖ failing tests:" {
		run.closing = true
	} else if m := specTest.FindStringSubmatch(line); m != nil {
		if run.closing {
			run.details = &strings.Builder{}
			run.output[m[3]] = append(run.output[m[3]], run.details)
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
	if again {
		run.endHeading(level, name)
	}
	run.closeTo(level)
	if !again {
		run.heads.openHeading(level, name)
		run.open = append(run.open, specHead{})[:len(run.heads.names)]
	}
}

func (run *specRun) closeTo(level int) {
	run.heads.closeTo(level)
	run.open = run.open[:len(run.heads.names)]
}

// endHeading returns the heading that a line of this indentation and name ends. Its tests have come before.
func (run *specRun) endHeading(level int, name string) (head specHead, ends bool) {
	run.closeTo(level + 1)
	if n := len(run.open); n > 0 && run.heads.levels[n-1] == level && run.heads.names[n-1] == name {
		run.points++
		return run.open[n-1], true
	}
	return specHead{}, false
}

func (run *specRun) addTest(level int, name, mark, directive string) {
	status := result.Failed
	switch {
	case directive != "" || mark == "﹣":
		status = result.Skipped
	case mark == "✔":
		status = result.Passed
	}
	head, ends := run.endHeading(level, name)
	if !ends {
		run.points++
	}
	run.closeTo(level)
	whole := run.heads.pathOf(name)
	for i := range run.open {
		run.open[i].tests = true
		run.open[i].failed = run.open[i].failed || status == result.Failed
	}
	switch {
	case ends && head.tests && (status != result.Failed || head.failed):
		// the tests below it are counted instead
	case status == result.Failed && level == 0 && tapFile.MatchString(name):
		run.Tests = append(run.Tests, result.BrokenGroup(strings.TrimPrefix(name, "/src/"), "could not be loaded", ""))
	default:
		run.Tests = append(run.Tests, result.Test{Name: whole, Status: status})
	}
}
