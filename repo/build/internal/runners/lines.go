package runners

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// A lineRun is the state while the output of a lineFormat is read.
type lineRun struct {
	Reading
	format   lineFormat
	at       map[result.Name][]int // by group and name, the tests
	group    string                // of the last heading
	listing  bool                  // failures are being listed
	closed   bool                  // tests are named once more
	detail   *result.Test          // the failed test whose output is being read
	since    strings.Builder       // the output of the test that runs
	failures []*result.Test
	counts   map[string]int // by the names of a lineFormat
	ended    bool
}

// readLines returns the reader of a lineFormat.
func readLines(f lineFormat) func(text string) (Reading, bool) {
	return func(text string) (Reading, bool) {
		run := lineRun{
			format:  f,
			at:      map[result.Name][]int{},
			counts:  map[string]int{},
			listing: f.failures == nil,
		}
		for line := range strings.Lines(text) {
			run.readLine(strings.TrimRight(line, " \r\n"))
		}
		run.settleCounts()
		run.settleFailures()
		return run.Reading, run.ended
	}
}

func (l *lineRun) readLine(line string) {
	l.openOrClose(line)
	switch f := l.format; {
	case l.readSummary(line):
		l.detail = nil
	case !l.closed && l.readTest(line):
	case l.listing && l.readFailure(line):
	case f.fails != nil && len(l.Tests) > 0 && f.fails.MatchString(line):
		last := &l.Tests[len(l.Tests)-1]
		last.Status = result.Failed
		last.Output += line + "\n"
	case f.broken != nil && f.broken.MatchString(line):
		name := groupsOf(f.broken, line)["name"]
		broken := result.BrokenGroup(name, "could not be loaded", "")
		l.detail = &broken
		l.failures = append(l.failures, l.detail)
	case f.heading != nil && f.heading.MatchString(line):
		l.group = groupsOf(f.heading, line)["group"]
	case f.begin != nil && f.begin.MatchString(line):
		l.closed = false // of several programs each has its own tests and summary
		l.since.Reset()
	case l.detail != nil && len(l.detail.Output) < maxTestOutput:
		l.detail.Output += line + "\n"
	default:
		result.AppendBounded(&l.since, line+"\n")
	}
}

// openOrClose begins and ends the parts of the output in which failures and tests are named.
func (l *lineRun) openOrClose(line string) {
	f := l.format
	if f.over != nil && f.over.MatchString(line) {
		l.closed = true
	}
	if f.closes != nil && f.closes.MatchString(line) {
		l.listing = false
		l.detail = nil
	}
	if f.failures != nil && f.failures.MatchString(line) {
		l.listing = true
	}
}

func (l *lineRun) readSummary(line string) bool {
	if !l.format.summary.MatchString(line) {
		return false
	}
	l.ended = true
	for name, n := range countsOf(l.format.summary, line) {
		l.counts[name] += n
	}
	return true
}

// settleCounts adds up what the summaries say.
func (l *lineRun) settleCounts() {
	failed := l.counts["failed"] + l.counts["errors"]
	skipped := l.counts["skipped"] + l.counts["off"] + l.counts["beside"]
	passed := l.counts["passed"]
	l.Stated = max(l.counts["total"]+l.counts["beside"], passed+failed+skipped)
	switch {
	case l.format.bare:
		return
	case passed > 0:
		failed = max(failed, l.Stated-passed-skipped)
	default:
		passed = max(0, l.Stated-failed-skipped)
	}
	l.Counts = result.Counts{Passed: passed, Failed: failed, Skipped: skipped}
}

func (l *lineRun) readTest(line string) bool {
	f := l.format
	if f.test == nil || !f.test.MatchString(line) {
		return false
	}
	m := groupsOf(f.test, line)
	status, known := f.statuses[m["status"]]
	switch {
	case !known && f.statuses[""] != "":
		status = f.statuses[""] // the word is a time
	case !known:
		status = result.Failed
	}
	t := result.Test{Name: m["name"], Group: m["group"], Status: status}
	if t.Group == "" {
		t.Group = l.group
	}
	if status == result.Failed {
		t.Output = l.since.String()
	}
	l.since.Reset()
	l.addTest(t)
	return true
}

func (l *lineRun) addTest(t result.Test) {
	name := result.Name{Group: t.Group, Name: t.Name}
	l.at[name] = append(l.at[name], len(l.Tests))
	l.Tests = append(l.Tests, t)
	l.detail = nil
}

func (l *lineRun) readFailure(line string) bool {
	f := l.format.failure
	if f == nil || !f.MatchString(line) {
		return false
	}
	m := groupsOf(f, line)
	l.detail = &result.Test{Name: m["name"], Group: m["group"], Status: result.Failed}
	l.failures = append(l.failures, l.detail)
	return true
}

// settleFailures adds the output of each failure to its test, or adds the test if its line was not printed.
func (l *lineRun) settleFailures() {
	for _, f := range l.failures {
		name := result.Name{Group: f.Group, Name: f.Name}
		at := l.at[name]
		if len(at) == 0 {
			l.Tests = append(l.Tests, *f)
			continue
		}
		l.Tests[at[0]].Status = result.Failed
		l.Tests[at[0]].Output = f.Output
		l.at[name] = at[min(1, len(at)-1):]
	}
}

// groupsOf returns the named groups of a match. Of groups of one name the last that is not empty counts.
func groupsOf(re *regexp.Regexp, line string) map[string]string {
	out := map[string]string{}
	for i, text := range re.FindStringSubmatch(line) {
		if text != "" && re.SubexpNames()[i] != "" {
			out[re.SubexpNames()[i]] = text
		}
	}
	return out
}

// countsOf returns the numbers of the named groups of a match. Those of one name are added up.
func countsOf(re *regexp.Regexp, line string) map[string]int {
	out := map[string]int{}
	for i, text := range re.FindStringSubmatch(line) {
		if name := re.SubexpNames()[i]; name != "" {
			out[name] += parseCount(text)
		}
	}
	return out
}

// withLineFormats adds the formats of lineFormats before the last one.
func withLineFormats(formats []format) []format {
	var more []format
	for _, f := range lineFormats {
		more = append(more, format{f.name, readLines(f), f.hint, true})
	}
	return slices.Insert(formats, len(formats)-1, more...)
}
