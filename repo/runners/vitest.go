package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

var (
	vitestTest    = regexp.MustCompile(`^ +([✓√×✗↓□]) (?:\|[^|]+\| |\[[^\]]+\] )?(\S+\.[cm]?[jt]sx?) > (.+?)(?: \(retry x\d+\))?(?: +\d+ ?ms)?$`)
	vitestFailed  = regexp.MustCompile(`^ +FAIL +(?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?)(?: > (.+?)| \[ .* \])?$`)
	vitestSummary = regexp.MustCompile(`^ +Tests +(no tests|[^(]*?)(?: *\((\d+)\))?$`)
	vitestFiles   = regexp.MustCompile(`^ +Test Files +\S`)
)

// A vitestRun is the state while vitest's output is read.
type vitestRun struct {
	Reading
	at     map[string]int
	detail []int // the tests whose failure output is being read
	files  bool
	ended  bool
}

// readVitest reads vitest. Without the verbose reporter vitest names only failed tests.
func readVitest(text string) (Reading, bool) {
	run := vitestRun{at: map[string]int{}}
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
	key := file + "\x00" + name
	if i, ok := run.at[key]; ok {
		if status == result.Failed {
			run.Tests[i].Status = result.Failed
		}
		return i
	}
	run.at[key] = len(run.Tests)
	run.Tests = append(run.Tests, result.Test{Name: name, Group: file, Status: status})
	return len(run.Tests) - 1
}

// beginFailure starts the output of a failed test or of a file that could not be loaded. Several such lines
// may share one output.
func (run *vitestRun) beginFailure(file, name string) {
	if name == "" {
		key := file + "\x00"
		if _, ok := run.at[key]; !ok {
			run.at[key] = len(run.Tests)
			run.Tests = append(run.Tests, result.BrokenGroup(file, "could not be loaded", ""))
		}
		run.detail = append(run.detail, run.at[key])
		return
	}
	run.detail = append(run.detail, run.addTest(file, name, result.Failed))
}
