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

func (v *vitestRun) readLine(line string) {
	if m := vitestTest.FindStringSubmatch(line); m != nil {
		status := result.Failed
		switch m[1] {
		case "✓", "√":
			status = result.Passed
		case "↓", "□":
			status = result.Skipped
		}
		v.addTest(m[2], m[3], status)
	} else if m := vitestFailed.FindStringSubmatch(line); m != nil {
		v.beginFailure(m[1], m[2])
	} else if vitestFiles.MatchString(line) {
		v.files = true
		v.detail = nil
	} else if m := vitestSummary.FindStringSubmatch(line); m != nil && v.files {
		v.ended = true
		v.readCounts(m[1])
	} else if strings.HasPrefix(line, "⎯") {
		v.detail = nil
	} else {
		for _, i := range v.detail {
			if t := &v.Tests[i]; len(t.Output) < maxTestOutput {
				t.Output += line + "\n"
			}
		}
	}
}

func (v *vitestRun) addTest(file, name string, status result.Status) int {
	key := file + "\x00" + name
	i := len(v.Tests)
	v.named[key] = i
	if status == result.Failed {
		v.failed[key] = append(v.failed[key], i)
	}
	v.Tests = append(v.Tests, result.Test{Name: name, Group: file, Status: status})
	return i
}

// beginFailure starts the output of a failed test or of a file that could not be loaded. Several such lines
// may share one output. Of tests that share a name it is the output of the first failed one that has none.
func (v *vitestRun) beginFailure(file, name string) {
	key := file + "\x00" + name
	last, known := v.named[key]
	if !known {
		last = v.addTest(file, name, result.Failed)
		if name == "" {
			v.Tests[last] = result.BrokenGroup(file, "could not be loaded", "")
		}
	}
	at := v.failed[key]
	if len(at) == 0 {
		at = []int{last}
	}
	for len(at) > 1 && v.begun[at[0]] {
		at = at[1:]
	}
	v.failed[key] = at
	v.begun[at[0]] = true
	v.Tests[at[0]].Status = result.Failed
	v.detail = append(v.detail, at[0])
}
