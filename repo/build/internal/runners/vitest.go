package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	vitestTest = regexp.MustCompile(
		`^ +([✓√×✗↓□]) (?:\|[^|]+\| |` +
			`\[[^\]]+\] )?(\S+\.[cm]?[jt]sx?) > (.+?)(?: \(retry x\d+\))?(?: +\d+ ?ms(?: \[.*\])?)?$`,
	)
	vitestFailed  = regexp.MustCompile(`^ +FAIL +(?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?)(?: > (.+?)| \[ .* \])?$`)
	vitestSummary = regexp.MustCompile(`^ +Tests +(no tests|[^(]*?)(?: *\((\d+)\))?$`)
	vitestFiles   = regexp.MustCompile(`^ +Test Files +\S`)
)

// A vitestRun is the state while vitest's output is read.
type vitestRun struct {
	Reading
	named  map[string]int   // by file and name, the last test
	failed map[string][]int // by file and name, the failed tests of which the last may have no output yet
	begun  map[int]bool     // the failed tests that have output
	detail []int            // the tests whose failure output is being read
	files  bool
	ended  bool
}

// readVitest reads vitest. Without the verbose reporter vitest names only failed tests.
func readVitest(text string) (Reading, bool) {
	run := vitestRun{named: map[string]int{}, failed: map[string][]int{}, begun: map[int]bool{}}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, " \n"))
	}
	return run.Reading, run.ended
}

func (run *vitestRun) readLine(line string) {
	if m := vitestTest.FindStringSubmatch(line); m != nil {
		status := result.Failed
		switch m[1] {
		case "✓", "√":
			status = result.Passed
		case "↓", "□":
			status = result.Skipped
		}
		run.addTest(m[2], m[3], status)
	} else if m := vitestFailed.FindStringSubmatch(line); m != nil {
		run.beginFailure(m[1], m[2])
	} else if vitestFiles.MatchString(line) {
		run.files, run.detail = true, nil
	} else if m := vitestSummary.FindStringSubmatch(line); m != nil && run.files {
		run.ended = true
		run.readCounts(m[1])
	} else if strings.HasPrefix(line, "⎯") {
		run.detail = nil
	} else {
		for _, i := range run.detail {
			if t := &run.Tests[i]; len(t.Output) < maxTestOutput {
				t.Output += line + "\n"
			}
		}
	}
}

func (run *vitestRun) addTest(file, name string, status result.Status) int {
	key, i := file+"\x00"+name, len(run.Tests)
	run.named[key] = i
	if status == result.Failed {
		run.failed[key] = append(run.failed[key], i)
	}
	run.Tests = append(run.Tests, result.Test{Name: name, Group: file, Status: status})
	return i
}

// beginFailure starts the output of a failed test or of a file that could not be loaded. Several such lines
// may share one output. Of tests that share a name it is the output of the first failed one that has none.
func (run *vitestRun) beginFailure(file, name string) {
	key := file + "\x00" + name
	last, known := run.named[key]
	if !known {
		last = run.addTest(file, name, result.Failed)
		if name == "" {
			run.Tests[last] = result.BrokenGroup(file, "could not be loaded", "")
		}
	}
	at := run.failed[key]
	if len(at) == 0 {
		at = []int{last}
	}
	for len(at) > 1 && run.begun[at[0]] {
		at = at[1:]
	}
	run.failed[key], run.begun[at[0]] = at, true
	run.Tests[at[0]].Status = result.Failed
	run.detail = append(run.detail, at[0])
}
