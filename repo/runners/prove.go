package runners

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

var (
	proveResult = regexp.MustCompile(`(?m)^Result: (?:PASS|FAIL|NOTESTS)\s*$`)
	proveFile   = regexp.MustCompile(`^(\S+\.(?:t|pl|pm))\s\.{2,}\s*(ok|skipped\b.*)?\s*(?:\d+ ms\s*)?$`)
	proveFailed = regexp.MustCompile(`^(\S+)\s+\(Wstat: .*Failed: (\d+)\)`)
)

// readProve reads what Perl's prove prints without -v: a line for each file. Of a file that
// failed the tests are numbers, which a change of the file shifts, so that files are what is
// compared. https://perldoc.perl.org/prove
func readProve(text string) (Reading, bool) {
	if !proveResult.MatchString(text) {
		return Reading{}, false
	}
	var r Reading
	at := map[string]int{}
	summary := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		summary = summary || line == "Test Summary Report"
		if m := proveFailed.FindStringSubmatch(line); m != nil && summary {
			if i, ok := at[m[1]]; ok {
				r.Tests[i].Status = result.Failed
			}
			continue
		}
		m := proveFile.FindStringSubmatch(line)
		if _, again := at[fileOf(m)]; m == nil || again || summary {
			continue
		}
		t := result.Test{Name: m[1], Status: result.Failed} // what follows tells why
		switch {
		case m[2] == "ok":
			t.Status = result.Passed
		case m[2] != "":
			t.Status = result.Skipped
		}
		at[m[1]] = len(r.Tests)
		r.Tests = append(r.Tests, t)
	}
	return r, len(r.Tests) > 0
}

// fileOf is the file of a line of prove's; empty for another line.
func fileOf(m []string) string {
	if m == nil {
		return ""
	}
	return m[1]
}
