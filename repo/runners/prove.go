package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

var (
	proveResult = regexp.MustCompile(`(?m)^Result: (?:PASS|FAIL|NOTESTS)\s*$`)
	proveFile   = regexp.MustCompile(`^(\S+\.(?:t|pl|pm))\s\.{2,}\s*(ok|skipped\b.*)?\s*(?:\d+ ms\s*)?$`)
)

// readProve reads the output of Perl's prove without -v: a line for each file. prove numbers the tests in a
// failed file, and a change of the file shifts the numbers, so files are compared instead.
// https://perldoc.perl.org/prove
func readProve(text string) (Reading, bool) {
	if !proveResult.MatchString(text) {
		return Reading{}, false
	}
	var r Reading
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if line == "Test Summary Report" {
			break
		}
		m := proveFile.FindStringSubmatch(line)
		if m == nil || seen[m[1]] {
			continue
		}
		seen[m[1]] = true
		t := result.Test{Name: m[1], Status: result.Failed} // the following lines have the reason
		switch {
		case m[2] == "ok":
			t.Status = result.Passed
		case m[2] != "":
			t.Status = result.Skipped
		}
		r.Tests = append(r.Tests, t)
	}
	return r, len(r.Tests) > 0
}
