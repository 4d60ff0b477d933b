package command

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Flags that make a runner write a report to $REPORT_DIR.
const (
	PHPReport   = `--log-junit "${REPORT_DIR:-/tmp}/phpunit.xml"`
	CTestReport = `--output-junit "${REPORT_DIR:-/tmp}/ctest.xml"`
	DenoReport  = `--junit-path="${REPORT_DIR:-/tmp}/deno.xml"`
	BunReport   = `--reporter=junit --reporter-outfile="${REPORT_DIR:-/tmp}/bun.xml"`
)

// JavaReports begins a command that calls Maven or Gradle. When the command ends, it joins the reports that
// these wrote since its start to one report in $REPORT_DIR. A report that is older is of another run.
const JavaReports = `: >"${REPORT_DIR:-/tmp}/begun" && trap '{ echo "<testsuites>"; find . ` +
	`-path "*-reports/TEST-*.xml" -newer "${REPORT_DIR:-/tmp}/begun" -exec sed "s/<?xml[^>]*>//" {} +; ` +
	`find . -path "*/test-results/*.xml" -newer "${REPORT_DIR:-/tmp}/begun" ` +
	`-exec sed "s/<?xml[^>]*>//" {} +; ` +
	`echo "</testsuites>"; } >"${REPORT_DIR:-/tmp}/java.xml"' EXIT && `

// An other is a runner that is called as it is written, with flags at its end.
type other struct {
	name  string // of the program; the last part of its path
	kind  string
	first *regexp.Regexp // the argument that makes it run tests; nil: any call does
	flags string         // added at the end for a reporter that can be read
	drop  []string       // arguments that flags replace
	begin string         // the program that is called instead; empty: as it is written
}

var (
	testWord  = regexp.MustCompile(`^test$`)
	makeTests = regexp.MustCompile(`^(?:(?:run[-_]?|unit[-_]?)?(?:tests?|check|spec)` +
		`(?:[-_:](?:all|unit|lib|core|suite|py|go|c|js|short|fast))?)$`)
	goals     = regexp.MustCompile(`^(?:[\w:-]*:)?(?:test|verify|package|install|check|build)$`)
	rakeTasks = regexp.MustCompile(`^(?:test|spec|default)(?::\w+)*$`)
	rubyTests = regexp.MustCompile(`(?:^|/)(?:test_\w+|\w+_test|spec_\w+)\.rb$`)
)

// others are the runners of further languages.
var others = []other{
	{name: "rspec", kind: "ruby", flags: "--format documentation", drop: []string{"--format", "-f", "-fp"}},
	{name: "rake", kind: "ruby", first: rakeTasks, flags: "TESTOPTS=-v SPEC_OPTS='--format documentation'"},
	{name: "rails", kind: "ruby", first: testWord, flags: "-v", drop: []string{"-v"}},
	{name: "ruby", kind: "ruby", first: rubyTests, flags: "-v", drop: []string{"-v"}},
	{name: "phpunit", kind: "php", flags: PHPReport, drop: phpDrop},
	{name: "simple-phpunit", kind: "php", flags: PHPReport, drop: phpDrop},
	{name: "pest", kind: "php", flags: PHPReport, drop: phpDrop},
	{name: "mvn", kind: "java", first: goals, flags: "-o -B -fae", drop: javaDrop},
	{name: "mvnw", kind: "java", first: goals, flags: "-o -B -fae", drop: javaDrop, begin: "mvn"},
	{name: "gradle", kind: "java", first: goals, flags: "--offline --no-daemon --continue", drop: javaDrop},
	{
		name:  "gradlew",
		kind:  "java",
		first: goals,
		flags: "--offline --no-daemon --continue",
		drop:  javaDrop,
		begin: "gradle",
	},
	{name: "dotnet", kind: "dotnet", first: testWord},
	{name: "mix", kind: "elixir", first: testWord, flags: "--trace", drop: []string{"--trace", "--cover"}},
	{name: "prove", kind: "perl"},
	{name: "bats", kind: "shell", flags: "--tap", drop: []string{"--tap", "-t", "--pretty", "-p"}},
	{name: "ctest", kind: "cmake", flags: CTestReport, drop: []string{"--output-junit"}},
	{name: "meson", kind: "meson", first: testWord},
	{name: "make", kind: "make", first: makeTests},
	{name: "gmake", kind: "make", first: makeTests, begin: "make"},
	{name: "deno", kind: "deno", first: testWord, flags: DenoReport, drop: dropJunit},
	{name: "bun", kind: "node", first: testWord, flags: BunReport, drop: dropJunit},
	{name: "swift", kind: "swift", first: testWord},
	{name: "dart", kind: "dart", first: testWord, flags: "-r expanded", drop: dropReporter},
	{name: "flutter", kind: "dart", first: testWord, flags: "-r expanded", drop: dropReporter},
	{name: "cabal", kind: "haskell", first: testWord},
	{name: "stack", kind: "haskell", first: testWord},
	{name: "zig", kind: "zig", first: regexp.MustCompile(`^(?:build|test)$`)},
}

