package project

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

// A selector narrows the calls of a runner to some files of tests. A call that already selects tests does not
// match it.
type selector struct {
	call *regexp.Regexp
	stop string // flags with which the runner ends at the first failure
	// narrow returns the call, with more flags, for the files; an empty string if it cannot be narrowed. nil:
	// the files are arguments at the end.
	narrow func(call, flags string, files []string) string
}

// selectors are those of the languages whose test files cases knows.
var selectors = []selector{
	{
		call: regexp.MustCompile(`^(?:bundle exec )?(?:bin/)?rspec --format documentation$`),
		stop: " --fail-fast",
	},
	{call: regexp.MustCompile(`^(?:bundle exec )?(?:bin/)?rails test -v$`), stop: " --fail-fast"},
	{call: regexp.MustCompile(`^(?:bundle exec )?rake test TESTOPTS=-v$`), narrow: rakeFiles},
	{
		call:   regexp.MustCompile(`^(?:bundle exec )?` + regexp.QuoteMeta(rubyFiles) + " "),
		narrow: minitestFiles,
	},
	{
		call: regexp.MustCompile(`^(?:vendor/bin/)?phpunit ` + regexp.QuoteMeta(command.PHPReport) + `$`),
		stop: " --stop-on-failure", narrow: phpunitClasses,
	},
	{call: regexp.MustCompile(`^mix test --trace$`), stop: " --max-failures 1"},
	{call: regexp.MustCompile(`^prove -b?lr t$`), narrow: replaceArguments(` -(b?l)r t$`, " -$1")},
	{call: regexp.MustCompile(`^bats --tap -r '[^']+'$`), narrow: replaceArguments(` -r '[^']+'$`, "")},
	{call: regexp.MustCompile(`^mvn -o -B -fae test$`), narrow: mavenClasses},
	{call: regexp.MustCompile(`^dotnet test(?: --no[a-z-]+| [\w./-]+)*$`), narrow: dotnetClasses},
	{
		call: regexp.MustCompile(`^deno test -A ` + regexp.QuoteMeta(command.DenoReport) + `$`),
		stop: " --fail-fast",
	},
	{call: regexp.MustCompile(`^bun test ` + regexp.QuoteMeta(command.BunReport) + `$`), stop: " --bail=1"},
	{call: regexp.MustCompile(`^(?:dart|flutter) test -r expanded(?: --no-pub)?$`)},
	{call: regexp.MustCompile(`^swift test$`), narrow: swiftClasses},
}

// selectFiles returns the call for the files with tests among those given, or an empty string if the runner
// is not known or none of them has tests. With stop, it ends at the first failure.
func selectFiles(kind, call string, files []string, stop bool) string {
	files = slices.DeleteFunc(slices.Clone(files), func(file string) bool { return !IsCase(kind, file) })
	for _, s := range selectors {
		if len(files) == 0 || !s.call.MatchString(call) {
			continue
		}
		flags := ""
		if stop {
			flags = s.stop
		}
		if s.narrow != nil {
			return s.narrow(call, flags, files)
		}
		return call + flags + quoteAll(files)
	}
	return ""
}

// rakeFiles sets the pattern of the test task.
func rakeFiles(call, flags string, files []string) string {
	if slices.ContainsFunc(files, func(f string) bool { return strings.ContainsAny(f, "{},*?[") }) {
		return ""
	}
	return call + flags + " TEST=" + shellQuote("{"+strings.Join(files, ",")+"}")
}

func minitestFiles(call, flags string, files []string) string {
	before, _, _ := strings.Cut(call, rubyFiles)
	return before + rubyFiles + flags + quoteAll(files) + " -v"
}

// replaceArguments returns the function for a call whose arguments at the end are replaced by the files.
func replaceArguments(arguments, by string) func(call, flags string, files []string) string {
	match := regexp.MustCompile(arguments)
	return func(call, flags string, files []string) string {
		return match.ReplaceAllString(call, by) + flags + quoteAll(files)
	}
}

// phpunitClasses selects by the names of the classes, since PHPUnit takes only one file.
func phpunitClasses(call, flags string, files []string) string {
	if len(files) == 1 {
		return call + flags + quoteAll(files)
	}
	return call + flags + " --filter " + shellQuote(`(^|\\)(`+strings.Join(classes(files), "|")+")::")
}

func mavenClasses(call, flags string, files []string) string {
	return call + flags + " -Dtest=" + strings.Join(classes(files), ",") +
		" -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"
}

func dotnetClasses(call, flags string, files []string) string {
	var terms []string
	for _, class := range classes(files) {
		terms = append(terms, "FullyQualifiedName~."+class+".")
	}
	return call + flags + " --filter " + shellQuote(strings.Join(terms, "|"))
}

func swiftClasses(call, flags string, files []string) string {
	return call + flags + " --filter " + shellQuote(`\.(`+strings.Join(classes(files), "|")+")/")
}

// plainClass matches the names of classes. Other files are left out.
var plainClass = regexp.MustCompile(`^\w+$`)

// classes returns the names of the classes in files that are named after them.
func classes(files []string) (out []string) {
	for _, file := range files {
		name, _, _ := strings.Cut(path.Base(file), ".")
		if plainClass.MatchString(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// selectCTests returns the call of ctest for the tests with these names, or an empty string if there are none
// or it already selects.
func selectCTests(call string, names []string) string {
	plain := cutNames(names, regexp.MustCompile(`^[\w./ -]+$`), "\x00")
	if len(plain) == 0 || !strings.HasPrefix(call, "ctest ") || strings.Contains(call, " -R") {
		return ""
	}
	for i, name := range plain {
		plain[i] = regexp.QuoteMeta(name)
	}
	return call + " -R " + shellQuote("^("+strings.Join(plain, "|")+")$")
}
