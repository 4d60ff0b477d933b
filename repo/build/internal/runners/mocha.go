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
	for i, b := range run.output {
		run.Tests[i].Output = b.String()
	}
	return run.Reading, run.counted
}

func (mr *mochaRun) readLine(line string) {
	if m := mochaCount.FindStringSubmatch(line); m != nil {
		mr.counted = true
		switch m[2] {
		case "passing":
			mr.Passed += parseCount(m[1])
		case "failing":
			mr.Failed += parseCount(m[1])
		case "pending":
			mr.Skipped += parseCount(m[1])
		}
		return
	}
	if mr.counted {
		mr.readDetail(line)
		return
	}
	if m := mochaPassed.FindStringSubmatch(line); m != nil {
		mr.addTest(len(m[1]), m[2], result.Passed)
	} else if m := mochaFailed.FindStringSubmatch(line); m != nil {
		mr.numbers[m[2]] = len(mr.Tests)
		mr.addTest(len(m[1]), m[3], result.Failed)
	} else if m := mochaPending.FindStringSubmatch(line); m != nil {
		mr.addTest(len(m[1]), m[2], result.Skipped)
	} else if level := indentOf(line); level >= 2 && level%2 == 0 {
		mr.heads.closeTo(level)
		mr.heads.openHeading(level, strings.TrimSpace(line))
	}
}

func (mr *mochaRun) addTest(level int, name string, status result.Status) {
	mr.heads.closeTo(level)
	mr.Tests = append(mr.Tests, result.Test{Name: mr.heads.pathOf(name), Status: status})
}

// readDetail reads a line of the failures that follow the counts.
func (mr *mochaRun) readDetail(line string) {
	if m := mochaFailed.FindStringSubmatch(line); m != nil && len(m[1]) == 2 {
		if i, ok := mr.numbers[m[2]]; ok {
			mr.detail = &strings.Builder{}
			mr.output[i] = mr.detail
		}
	}
	if mr.detail != nil {
		result.AppendBounded(mr.detail, line+"\n")
	}
}
