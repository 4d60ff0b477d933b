package project

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

var cmake = language{kind: "cmake", find: findCMake, isTest: isCTest, code: cCode, whole: true}

// cCode matches the sources of C and C++.
var cCode = regexp.MustCompile(`\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inc|inl|ipp|tpp|m|mm|cu|[sS]|asm)$`)

var cTest = regexp.MustCompile(`(?i)(?:^|/)(?:unit)?tests?[-_.][^/]*\.[a-z]+$|` +
	`[-_.](?:unit)?tests?\.[a-z]+$|` +
	`[a-z]Tests?\.(?:c|cc|cpp|cxx)$`)

// isCTest reports whether a file belongs to the tests of a project in C or C++.
func isCTest(file string, folders []string) bool {
	return cTest.MatchString(file) ||
		containsAny(folders, "test", "tests", "Test", "Tests", "unittest", "unittests", "unit_test",
			"unit_tests", "testing", "testdata", "t")
}

var (
	cmakeTests = regexp.MustCompile(
		`(?mi)^\s*(?:enable_testing|add_test|include\s*\(\s*CTest|gtest_discover_tests|catch_discover_tests)`)
	cmakeFile = regexp.MustCompile(`(?:^|/)CMakeLists\.txt$`)
	// an option that is off and builds the tests
	cmakeOption = regexp.MustCompile(`(?mi)^\s*option\s*\(\s*` +
		`(\w*(?:BUILD_TESTING|TESTS?|TESTING|UNIT_?TESTS?))` +
		`\s+"[^"]*"\s*(?:OFF|FALSE|NO|0)?\s*\)`)
	cmakeOther = regexp.MustCompile(`(?i)FUZZ|BENCH|PERF|COVERAGE|` +
		`VALGRIND|INSTALL|SANITI|EXTERN|ONLINE|NETWORK|` +
		`DOC|UNINSTALL|LOCALE`)
)

// cmakeJobs is the number of jobs: as many as there are processors, since make by itself sets no limit.
const cmakeJobs = ` --parallel "$(nproc)"`

// findCMake finds a project of CMake, with the options that build its tests.
func findCMake(t tree) Project {
	text := t.readText("CMakeLists.txt")
	if text == "" {
		return Project{}
	}
	flags := ""
	for _, m := range cmakeOption.FindAllStringSubmatch(text, -1) {
		if !cmakeOther.MatchString(m[1]) && !strings.Contains(flags, m[1]+"=") {
			flags += " -D" + m[1] + "=ON"
		}
	}
	p := Project{
		Kind:  "cmake",
		Build: "cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug" + flags + " && cmake --build build" + cmakeJobs,
	}
	tests := cmakeTests.MatchString(text)
	for _, file := range t.findFiles(cmakeFile) {
		tests = tests || cmakeTests.MatchString(t.readText(file))
	}
	if tests {
		p.Written = "ctest --test-dir build --output-on-failure"
		p.Test = p.Written + " " + command.CTestReport
	}
	return p
}
