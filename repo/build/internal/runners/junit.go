package runners

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/joshdk/go-junit"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	junitBegin = regexp.MustCompile(`(?m)^\s*(?:<\?xml[^>]*>\s*)?<testsuites?[\s>]`)
	junitSuite = regexp.MustCompile(
		`<testsuite((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(/?)>|</testsuite>`)
	junitTests = regexp.MustCompile(`\stests\s*=\s*["'](\d+)["']`)
)

// readJUnit reads JUnit XML, with any text before and after it.
func readJUnit(text string) (Reading, bool) {
	at := junitBegin.FindStringIndex(text)
	if at == nil {
		return Reading{}, false
	}
	text = text[at[0]:]
	end := max(strings.LastIndex(text, "</testsuite>")+len("</testsuite>"),
		strings.LastIndex(text, "</testsuites>")+len("</testsuites>"))
	if end > len("</testsuites>") {
		text = text[:end]
	}
	suites, err := junit.Ingest([]byte(text))
	if err != nil || len(suites) == 0 {
		return Reading{}, false
	}
	var r Reading
	for _, s := range suites {
		r.addSuite(s, 0)
	}
	r.Stated = statedByJUnit(text)
	return r, true
}

// statedByJUnit returns the number of tests that the outermost suites state.
func statedByJUnit(text string) (stated int) {
	depth := 0
	for _, m := range junitSuite.FindAllStringSubmatch(text, -1) {
		if m[0] == "</testsuite>" {
			depth--
			continue
		}
		if n := junitTests.FindStringSubmatch(m[1]); n != nil && depth == 0 {
			stated += parseCount(n[1])
		}
		if m[2] == "" {
			depth++
		}
	}
	return stated
}

func (r *Reading) addSuite(s junit.Suite, depth int) {
	for _, t := range s.Tests {
		r.Tests = append(r.Tests, junitTest(s, t))
	}
	if depth > 50 {
		return
	}
	for _, below := range s.Suites {
		r.addSuite(below, depth+1)
	}
}

func junitTest(s junit.Suite, t junit.Test) result.Test {
	output := strings.TrimSpace(strings.Join([]string{t.Message, errorText(t), t.SystemOut, t.SystemErr},
		"\n"))
	// pytest reports a file that cannot be imported like this.
	if t.Status == junit.StatusError && t.Classname == "" && t.Message == "collection failure" {
		return result.BrokenGroup(t.Name, "could not be loaded", output)
	}
	out := result.Test{Name: t.Name, Group: t.Classname, Of: caseOf(t.Name), Output: output}
	if out.Group == "" {
		out.Group = s.Name
	}
	// googletest has no element for a test that is disabled.
	notRun := slices.Contains([]string{"notrun", "disabled", "skipped"}, t.Properties["status"])
	switch {
	case t.Status == junit.StatusError && isRisky(t):
		out.Status = result.Passed
	case t.Status == junit.StatusPassed && !notRun:
		out.Status = result.Passed
	case t.Status == junit.StatusPassed, t.Status == junit.StatusSkipped:
		out.Status = result.Skipped
	default:
		out.Status = result.Failed
	}
	return out
}

// isRisky reports whether PHPUnit says of a test that passes that it asserts nothing.
func isRisky(t junit.Test) bool {
	var e junit.Error
	return errors.As(t.Error, &e) && strings.HasSuffix(e.Type, "RiskyTestError")
}

// errorText returns the text of a failure if it differs from its message.
func errorText(t junit.Test) string {
	if t.Error == nil {
		return ""
	}
	if text := t.Error.Error(); text != t.Message {
		return text
	}
	return ""
}

// caseOf returns the test that a parametrised name such as test_sum[3] is a case of.
func caseOf(name string) string {
	if of, _, ok := strings.Cut(name, "["); ok && strings.HasSuffix(name, "]") {
		return of
	}
	return ""
}
