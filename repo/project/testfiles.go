package project

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// otherTest matches common names of test files in any language.
var otherTest = regexp.MustCompile(`(?i:(?:^|/)tests?[-_.][^/]*$|[-_.](?:tests?|spec)\.[a-z0-9]+$)|[a-z0-9]Tests?\.[a-z]+$|\.bats$`)

// IsTest reports whether a file belongs to the tests and not to the tested code.
func IsTest(kind, file string) bool {
	folders := strings.Split(path.Dir(file), "/")
	if l := languageOf(kind); l.isTest != nil {
		return l.isTest(file, folders)
	}
	return strings.HasSuffix(file, "_test.go") || nodeTest.MatchString(file) || pythonTest.MatchString(file) ||
		otherTest.MatchString(file) || containsAny(folders, "test", "tests", "t", "spec", "testdata", "__tests__")
}

// HoldsTests reports whether a source file may contain its own tests.
func HoldsTests(kind, file string) bool {
	l := languageOf(kind)
	return l.spliceTests != nil && strings.HasSuffix(file, l.suffix)
}

// SpliceTests returns the older version of a source file with the tests of the newer one. HoldsTests must
// be true for the file.
func SpliceTests(kind, older, newer string) string {
	return languageOf(kind).spliceTests(older, newer)
}

func containsAny(folders []string, names ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(names, f) })
}