var (
	dropJunit    = []string{"--junit-path", "--coverage", "--reporter", "--reporter-outfile"}
	dropReporter = []string{"-r", "--reporter"}
	phpDrop      = []string{
		"--log-junit", "--coverage-clover", "--coverage-text", "--coverage-html", "--testdox", "--colors",
	}
	javaDrop = []string{
		"-o", "--offline", "-B", "--batch-mode", "--no-daemon", "--continue", "-fae", "--fail-at-end",
		"-ntp", "--no-transfer-progress", "-q", "--quiet",
	}
)

// otherCall returns the call of a runner in others at the start of the words.
func otherCall(words []string) (call, bool) {
	prefix := ""
	switch {
	case len(words) > 2 && words[0] == "bundle" && words[1] == "exec":
		prefix = "bundle exec "
		words = words[2:]
	case len(words) > 1 && words[0] == "php" && strings.Contains(words[1], "phpunit"):
		prefix = "php "
		words = words[1:]
	}
	for _, o := range others {
		if o.name != path.Base(words[0]) || !o.runsTests(words[1:]) {
			continue
		}
		begin := o.begin
		if begin == "" {
			begin = words[0]
		}
		kept := without(words[1:], o.drop...)
		whole := append([]string{prefix + begin}, kept...)
		c := call{
			kind:      o.kind,
			runner:    o.name,
			line:      joined(append(slices.Clone(whole), o.flags)...),
			flags:     o.flags,
			rewritten: len(kept) != len(words)-1 || o.begin != "" || o.kind == "java",
		}
		if o.flags != "" {
			c.written = joined(whole...)
		}
		if o.kind == "java" {
			c.written = c.line
			c.line = JavaReports + c.line
		}
		return c, true
	}
	return call{}, false
}

// valueOf are the flags of runners whose value is the next word.
var valueOf = []string{"-C", "-f", "-pl", "--projects", "-P", "--activate-profiles", "-I", "-e", "-r", "-p"}

// runsTests reports whether the call with these arguments runs tests.
func (o other) runsTests(args []string) bool {
	if slices.ContainsFunc(args, func(a string) bool {
		return strings.Contains(a, "skipTests") || strings.Contains(a, "test.skip") ||
			a == "--version" || a == "--help"
	}) {
		return false
	}
	if o.first == nil {
		return true
	}
	plain := 0
	for i, arg := range args {
		isValue := i > 0 && slices.Contains(valueOf, args[i-1])
		if isValue || strings.HasPrefix(arg, "-") || isAssignment(arg) {
			continue
		}
		plain++
		if o.first.MatchString(arg) {
			return true
		}
		if o.kind != "java" && o.name != "make" && o.name != "ruby" {
			return false
		}
	}
	return plain == 0 && o.name == "rake"
}

// buildCall matches the steps before the tests that only build them, and cannot decide how the tests end.
var buildCall = regexp.MustCompile(`^(?:cmake (?:-[SBDG]|--build|\.)|` +
	`(?:meson setup|meson compile|ninja|make)(?: |$)|` +
	`\./(?:configure|autogen\.sh|bootstrap)(?: |$)|autoreconf(?: |$)|mkdir -p |mvn |gradle |mix compile|` +
	`(?:npm|pnpm|yarn) run build$|go build |cargo build|dotnet build|swift build|zig build)[^|<>;&]*$`)
