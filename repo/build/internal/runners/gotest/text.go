package gotest

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

var (
	resultLine  = regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP): (\S+) \(\d`)
	packageLine = regexp.MustCompile(`^(ok  |FAIL|\?   )\t(\S+)(?:\t| )(.*)$`)
)

// ReadText reads go test without -json. Without -v go test names only failed tests, so a package that
// passes adds no tests.
func ReadText(text string) (Output, bool) {
	var r Output
	var since []result.Test // since the line of the last package
	ok, named := false, false
	var output strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := resultLine.FindStringSubmatch(line); m != nil {
			since = append(since, newTest(m[1], m[2]))
			ok = true
			named = named || m[1] != "FAIL"
			continue
		}
		m := packageLine.FindStringSubmatch(line)
		if m == nil {
			result.AppendBounded(&output, line+"\n")
			continue
		}
		ok = true
		r.Uncounted = r.Uncounted || m[1] != "?   " && len(since) == 0 && m[3] != "[no test files]"
		r.Tests = append(r.Tests, testsOf(m, since, output.String())...)
		since = nil
		output.Reset()
	}
	r.Tests = append(r.Tests, leafTests(since)...)
	r.Uncounted = r.Uncounted && !named || ok && !named && len(r.Tests) > 0
	return r, ok
}

func newTest(verdict, name string) result.Test {
	of, _, sub := strings.Cut(name, "/")
	if !sub {
		of = ""
	}
	status := map[string]result.Status{
		"PASS": result.Passed,
		"FAIL": result.Failed,
		"SKIP": result.Skipped,
	}[verdict]
	return result.Test{Name: name, Of: of, Status: status}
}

// testsOf returns the tests of the package whose line was just read.
func testsOf(m []string, tests []result.Test, output string) []result.Test {
	pkg := m[2]
	failing := false
	tests = leafTests(tests)
	for i := range tests {
		tests[i].Group = pkg
		if tests[i].Status == result.Failed {
			tests[i].Output = output
			failing = true
		}
	}
	if m[1] != "FAIL" || failing {
		return tests
	}
	why := "failed outside its tests"
	switch {
	case strings.Contains(m[3], "[build failed]"):
		why = result.DoesNotCompile
	case strings.Contains(m[3], "[setup failed]"):
		why = "could not be loaded"
	}
	return append(tests, result.BrokenGroup(pkg, why, output))
}

// leafTests drops the tests that are counted by their subtests. The subtests of a test come after it; with
// -count a test runs several times.
func leafTests(tests []result.Test) (out []result.Test) {
	for len(tests) > 0 {
		n := 1
		for n < len(tests) && tests[n].Of != "" {
			n++
		}
		out, tests = append(out, leavesOf(tests[:n])...), tests[n:]
	}
	return out
}

// leavesOf is leafTests for one test and its subtests.
func leavesOf(tests []result.Test) []result.Test {
	children := map[string]int{}
	failures := map[string]int{}
	for _, t := range tests {
		for i, c := range t.Name {
			if c == '/' {
				children[t.Name[:i]]++
				if t.Status == result.Failed {
					failures[t.Name[:i]]++
				}
			}
		}
	}
	var out []result.Test
	for _, t := range tests {
		if children[t.Name] == 0 || t.Status == result.Failed && failures[t.Name] == 0 {
			out = append(out, t)
		}
	}
	return out
}
