package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	automakeTotal  = regexp.MustCompile(`(?m)^# TOTAL: +\d+\s*$`)
	automakeCount  = regexp.MustCompile(`^# (PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): +(\d+)$`)
	automakeResult = regexp.MustCompile(`^(PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): (\S.*)$`)
	automakeFolder = regexp.MustCompile(`^Making check in (\S+)$`)
)

// automakeStatus is the status for each word of the harness. XPASS, a test that passes although it was
// expected to fail, fails the run.
var automakeStatus = map[string]result.Status{
	"PASS":  result.Passed,
	"XFAIL": result.Skipped,
	"SKIP":  result.Skipped,
	"FAIL":  result.Failed,
	"XPASS": result.Failed,
	"ERROR": result.Failed,
}

// readAutomake reads the output of "make check" with automake's parallel harness: a line for each test, and
// the counts of each folder with tests.
// https://www.gnu.org/software/automake/manual/html_node/Scripts_002dbased-Testsuites.html
func readAutomake(text string) (Reading, bool) {
	var r Reading
	folder := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if m := automakeFolder.FindStringSubmatch(line); m != nil && m[1] != "." {
			folder = m[1]
		} else if m := automakeResult.FindStringSubmatch(line); m != nil {
			r.Tests = append(r.Tests, result.Test{Name: m[2], Group: folder, Status: automakeStatus[m[1]]})
		} else if m := automakeCount.FindStringSubmatch(line); m != nil {
			r.addCount(automakeStatus[m[1]], parseCount(m[2]))
		}
	}
	return r, automakeTotal.MatchString(text)
}

func (r *Reading) addCount(status result.Status, n int) {
	switch status {
	case result.Passed:
		r.Passed += n
	case result.Failed:
		r.Failed += n
	default:
		r.Skipped += n
	}
}
