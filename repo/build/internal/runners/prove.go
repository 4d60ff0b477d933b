package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	proveResult = regexp.MustCompile(`(?m)^Result: (?:PASS|FAIL|NOTESTS)\s*$`)
	proveFiles  = regexp.MustCompile(`^Files=(\d+), `)
	proveFile   = regexp.MustCompile(`^(\S+\.(?:t|pl|pm))\s\.{2,}\s*(ok|skipped\b.*)?\s*(?:\d+ ms\s*)?$`)
	// of -v, after what the file printed
	proveOK  = regexp.MustCompile(`^ok(?:\s+\d+ ms)?$`)
	proveBad = regexp.MustCompile(
		`^(?:Dubious, |Failed \d+/\d+ subtests|No subtests run|Parse errors: |Result: |Test Summary Report)`)
)

// readProve reads the output of Perl's prove without -v: a line for each file. prove numbers the tests in a
// failed file, and a change of the file shifts the numbers, so files are compared instead. Of several runs,
// as of the folders of a distribution, it reads all. https://perldoc.perl.org/prove
func readProve(text string) (Reading, bool) {
	var r Reading
	open := false // the verdict of the last file has not come
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if m := proveFiles.FindStringSubmatch(line); m != nil {
			r.Stated += parseCount(m[1])
		}
		m := proveFile.FindStringSubmatch(line)
		if m == nil {
			if n := len(r.Tests); n > 0 && open && proveOK.MatchString(line) {
				r.Tests[n-1].Status = result.Passed
			}
			open = open && !proveBad.MatchString(line)
			continue
		}
		open = m[2] == ""
		t := result.Test{Name: m[1], Status: result.Failed} // the following lines have the reason
		switch {
		case m[2] == "ok":
			t.Status = result.Passed
		case m[2] != "":
			t.Status = result.Skipped
		}
		r.Tests = append(r.Tests, t)
	}
	return r, len(r.Tests) > 0 && proveResult.MatchString(text)
}
