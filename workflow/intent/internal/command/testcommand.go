package command

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// A TestCommand is a person's word on how the repository is tested.
type TestCommand struct {
	Line  string // the command; empty: the one that was named above
	Above bool   // "use that command": the one that was named above
}

// ReadTestCommand reads a message that does nothing but say with which command the repository is tested:
// "test it with `make check`", "the tests are run with npm test", "yes, use that command".
func ReadTestCommand(text string) (c TestCommand, ok bool) {
	own, quoted := words.OwnLines(words.Straighten(text))
	own = strings.TrimSpace(words.TrimAddress(own))
	if quoted || words.AddressesOther(own) {
		return c, false
	}
	if namesCommandAbove.MatchString(own) {
		return TestCommand{Above: true}, true
	}
	for _, form := range namesTestCommand {
		m := form.FindStringSubmatch(own)
		if m == nil {
			continue
		}
		line := strings.TrimSpace(m[1])
		code := strings.HasPrefix(line, "`")
		line = strings.TrimSpace(strings.Trim(line, "`"))
		if !code {
			line = strings.TrimRight(line, ".! ")
		}
		if isTestCommand(line, code) {
			return TestCommand{Line: line}, true
		}
	}
	return c, false
}

// isTestCommand reports whether a line may be a command. Words that are not marked as code are one only if
// they begin with a program that runs tests: "test it with real orders" names none.
func isTestCommand(line string, code bool) bool {
	words := strings.Fields(line)
	if len(words) == 0 || strings.Contains(line, "\n") {
		return false
	}
	first := words[0]
	runs := slices.Contains(testPrograms, first) || strings.HasPrefix(first, "./")
	return runs || code && len(words) > 1 && startsCommand.MatchString(line)
}

// testPrograms begin the commands that people write without marking them as code.
var testPrograms = []string{
	"bash", "bazel", "bundle", "bun", "cargo", "cmake", "composer", "ctest", "deno", "dotnet", "go",
	"gradle", "jest", "just", "make", "mage", "meson", "mix", "mocha", "mvn", "ninja", "node", "nox", "npm",
	"npx", "perl", "phpunit", "pnpm", "poetry", "prove", "pytest", "python", "python3", "rake", "rspec",
	"ruby", "sbt", "sh", "swift", "task", "tox", "uv", "vitest", "yarn", "zig",
}

const (
	agreesFirst = `(?is)^(?:(?:yes|yep|yeah|ok|okay|right|correct|sure|exactly|no)[,.:;!]* )?(?:please )?`
	commandWord = "(`[^`\n]+`|[^`\n]+?)"
	afterWord   = `(?:,? (?:please|from now on|then|instead))*[.!]*$`
	theProject  = `(?:the|this) (?:repo|repository|project|code|change|fix)`
	theTests    = `(?:the |our |its )?(?:tests?|test suite|suite)`
	forTests    = `(?:for ` + theTests + `|to (?:run the )?tests?(?: (?:it|this))?|` +
		`as (?:the |our )?test command)`
	withCommand = ` (?:with|by|using|via):? ` + commandWord + afterWord
)

var (
	startsCommand    = lazyregexp.New(`^(?:\w+=\S* )*[\w./-]+ `)
	namesTestCommand = []*lazyregexp.Regexp{
		lazyregexp.New(agreesFirst + `(?:test|check) (?:it|this|that|everything|` + theProject + `)` +
			withCommand),
		lazyregexp.New(agreesFirst + `(?:run|start) ` + theTests + withCommand),
		lazyregexp.New(agreesFirst + `(?:` + theTests + `|it|` + theProject +
			`) (?:is|are|gets?) (?:run|tested|started)` + withCommand),
		lazyregexp.New(agreesFirst + `(?:the |our |its )?(?:right |correct )?(?:test )?command ` +
			`(?:for (?:the )?tests? )?is:? ` + commandWord + afterWord),
		lazyregexp.New(agreesFirst + `(?:use|take|run) ` + commandWord + ` ` + forTests + afterWord),
	}
	namesCommandAbove = lazyregexp.New(agreesFirst + `(?:` +
		`(?:use|take|run|test (?:it )?with) (?:that|this|the|your) (?:test )?command(?: ` + forTests + `)?|` +
		`(?:use|take|test (?:it )?with) (?:that|this)(?: one)? ` + forTests + `)` + afterWord)
)
