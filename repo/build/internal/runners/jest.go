package runners

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	jestFile    = regexp.MustCompile(`^ ?(PASS|FAIL) +(?:\S+ )??(\S+\.[cm]?[jt]sx?)(?: \(.*\))?$`)
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
	run.settleDetails()
	return run.Reading, run.ended
}

func (j *jestRun) readLine(line string) {
	if m := jestSummary.FindStringSubmatch(line); m != nil {
		j.ended = true
		j.readCounts(m[1])
	} else if m := jestFile.FindStringSubmatch(line); m != nil {
		j.file = m[2]
		j.heads = outline{}
		j.detail = nil
	} else if m := jestDetail.FindStringSubmatch(line); m != nil && j.file != "" {
		j.beginDetail(m[1])
	} else if strings.HasPrefix(line, "Test Suites:") ||
		strings.HasPrefix(line, "Summary of all failing tests") {
		j.file = ""
		j.detail = nil
	} else if j.detail != nil {
		result.AppendBounded(j.detail, line+"\n")
	} else if m := jestTest.FindStringSubmatch(line); m != nil && j.file != "" {
		j.heads.closeTo(len(m[1]))
		j.addTest(j.heads.pathOf(m[3]), m[2])
	} else if j.file != "" && indentOf(line) >= 2 {
		j.heads.closeTo(indentOf(line))
		j.heads.openHeading(indentOf(line), strings.TrimSpace(line))
	}
}

func (j *jestRun) addTest(name, mark string) {
	status := result.Failed
	switch mark {
	case "✓", "√":
		status = result.Passed
	case "○", "✎":
		status = result.Skipped
	}
	j.Tests = append(j.Tests, result.Test{Name: name, Group: j.file, Status: status})
}

// beginDetail starts the output of a failed test or of a file that could not be loaded.
func (j *jestRun) beginDetail(title string) {
	j.detail = &strings.Builder{}
	if title == "Test suite failed to run" {
		j.Tests = append(j.Tests, result.BrokenGroup(j.file, "could not be loaded", ""))
		title = j.file + " could not be loaded"
	}
	key := j.file + "\x00" + strings.ReplaceAll(title, " › ", separator)
	j.details[key] = append(j.details[key], j.detail)
}

// settleDetails adds the output to failed tests, and adds the tests that are named only there.
func (j *jestRun) settleDetails() {
	seen := map[string]bool{}
	for i, t := range j.Tests {
		key := t.Group + "\x00" + t.Name
		seen[key] = true
		if texts := j.details[key]; len(texts) > 0 && t.Status == result.Failed {
			j.Tests[i].Output = texts[0].String()
			j.details[key] = texts[min(1, len(texts)-1):]
		}
	}
	for _, key := range slices.Sorted(maps.Keys(j.details)) {
		file, name, _ := strings.Cut(key, "\x00")
		if !seen[key] && !strings.HasPrefix(name, "Console") && !strings.Contains(name, "obsolete") {
			j.Tests = append(
				j.Tests,
				result.Test{
					Name:   name,
					Group:  file,
					Status: result.Failed,
					Output: j.details[key][0].String(),
				},
			)
		}
	}
}
