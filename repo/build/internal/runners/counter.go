package runners

import (
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// A Counter counts the tests of an output that is still being written. It reads each part once. The zero
// value is ready to use.
type Counter struct {
	format string // of the first part with tests; empty: none was read yet
	line   string // the beginning of a line whose end is not there yet
	tests  int
}

// maxLine is the most bytes of an unfinished line that are kept for the next part.
const maxLine = 64 << 10

// Add reads the next part of the output and returns how many tests have ended so far. It is zero for a runner
// that names its tests only at its end. The summary at the end may differ a little, since tests that are
// named a second time, such as those that failed, are counted twice here.
func (c *Counter) Add(part string) int {
	part = c.line + part
	end := strings.LastIndexByte(part, '\n') + 1
	c.line = part[end:]
	if len(c.line) > maxLine {
		c.line = ""
	}
	part = result.StripTerminal(part[:end])
	tests, format := countIn(part, c.format)
	c.format = format
	c.tests += tests
	return c.tests
}

// countIn returns how many tests have ended in a part of an output, and its format. format is that of an
// earlier part; empty: it is not known.
func countIn(part, format string) (tests int, found string) {
	found = format
	for _, f := range formats {
		if part == "" || format != "" && f.name != format {
			continue
		}
		r, _ := f.read(part)
		r.dropUnfinished()
		if len(r.Tests) > tests {
			tests = len(r.Tests)
			found = f.name
		}
	}
	return tests, found
}
