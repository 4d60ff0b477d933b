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
	// The runner counts tests and suites that contain others, too.
	run.Stated = max(0, run.Stated-run.points+len(run.Tests))
	for i, t := range run.Tests {
		last := t.Name[strings.LastIndex(separator+t.Name, separator):]
		if texts := run.output[last]; len(texts) > 0 && t.Status == result.Failed {
			run.Tests[i].Output = texts[0].String()
			run.output[last] = texts[min(1, len(texts)-1):]
		}
	}
	return run.Reading, run.counted
}

func (s *specRun) readLine(line string) {
	if m := specCount.FindStringSubmatch(line); m != nil {
		s.counted = true
		s.details = nil
		if m[1] == "tests" || m[1] == "suites" {
			s.Stated += parseCount(m[2])
		}
	} else if line == "✖ failing tests:" {
		s.closing = true
	} else if m := specTest.FindStringSubmatch(line); m != nil {
		if s.closing {
			s.details = &strings.Builder{}
			s.output[m[3]] = append(s.output[m[3]], s.details)
			return
		}
		s.addTest(len(m[1]), m[3], m[2], m[4])
	} else if m := specOpen.FindStringSubmatch(line); m != nil && !s.closing {
		s.openHeading(len(m[1]), m[2], m[3] != "")
	} else if s.details != nil {
		result.AppendBounded(s.details, line+"\n")
	}
}

// openHeading reads a heading. Older versions of node print it again, with a time, when it ends.
func (s *specRun) openHeading(level int, name string, again bool) {
	if again {
		s.endHeading(level, name)
	}
	s.closeTo(level)
	if !again {
		s.heads.openHeading(level, name)
		s.open = append(s.open, specHead{})[:len(s.heads.names)]
	}
}

func (s *specRun) closeTo(level int) {
	s.heads.closeTo(level)
	s.open = s.open[:len(s.heads.names)]
}

// endHeading returns the heading that a line of this indentation and name ends. Its tests have come before.
func (s *specRun) endHeading(level int, name string) (head specHead, ends bool) {
	s.closeTo(level + 1)
	if n := len(s.open); n > 0 && s.heads.levels[n-1] == level && s.heads.names[n-1] == name {
		s.points++
		return s.open[n-1], true
	}
	return specHead{}, false
}

func (s *specRun) addTest(level int, name, mark, directive string) {
	status := result.Failed
	switch {
	case directive != "" || mark == "﹣":
		status = result.Skipped
	case mark == "✔":
		status = result.Passed
	}
	head, ends := s.endHeading(level, name)
	if !ends {
		s.points++
	}
	s.closeTo(level)
	whole := s.heads.pathOf(name)
	for i := range s.open {
		s.open[i].tests = true
		s.open[i].failed = s.open[i].failed || status == result.Failed
	}
	switch {
	case ends && head.tests && (status != result.Failed || head.failed):
		// the tests below it are counted instead
	case status == result.Failed && level == 0 && tapFile.MatchString(name):
		s.Tests = append(s.Tests,
			result.BrokenGroup(strings.TrimPrefix(name, "/src/"), "could not be loaded", ""))
	default:
		s.Tests = append(s.Tests, result.Test{Name: whole, Status: status})
	}
}
