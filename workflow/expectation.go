package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// An ExpectedChange is an existing test whose expectation approved work changes.
type ExpectedChange struct {
	Test string `json:"test"`
	Was  string `json:"was,omitempty"`
	Will string `json:"will" jsonschema:"what it will expect, or removed"`
}

// goes matches the word for a test that will not be there.
var goes = regexp.MustCompile(`(?i)\b(?:removed?|deleted?|skipped|dropped|gone)\b`)

// String returns the change in a few words.
func (e ExpectedChange) String() string {
	test := plaintext.OneLine(e.Test)
	was := plaintext.OneLine(e.Was)
	will := plaintext.OneLine(e.Will)
	switch {
	case goes.MatchString(will):
		return fmt.Sprintf("%s: %s", test, will)
	case was != "":
		return fmt.Sprintf("%s expects %s, will expect %s", test, asCode(was), asCode(will))
	}
	return fmt.Sprintf("%s will expect %s", test, asCode(will))
}

// asCode puts a value with signs that a thread would take for formatting between backticks.
func asCode(value string) string {
	if strings.ContainsAny(value, `\*_~<>{}[]"'`) && !strings.Contains(value, "`") {
		return plaintext.CodeSpan(value)
	}
	return value
}

// ExpectedChangesLine returns the line of a report that names the changes, or an
// empty string if there are none.
func ExpectedChangesLine(changes []ExpectedChange) string {
	var said []string
	for _, c := range changes {
		if !plaintext.Blank(c.Test) {
			said = append(said, c.String())
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "Expected to change: " + strings.Join(said, "; ")
}

// A FoundChange is something that a test of the base expects and that the new code does not do, as the
// program found it.
type FoundChange struct {
	Names    []string // of the test, of what it is a case of, or of all tests that do not run
	Was, Now string   // the old and the new line, or what differs in them; empty: there is none
	Gone     bool     // the test is removed or skipped
	Unrun    bool     // the tests do not run with the new code, so there are no lines
	More     int      // lines of the test that changed beside these
}

// Approves reports whether the change, as a report names it, is what was found: the test, and each line that
// it gives. A test that is emptied or loosened is not what was approved.
func (e ExpectedChange) Approves(f FoundChange) bool {
	if !slices.ContainsFunc(f.Names, func(name string) bool { return sameTest(name, e.Test) }) {
		return false
	}
	will := plain(e.Will)
	switch {
	case f.Unrun:
		return true
	case f.Gone || f.Now == "":
		return goes.MatchString(will)
	}
	return f.More == 0 && containsWord(f.Now, will) &&
		(plain(e.Was) == "" || f.Was == "" || containsWord(f.Was, plain(e.Was)))
}

// sameTest reports whether two names mean one test. A report, which gives other, may leave out the package or
// the class, write spaces where a runner writes underscores, or add where the test is.
func sameTest(name, other string) bool {
	name = underscores.Replace(plain(name))
	other = underscores.Replace(plain(besideTest.ReplaceAllString(plain(other), "")))
	return other != "" && (name == other || slices.ContainsFunc(separators, func(sep string) bool {
		return strings.HasSuffix(name, sep+other) || strings.HasSuffix(other, sep+name)
	}))
}

// besideTest matches the place of a test that a report adds to its name: "TestRange (parser_test.go:31)".
var besideTest = regexp.MustCompile(`\s+\([\w./-]+\.\w+(?::\d+(?:-\d+)?)?\)$`)

// separators stand between a test and its package, file or class.
var separators = []string{" ", ".", "::", " > ", "/"}

var underscores = strings.NewReplacer("_", " ")

// plain returns a text without quotes around it.
func plain(s string) string { return strings.Trim(plaintext.OneLine(s), "`'\" ") }

// containsWord reports whether a line has the value as a word of its own, as it stands or with
// the escapes of source code.
func containsWord(line, value string) bool {
	return hasWord(line, value) || hasWord(unescape.Replace(line), value)
}

// unescape writes the escapes of source code as the signs that they stand for.
var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`)

func hasWord(line, value string) bool {
	if value == "" {
		return false
	}
	for rest, before := line, byte(' '); ; {
		i := strings.Index(rest, value)
		if i < 0 {
			return false
		}
		if i > 0 {
			before = rest[i-1]
		}
		end := i + len(value)
		if !(isWord(before) && isWord(value[0])) &&
			!(end < len(rest) && isWord(rest[end]) && isWord(value[len(value)-1])) {
			return true
		}
		before, rest = rest[i], rest[i+1:]
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' ||
		c >= 'A' && c <= 'Z'
}

// ShowsExpected reports whether a person who writes that a value is right means what a question shows. shown
// holds the lines of the question; each ends with what is expected now.
func ShowsExpected(shown, value string) bool {
	value = plain(value)
	for line := range strings.Lines(shown) {
		if i := strings.LastIndex(line, ", now "); i >= 0 {
			line = line[i:]
		}
		if containsWord(strings.ToLower(line), strings.ToLower(value)) {
			return true
		}
	}
	return false
}
