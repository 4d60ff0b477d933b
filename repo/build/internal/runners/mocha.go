package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	mochaPassed  = regexp.MustCompile(`^( +)[✓✔√] (.+?)(?: \(\d+ms\))?$`)
	mochaFailed  = regexp.MustCompile(`^( +)(\d+)\) (.+)$`)
	mochaPending = regexp.MustCompile(`^( +)- (.+)$`)
	mochaCount   = regexp.MustCompile(`^  (\d+) (passing|failing|pending)(?: \(.*\))?$`)
)

// A mochaRun is the state while mocha's output is read.
type mochaRun struct {
	Reading
	heads   outline
	numbers map[string]int // the index of the failed test with that number
	detail  *strings.Builder
	output  map[int]*strings.Builder
	counted bool
}

// readMocha reads mocha's spec reporter. Of several runs it names the tests of the first, and counts all.
func readMocha(text string) (Reading, bool) {
	run := mochaRun{numbers: map[string]int{}, output: map[int]*strings.Builder{}}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, " \n"))
	}
	if !run.counted {
		return Reading{}, false
	}
	for i, b := range run.output {
		run.Tests[i].Output = b.String()
	}
	return run.Reading, true
}

func (run *mochaRun) readLine(line string) {
	if m := mochaCount.FindStringSubmatch(line); m != nil {
		run.counted = true
		switch m[2] {
		case "passing":
			run.Passed += parseCount(m[1])
		case "failing":
			run.Failed += parseCount(m[1])
		case "pending":
			run.Skipped += parseCount(m[1])
		}
		return
	}
	if run.counted {
		run.readDetail(line)
		return
	}
	if m := mochaPassed.FindStringSubmatch(line); m != nil {
		run.addTest(len(m[1]), m[2], result.Passed)
	} else if m := mochaFailed.FindStringSubmatch(line); m != nil {
		run.numbers[m[2]] = len(run.Tests)
		run.addTest(len(m[1]), m[3], result.Failed)
	} else if m := mochaPending.FindStringSubmatch(line); m != nil {
		run.addTest(len(m[1]), m[2], result.Skipped)
	} else if level := indentOf(line); level >= 2 && level%2 == 0 {
		run.heads.closeTo(level)
		run.heads.openHeading(level, strings.TrimSpace(line))
	}
}

func (run *mochaRun) addTest(level int, name string, status result.Status) {
	run.heads.closeTo(level)
	run.Tests = append(run.Tests, result.Test{Name: run.heads.pathOf(name), Status: status})
}

// readDetail reads a line of the failures that follow the counts.
func (run *mochaRun) readDetail(line string) {
	if m := mochaFailed.FindStringSubmatch(line); m != nil && len(m[1]) == 2 {
		if i, ok := run.numbers[m[2]]; ok {
			run.detail = &strings.Builder{}
			run.output[i] = run.detail
		}
	}
	if run.detail != nil {
		result.AppendBounded(run.detail, line+"\n")
	}
}
