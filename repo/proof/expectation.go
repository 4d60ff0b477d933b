package proof

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// An Expectation is something that a test of the base expects, and that the changed code does not do: it
// passes on the base, and does not pass in its old form on the branch.
type Expectation struct {
	Kind    ExpectationKind
	Test    string   // its name for people; the package or the files where cases cannot be told apart
	Renamed string   // its new name on the branch, if it has one
	Group   string   // the package, file or class of the test
	Covers  []string // the names of the test and of what it is a case of, or of all tests that do not run
	Was     string   // what the old line expects; empty: no line is gone
	Now     string   // what the new line expects; empty: no line came
	Values  bool     // Was and Now are values, and no whole lines
	Place   string   // path:line of the new line, or of the old one where none came; may be empty
	More    int      // lines that check something in the same test and changed, too
	Says    string   // what the old test says about the new code
	With    []string // the new files of the change without which it does not pass; then there are no lines
	How     string   // of a group that cannot be run: "does not compile"
}

// An ExpectationKind is what became of a test.
type ExpectationKind string

// The kinds.
const (
	ExpectationChanged ExpectationKind = "changed" // it passes in another form
	ExpectationRemoved ExpectationKind = "removed"
	ExpectationSkipped ExpectationKind = "skipped"
	ExpectationBroken  ExpectationKind = "broken" // the tests of a group do not run with the new code
	expectationFiles   ExpectationKind = "files"  // the tests are not told apart
)

// String returns the expectation in one line.
func (e Expectation) String() string {
	line := e.words()
	if e.More == 1 {
		line += ", and 1 more line of it"
	} else if e.More > 1 {
		line += fmt.Sprintf(", and %d more lines of it", e.More)
	}
	if e.Place != "" {
		line += ": `" + e.Place + "`"
	}
	return line
}

func (e Expectation) words() string {
	if e.Renamed != "" {
		e.Test += ", now " + e.Renamed + ","
	}
	says := ""
	if e.Says != "" {
		says = " (" + e.Says + ")"
	}
	if len(e.With) > 0 && e.Kind == expectationFiles {
		return onlyWith("the old tests", "pass", e.With, e.Says)
	} else if len(e.With) > 0 {
		return onlyWith(e.Test, "passes", e.With, e.Says)
	}
	switch e.Kind {
	case ExpectationRemoved:
		return e.Test + " is removed, and does not pass on the new code" + says
	case ExpectationSkipped:
		return e.Test + " is skipped, and does not pass on the new code" + says
	case ExpectationBroken:
		return fmt.Sprintf(
			"the old tests of %s do not run with the new code: %s", e.Test,
			strings.TrimSuffix(e.How+": "+e.Says, ": "),
		)
	case expectationFiles:
		return fmt.Sprintf(
			"the old tests of %s fail on the new code%s%s", e.Test, says,
			e.linesInWords(": expected %s, now %s"),
		)
	}
	switch {
	case e.Was != "" && e.Now != "":
		return e.Test + e.linesInWords(" expected %s, now %s")
	case e.Was != "":
		return fmt.Sprintf("%s expected %s, and no longer does", e.Test, e.quote(e.Was))
	case e.Now != "":
		return fmt.Sprintf("%s does not pass as it was on main%s, and passes with %s", e.Test,
			says, e.quote(e.Now))
	}
	return e.Test + " does not pass as it was" + says
}

func (e Expectation) linesInWords(format string) string {
	if e.Was == "" || e.Now == "" {
		return ""
	}
	return fmt.Sprintf(format, e.quote(e.Was), e.quote(e.Now))
}

func (e Expectation) quote(text string) string {
	if e.Values {
		return text
	}
	return "`" + strings.ReplaceAll(text, "`", "'") + "`"
}

// maxSays is the most characters that are quoted of what a test says.
const maxSays = 120

var (
	// errorLine matches a line that names an error; located matches a line that begins with its place.
	errorLine = regexp.MustCompile(`(?i)^(?:E\s+)?[\w.]*(?:error|exception|panicked|panic|not ok)\b.*`)
	located   = regexp.MustCompile(`^[\w./\\-]+\.\w+:\d+(?::\d+)?:? (\S.*)$`)
	errorName = regexp.MustCompile(`(?i)^(?:E\s+)?(?:assertion)?error(?: \[\w+\])?: `)
	// aroundTests matches lines of runners, compilers and make that say nothing about a test.
	aroundTests = regexp.MustCompile(`^(?:---|===|#|make\b|Traceback)`)
	// varying matches what differs from run to run.
	varying  = regexp.MustCompile(`0x[0-9a-fA-F]+|\b\d+(?:\.\d+)?\s?(?:ms|µs|ns|s)\b|/tmp/\S+`)
	mentions = regexp.MustCompile(`(?i)expected|actual|want|undefined|cannot|not equal|mismatch|assert|error`)
)

// complaint returns the line of a test's output that says best what is wrong, or an empty string.
func complaint(output string) string { return complaintOf(output, 0) }

// complaintOf is complaint, and returns only lines that are more certain than sure: 0 takes any line.
func complaintOf(output string, sure int) string {
	best := ""
	rank := sure
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		m := located.FindStringSubmatch(line)
		switch {
		case line == "" || aroundTests.MatchString(line):
		case m != nil && rank < 4:
			best = m[1]
			rank = 4
		case errorLine.MatchString(line) && rank < 3:
			best = line
			rank = 3
		case mentions.MatchString(line) && rank < 2:
			best = line
			rank = 2
		case rank < 1:
			best = line
			rank = 1
		}
	}
	best = varying.ReplaceAllString(strings.Trim(errorName.ReplaceAllString(best, ""), "'\""), "…")
	if runes := []rune(best); len(runes) > maxSays {
		best = string(runes[:maxSays]) + "…"
	}
	return best
}

// expectationLines returns a line for each changed expectation; at most most of them are named.
func (p Proof) expectationLines(most int) (lines []string) {
	for _, e := range p.Expectations[:min(len(p.Expectations), most)] {
		lines = append(lines, "Changed expectation: "+e.String())
	}
	if more := len(p.Expectations) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("%d more changed expectations", more))
	}
	if p.OldUnknown != "" {
		lines = append(lines, fmt.Sprintf("The old tests did not run to their end on the new code (%s), "+
			"so nothing is known of what they expect", p.OldUnknown))
	}
	return lines
}

// maxInShort is the most changed expectations that the short text names.
const maxInShort = 3

// expectationParts returns the changed expectations for the short text.
func (p Proof) expectationParts() (parts []string) {
	var named []string
	for _, e := range p.Expectations {
		named = append(named, e.Test)
	}
	switch n := len(named); {
	case n == 1:
		parts = append(parts, "1 changed expectation: "+named[0])
	case n > 1:
		parts = append(parts,
			fmt.Sprintf("%d changed expectations: %s", n, result.ListNames(named, maxInShort)))
	}
	if p.OldUnknown != "" {
		parts = append(parts, "the old tests did not run to their end on the new code ("+p.OldUnknown+")")
	}
	return parts
}
