package check

import (
	"regexp"
	"strings"
)

var (
	goResult  = regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP): (\S+) \(\d`)
	goPackage = regexp.MustCompile(`^(ok  |FAIL|\?   )\t(\S+)(?:\t| )(.*)$`)
)

// readGoText reads go test without -json. Without -v it names only what failed, so a
// package that is ok counts for nothing.
func readGoText(text string) (reading, bool) {
	var r reading
	var since []Test // since the last package's line
	ok, named := false, false
	var output strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := goResult.FindStringSubmatch(line); m != nil {
			since = append(since, goTextTest(m[1], m[2]))
			ok, named = true, named || m[1] != "FAIL"
			continue
		}
		m := goPackage.FindStringSubmatch(line)
		if m == nil {
			keep(&output, line+"\n")
			continue
		}
		ok = true
		r.uncounted = r.uncounted || m[1] != "?   " && len(since) == 0 && m[3] != "[no test files]"
		r.tests = append(r.tests, goTextPackage(m, since, output.String())...)
		since = nil
		output.Reset()
	}
	r.tests = append(r.tests, leaves(since)...)
	r.uncounted = r.uncounted && !named || ok && !named && len(r.tests) > 0
	return r, ok
}

func goTextTest(verdict, name string) Test {
	of, _, sub := strings.Cut(name, "/")
	if !sub {
		of = ""
	}
	status := map[string]Status{"PASS": Passed, "FAIL": Failed, "SKIP": Skipped}[verdict]
	return Test{Name: name, Of: of, Status: status}
}

// goTextPackage are the tests of the package whose line was reached.
func goTextPackage(m []string, tests []Test, output string) []Test {
	pkg, failing := m[2], false
	tests = leaves(tests)
	for i := range tests {
		tests[i].Group = pkg
		if tests[i].Status == Failed {
			tests[i].Output, failing = output, true
		}
	}
	if m[1] != "FAIL" || failing {
		return tests
	}
	why := "failed outside its tests"
	switch {
	case strings.Contains(m[3], "[build failed]"):
		why = "does not compile"
	case strings.Contains(m[3], "[setup failed]"):
		why = "could not be loaded"
	}
	return append(tests, broken(pkg, why, output))
}

// leaves leaves out the tests that are counted by their subtests.
func leaves(tests []Test) []Test {
	children, failures := map[string]int{}, map[string]int{}
	for _, t := range tests {
		for i, c := range t.Name {
			if c == '/' {
				children[t.Name[:i]]++
				if t.Status == Failed {
					failures[t.Name[:i]]++
				}
			}
		}
	}
	var out []Test
	for _, t := range tests {
		if children[t.Name] == 0 || t.Status == Failed && failures[t.Name] == 0 {
			out = append(out, t)
		}
	}
	return out
}
