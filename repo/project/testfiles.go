package project

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// otherTest is how the tests of any language may be named.
var otherTest = regexp.MustCompile(`(?i:(?:^|/)tests?[-_.][^/]*$|[-_.](?:tests?|spec)\.[a-z0-9]+$)|[a-z0-9]Tests?\.[a-z]+$|\.bats$`)

// IsTest reports whether a file belongs to the tests rather than to what they test.
func IsTest(kind, file string) bool {
	folders := strings.Split(path.Dir(file), "/")
	if l := languageOf(kind); l.isTest != nil {
		return l.isTest(file, folders)
	}
	return strings.HasSuffix(file, "_test.go") || nodeTest.MatchString(file) || pythonTest.MatchString(file) ||
		otherTest.MatchString(file) || containsAny(folders, "test", "tests", "t", "spec", "testdata", "__tests__")
}

// HoldsTests reports whether a source file may hold the tests of what is in it.
func HoldsTests(kind, file string) bool {
	l := languageOf(kind)
	return l.spliceTests != nil && strings.HasSuffix(file, l.suffix)
}

// SpliceTests returns the older version of such a source file with the tests of the newer one.
func SpliceTests(kind, older, newer string) string {
	return languageOf(kind).spliceTests(older, newer)
}

func containsAny(folders []string, names ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(names, f) })
}
