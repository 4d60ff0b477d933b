package project

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	nodeTest   = regexp.MustCompile(`\.(?:test|spec|e2e)\.[cm]?[jt]sx?$|(?:^|/)test\.[cm]?[jt]sx?$`)
	pythonTest = regexp.MustCompile(`(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$`)
	otherTest  = regexp.MustCompile(`(?i:(?:^|/)tests?[-_.][^/]*$|[-_.](?:tests?|spec)\.[a-z0-9]+$)|[a-z0-9]Tests?\.[a-z]+$|\.bats$`)
)

// IsTest reports whether a file belongs to the tests rather than to what they test.
func IsTest(kind, file string) bool {
	folders := strings.Split(path.Dir(file), "/")
	in := func(names ...string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(names, f) })
	}
	switch kind {
	case "go":
		return strings.HasSuffix(file, "_test.go") || in("testdata")
	case "node":
		return nodeTest.MatchString(file) || in("test", "tests", "__tests__", "__snapshots__", "__fixtures__", "__mocks__", "e2e")
	case "python":
		return pythonTest.MatchString(file) || in("test", "tests", "testing", "testdata")
	case "rust":
		return in("tests") || strings.HasSuffix(file, "/tests.rs") || strings.HasSuffix(file, "_test.rs")
	}
	return strings.HasSuffix(file, "_test.go") || nodeTest.MatchString(file) || pythonTest.MatchString(file) ||
		otherTest.MatchString(file) || in("test", "tests", "t", "spec", "testdata", "__tests__")
}
