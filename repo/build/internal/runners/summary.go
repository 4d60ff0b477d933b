package runners

import (
	"regexp"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// A lineFormat is the output of a runner that prints a line for each test, for each failure, or for neither,
// and ends with its counts. Its expressions match single lines by named groups:
//
//	total, passed, failed, errors, skipped, off, beside   numbers of tests; failed and errors add up, and so
//	                                                      do skipped, off and beside, which is not in total
//	name, group, status                                   a test
type lineFormat struct {
	name string
	hint string // a part of summary that stands in each output of this format
	// summary matches the lines with counts. Its numbers are added up.
	summary *regexp.Regexp
	// bare says that the total of summary does not tell which tests passed or were skipped: those that are
	// named count.
	bare bool
	// test matches the line of a test; statuses are its words, and other words are failures.
	test     *regexp.Regexp
	statuses map[string]result.Status
	// begin matches the line before the output of a test whose line in test comes at its end.
	begin *regexp.Regexp
	// failure matches the line above the output of a failed test.
	failure *regexp.Regexp
	// heading matches a line with the group of the tests below it.
	heading *regexp.Regexp
	// failures and closes match the lines between which failure counts; nil: everywhere.
	failures, closes *regexp.Regexp
	// over matches a line after which tests are named once more.
	over *regexp.Regexp
	// fails matches a line that says that the test named last has failed.
	fails *regexp.Regexp
	// broken matches the line of a file, as name, that could not be loaded.
	broken *regexp.Regexp
}

// passing are the words of tests that pass and that are skipped.
func passing(passed string, skipped ...string) map[string]result.Status {
	all := map[string]result.Status{passed: result.Passed}
	for _, word := range skipped {
		all[word] = result.Skipped
	}
	return all
}

// lineFormats are tried after the formats that cannot be mistaken for another.
var lineFormats = []lineFormat{
	{ // https://rubydoc.info/gems/minitest, and test-unit
		name: "minitest",
		hint: " assertions, ",
		summary: regexp.MustCompile(`^(?P<total>\d+) (?:runs|tests), \d+ assertions, ` +
			`(?P<failed>\d+) failures, ` +
			`(?P<errors>\d+) errors(?:, (?P<skipped>\d+) (?:skips|pendings))?(?:, (?P<off>\d+)` +
			` omissions)?`),
		test:     regexp.MustCompile(`^(?P<group>[\w:]+)#(?P<name>.+) = [\d.]+ s = (?P<status>[.FES])$`),
		statuses: passing(".", "S"),
		failure: regexp.MustCompile(`^(?:(?P<group>[\w:]+)#(?P<name>\S.*?)(?: \[.*\])?:|` +
			`(?:Failure|Error): (?P<name>\w+)\((?P<group>[\w:]+)\).*)$`),
		failures: regexp.MustCompile(`^(?:Started|\s+\d+\) (?:Failure|Error):|# Running:)$`),
		closes:   regexp.MustCompile(`^\s+\d+\) Skipped:$`),
	},
	{ // https://rspec.info
		name: "RSpec",
		hint: " example",
		summary: regexp.MustCompile(`^(?P<total>\d+) examples?, (?P<failed>\d+) failures?` +
			`(?:, (?P<skipped>\d+) pending)?(?:, \d+ errors? occurred outside of examples)?$`),
		failure:  regexp.MustCompile(`^  \d+\) (?P<name>.+)$`),
		failures: regexp.MustCompile(`^Failures:$`),
		closes:   regexp.MustCompile(`^Finished in `),
		broken:   regexp.MustCompile(`^An error occurred while loading (?P<name>\S+?)\.$`),
	},
	{ // https://docs.phpunit.de
		name: "PHPUnit",
		hint: "PHPUnit ",
		summary: regexp.MustCompile(`^(?:OK \((?P<total>\d+) tests?, .*|Tests: (?P<total>\d+),` +
			` Assertions: \d+` +
			`(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failed>\d+))?(?:, Warnings: \d+)?` +
			`(?:, (?:PHPUnit )?Deprecations: \d+)?(?:, Notices: \d+)?(?:, Skipped: (?P<skipped>\d+))?` +
			`(?:, Incomplete: (?P<off>\d+))?(?:, Risky: \d+)?\.)$`),
		failure:  regexp.MustCompile(`^\d+\) (?P<group>[\w\\]+)::(?P<name>.+)$`),
		failures: regexp.MustCompile(`^There (?:was|were) \d+ (?:error|failure)s?:$`),
		closes:   regexp.MustCompile(`^There (?:was|were) \d+ `),
	},
	{ // https://hexdocs.pm/ex_unit
		name: "ExUnit",
		hint: " failure",
		summary: regexp.MustCompile(`^(?:(?P<total>\d+) doctests?, )?(?:(?P<total>\d+) propert(?:y` +
			`|ies), )?` +
			`(?P<total>\d+) tests?, (?P<failed>\d+) failures?(?:, (?P<errors>\d+) invalid)?` +
			`(?:, (?P<off>\d+) excluded)?(?:, (?P<skipped>\d+) skipped)?$`),
		test: regexp.MustCompile(`^.*  \* (?P<name>(?:test|doctest|property) .+) ` +
			`\((?P<status>[\d.]+ms|skipped|excluded)\) \[L#\d+\]$`),
		statuses: passing("", "skipped", "excluded"),
		failure: regexp.MustCompile(
			`^ +\d+\) (?P<name>(?:test|doctest|property) .+) \((?P<group>[\w.]+)\)$`),
		heading: regexp.MustCompile(`^(?P<group>[A-Z][\w.]*) \[.*\]$`),
	},
	{ // https://cmake.org/cmake/help/latest/manual/ctest.1.html
		name: "CTest",
		hint: "Test project ",
		summary: regexp.MustCompile(`^(?:\d+% tests passed, \d+ tests? failed out of (?P<total>\d+)` +
			`|No tests were found!!!)$`),
		bare: true,
		test: regexp.MustCompile(`^ *\d+/\d+ Test +#\d+: (?P<name>\S.*?) \.*(?: +|\*\*\*)` +
			`(?P<status>Passed|Skipped|Not Run \(Disabled\)|Failed|Timeout|Not Run|Exception` +
			`|[A-Z][\w ]*?)` +
			`(?::? .*?)? +[\d.]+ sec(?:.*)$`),
		statuses: passing("Passed", "Skipped", "Not Run (Disabled)"),
		over:     regexp.MustCompile(`^\d+% tests passed, `),
	},
	{ // https://mesonbuild.com/Unit-tests.html
		name: "Meson",
		hint: "Full log written to ",
		summary: regexp.MustCompile(`^(?:Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout):` +
			` +(?P<total>\d+)`),
		bare: true,
		test: regexp.MustCompile(`^ *\d+/\d+ (?P<name>\S.*?) +` +
			`(?P<status>OK|FAIL|SKIP|EXPECTEDFAIL|UNEXPECTEDPASS|TIMEOUT|ERROR|INTERRUPT) +[\d.]+s`),
		statuses: passing("OK", "SKIP", "EXPECTEDFAIL"),
		over:     regexp.MustCompile(`^Summary of Failures:$`),
	},
	{ // https://google.github.io/googletest
		name: "GoogleTest",
		hint: "[==========] ",
		summary: regexp.MustCompile(`^\[(?:==========\] (?P<total>\d+) tests? from \d+ test ` +
			`(?:suites?|cases?) ran\.|  PASSED  \] (?P<passed>\d+) tests?\.|` +
			`  SKIPPED \] (?P<skipped>\d+) tests?[.,])`),
		begin: regexp.MustCompile(`^\[ RUN      \] `),
		test: regexp.MustCompile(`^\[ +(?P<status>OK|FAILED|SKIPPED|DISABLED) +\] (?P<group>[\w/]+)\.` +
			`(?P<name>[\w/]+)(?:, where .*)?(?: \(\d+ ms\))?$`),
		statuses: passing("OK", "SKIPPED", "DISABLED"),
		over:     regexp.MustCompile(`^\[==========\] \d+ tests? from .* ran\.`),
	},
	{ // https://libcheck.github.io/check
		name: "Check",
		hint: "%: Checks: ",
		summary: regexp.MustCompile(`^\d+%: Checks: (?P<total>\d+), Failures: (?P<failed>\d+),` +
			` Errors: (?P<errors>\d+)$`),
		test: regexp.MustCompile(`^[^\s:]+:\d+:(?P<status>[PFE]):(?P<group>[^:]+):` +
			`(?P<name>[^:]+):\d+: `),
		statuses: passing("P"),
	},
	{ // https://github.com/catchorg/Catch2, and doctest of C++
		name: "Catch2",
		hint: "test case",
		summary: regexp.MustCompile(`^(?:All tests passed \(\d+ assertions? in (?P<total>\d+) test` +
			` cases?\)|` +
			`(?:\[doctest\] )?test cases: +(?P<total>\d+) \|(?: +\d+ passed)?(?: \|)?(?: +` +
			`(?P<failed>\d+) failed)?` +
			`(?: \| +(?P<skipped>\d+) skipped)?.*)$`),
	},
	{ // https://github.com/avajs/ava
		name:    "AVA",
		hint:    "\n  ─\n",
		summary: regexp.MustCompile(`^  \d+ tests? (?:passed|failed)$`),
		bare:    true,
		test: regexp.MustCompile(
			`^  (?P<status>✔|✘|-)(?: \[(?:fail|skip|todo)\]:?)? (?P<name>(?:\[expected fail\]` +
				` )?.+?)(?: \([\d.]+m?s\))?$`),
		statuses: passing("✔", "-"),
		over:     regexp.MustCompile(`^  ─$`),
		failure:  nil,
	},
	{ // https://jasmine.github.io
		name: "Jasmine",
		hint: " spec",
		summary: regexp.MustCompile(`^(?P<total>\d+) specs?, (?P<failed>\d+) failures?` +
			`(?:, (?P<skipped>\d+) pending specs?)?$`),
		failure:  regexp.MustCompile(`^\d+\) (?P<name>.+)$`),
		failures: regexp.MustCompile(`^Failures:$`),
		closes:   regexp.MustCompile(`^(?:Pending:|\d+ specs?, .*)$`),
	},
	{ // https://maven.apache.org/surefire
		name: "Surefire",
		hint: "Tests run: ",
		summary: regexp.MustCompile(`^(?:\[\w+\] )?Tests run: (?P<total>\d+), Failures: (?P<failed>\d+), ` +
			`Errors: (?P<errors>\d+), Skipped: (?P<skipped>\d+)$`),
		failure: regexp.MustCompile(`^(?:\[ERROR\] )?(?:(?P<group>[\w.$]+)\.(?P<name>[\w$]+(?:\[.*\])?)|` +
			`(?P<name>[\w$]+(?:\[.*\])?)\((?P<group>[\w.$]+)\)) .*<<< (?:FAILURE|ERROR)!$`),
		failures: regexp.MustCompile(`^\[\w+\] Tests run: .*<<<`),
		closes:   regexp.MustCompile(`^\[\w+\] (?:Results:|Running .*)?$`),
	},
	{ // https://docs.gradle.org
		name: "Gradle",
		hint: "BUILD ",
		summary: regexp.MustCompile(`^(?P<total>\d+) tests? completed, (?P<failed>\d+) failed` +
			`(?:, (?P<skipped>\d+) skipped)?$`),
		test: regexp.MustCompile(`^(?P<group>[\w.$]+) > (?P<name>.+) (?P<status>PASSED|FAILED` +
			`|SKIPPED)$`),
		statuses: passing("PASSED", "SKIPPED"),
	},
	{ // https://nexte.st
		name: "nextest",
		hint: " Summary [",
		summary: regexp.MustCompile(`^ +Summary \[.*\] +(?P<total>\d+)(?:/\d+)? tests? run: \d+ passed` +
			`(?: \(.*?\))?(?:, (?P<failed>\d+) failed)?(?:, (?P<errors>\d+) timed out)?(?:, \d+` +
			` skipped)?$`),
		test: regexp.MustCompile(`^ +(?P<status>PASS|FAIL|SIG[A-Z]+|TIMEOUT|ABORT) +\[ *[\d.]+s\] ` +
			`(?:\([ \d/]+\) +)?(?P<group>\S+(?: \S+\$)?) (?P<name>\S+)$`),
		statuses: passing("PASS"),
		over:     regexp.MustCompile(`^ +Summary \[`),
	},
	{ // https://learn.microsoft.com/dotnet/core/tools/dotnet-test
		name: "dotnet test",
		hint: ", Total: ",
		summary: regexp.MustCompile(`^(?:Passed|Failed|Skipped)! +- Failed: +(?P<failed>\d+),` +
			` Passed: +\d+, ` +
			`Skipped: +(?P<skipped>\d+), Total: +(?P<total>\d+)`),
		test:     regexp.MustCompile(`^ +(?P<status>Passed|Failed|Skipped) (?P<name>\S.*) \[[<\d].*\]$`),
		statuses: passing("Passed", "Skipped"),
	},
	{ // https://github.com/lukeed/uvu
		name: "uvu",
		hint: "\n  Skipped: ",
		summary: regexp.MustCompile(
			`^  (?:Total: +(?P<total>\d+)|Passed: +(?P<passed>\d+)|Skipped: +(?P<beside>\d+))$`),
		failure: regexp.MustCompile(`^ +FAIL +(?P<group>\S.*?) +"(?P<name>.+)"$`),
	},
	{ // https://github.com/kward/shunit2
		name:    "shUnit2",
		hint:    "\nRan ",
		summary: regexp.MustCompile(`^Ran (?P<total>\d+) tests?\.$`),
		bare:    true,
		test:    regexp.MustCompile(`^(?P<name>test\w+)$`),
		// a test is named before it runs
		statuses: passing(""),
		fails:    regexp.MustCompile(`^(?:ASSERT:|shunit2:ERROR )`),
	},
	{ // https://docs.deno.com/runtime/test
		name: "Deno",
		hint: " passed",
		summary: regexp.MustCompile(`^(?:ok|FAILED) \| (?P<passed>\d+) passed(?: \(.*?\))? \| ` +
			`(?P<failed>\d+) failed` +
			`(?: \(.*?\))?(?: \| (?P<skipped>\d+) ignored)?`),
		test:     regexp.MustCompile(`^(?P<name>\S.*) \.\.\. (?P<status>ok|FAILED|ignored) \(.*\)$`),
		statuses: passing("ok", "ignored"),
	},
}
