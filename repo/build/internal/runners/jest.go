package runners

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	jestFile    = regexp.MustCompile(`^(PASS|FAIL) +(?:\S+ )??(\S+\.[cm]?[jt]sx?)(?: \(.*\))?$`)
	jestTest    = regexp.MustCompile(`^( +)([✓√✕×○✎]) (?:skipped |todo )?(.+?)(?: \([\d.]+ m?s\))?$`)
	jestDetail  = regexp.MustCompile(`^  ● (.+)$`)
	jestSummary = regexp.MustCompile(`^Tests: +(.*), (\d+) total$`)
)

// A jestRun is the state while jest's output is read.
type jestRun struct {
	Reading
	file    string
	heads   outline
	detail  *strings.Builder
	details map[string][]*strings.Builder // by file and name
	ended   bool
}

// readJest reads jest. Without --verbose jest names only failed tests.
func readJest(text string) (Reading, bool) {
	run := jestRun{details: map[string][]*strings.Builder{}}
	for line := range strings.Lines(text) {
		run.readLine(strings.TrimRight(line, " \n"))
	}
	if !run.ended {
		return Reading{}, false
	}
	run.settleDetails()
	return run.Reading, true
}

func (run *jestRun) readLine(line string) {
	if m := jestSummary.FindStringSubmatch(line); m != nil {
		run.ended = true
		run.readCounts(m[1])
	} else if m := jestFile.FindStringSubmatch(line); m != nil {
		run.file, run.heads, run.detail = m[2], outline{}, nil
	} else if m := jestDetail.FindStringSubmatch(line); m != nil && run.file != "" {
		run.beginDetail(m[1])
	} else if strings.HasPrefix(line, "Test Suites:") || strings.HasPrefix(line, "Summary of all failing tests") {
		run.file, run.detail = "", nil
	} else if run.detail != nil {
		result.AppendBounded(run.detail, line+"\n")
	} else if m := jestTest.FindStringSubmatch(line); m != nil && run.file != "" {
		run.heads.closeTo(len(m[1]))
		run.addTest(run.heads.pathOf(m[3]), m[2])
	} else if run.file != "" && indentOf(line) >= 2 {
		run.heads.closeTo(indentOf(line))
		run.heads.openHeading(indentOf(line), strings.TrimSpace(line))
	}
}

func (run *jestRun) addTest(name, mark string) {
	status := result.Failed
	switch mark {
	case "✓", "√":
		status = result.Passed
	case "○", "✎":
		status = result.Skipped
	}
	run.Tests = append(run.Tests, result.Test{Name: name, Group: run.file, Status: status})
}

// beginDetail starts the output of a failed test or of a file that could not be loaded.
func (run *jestRun) beginDetail(title string) {
	run.detail = &strings.Builder{}
	if title == "Test suite failed to run" {
		run.Tests = append(run.Tests, result.BrokenGroup(run.file, "could not be loaded", ""))
		title = run.file + " could not be loaded"
	}
	key := run.file + "\x00" + strings.ReplaceAll(title, " › ", separator)
	run.details[key] = append(run.details[key], run.detail)
}

// settleDetails adds the output to failed tests, and adds the tests that are named only there.
func (run *jestRun) settleDetails() {
	seen := map[string]bool{}
	for i, t := range run.Tests {
		key := t.Group + "\x00" + t.Name
		seen[key] = true
		if texts := run.details[key]; len(texts) > 0 && t.Status == result.Failed {
			run.Tests[i].Output = texts[0].String()
			run.details[key] = texts[min(1, len(texts)-1):]
		}
	}
	for _, key := range slices.Sorted(maps.Keys(run.details)) {
		file, name, _ := strings.Cut(key, "\x00")
		if !seen[key] && !strings.HasPrefix(name, "Console") && !strings.Contains(name, "obsolete") {
			run.Tests = append(
				run.Tests,
				result.Test{Name: name, Group: file, Status: result.Failed, Output: run.details[key][0].String()},
			)
		}
	}
}
