package command

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A call is one call of a runner.
type call struct {
	kind, runner string
	line         string
	written      string // line without the flags for a reporter
	flags        string // the flags added at the end
	rewritten    bool   // the call differs by more than the added flags
	env          string // the variables set before it, as a prefix of the call
}

// A runner is a test runner that this program can call.
type runner struct {
	name, kind string
	flags      string   // added for a reporter that can be read
	always     string   // added in any case
	drop       []string // arguments for a person's terminal, or that need more than the runner
	begin      string   // the start of the call; empty: the name
}

// MochaReport are the flags that make mocha write its report to $REPORT_DIR: each call of one command to a
// file of its own, whose number the shell counts up.
const MochaReport = ` -R xunit -O output="${REPORT_DIR:-/tmp}/mocha$((mocha=mocha+1)).xml"`

// runners by the name of the program.
var runners = map[string]runner{
	"jest": {
		name:  "jest",
		kind:  "node",
		flags: "--verbose",
		drop:  []string{"--watch", "--watchAll", "--verbose", "--silent", "--coverage", "--reporters"},
	},
	"vitest": {
		name:   "vitest",
		kind:   "node",
		flags:  "--reporter=verbose",
		always: "--run",
		drop:   []string{"watch", "--watch", "--reporter", "--coverage"},
	},
	"mocha": {
		name:  "mocha",
		kind:  "node",
		flags: MochaReport[1:],
		drop:  []string{"--reporter", "-R", "--watch", "-w"},
	},
	"_mocha": {
		name:  "mocha",
		kind:  "node",
		flags: MochaReport[1:],
		drop:  []string{"--reporter", "-R"},
		begin: "mocha",
	},
	"ava": {
		name:  "ava",
		kind:  "node",
		flags: "--tap",
		drop:  []string{"--tap", "--verbose", "--watch", "-w", "-v"},
	},
	"tap":  {name: "tap", kind: "node", flags: "-R tap", drop: []string{"--reporter", "-R"}},
	"tape": {name: "tape", kind: "node"},
	"qunit": {
		name: "qunit", kind: "node", flags: "--reporter tap", drop: []string{"--reporter", "-r"},
	},
	"react-scripts": {
		name:   "jest",
		kind:   "node",
		flags:  "--verbose",
		always: "--watchAll=false",
		drop:   []string{"--watch", "--watchAll"},
	},
	"pytest": {
		name:  "pytest",
		kind:  "python",
		flags: "-q",
		drop: []string{
			"-q", "-v", "-vv", "--cov", "--cov-report", "--cov-config", "--cov-fail-under", "--no-cov",
			"--junitxml", "-n", "--color",
		},
		begin: "python3 -m pytest",
	},
	"py.test": {
		name:  "pytest",
		kind:  "python",
		flags: "-q",
		drop:  []string{"-q", "-v", "--cov"},
		begin: "python3 -m pytest",
	},
	"unittest": {
		name:  "unittest",
		kind:  "python",
		flags: "-v",
		drop:  []string{"-v", "--verbose", "-q", "-b", "--buffer"},
		begin: "python3 -m unittest",
	},
}

// withValue are the dropped arguments whose value is the next word, unless it follows "=".
var withValue = []string{
	"--reporter", "--reporters", "-R", "-r", "-n", "--cov-report", "--cov-config", "--cov-fail-under",
	"--junitxml", "--color", "-f", "--format",
}

// wrappers are programs that run the command in their arguments.
var wrappers = []string{
	"cross-env", "cross-env-shell", "npx", "npm", "pnpm", "yarn", "bunx", "exec", "run", "c8", "nyc",
	"dotenv", "env", "time", "xvfb-run",
	"poetry", "uv", "pdm", "pipenv", "hatch", "rye", "coverage", "--",
}

var python = regexp.MustCompile(`^(?:python[\d.]*|\{envpython\}|\$\(PYTHON\))$`)

// callOf returns the call of the runner that a simple command runs.
func callOf(words []string) (call, bool) {
	wrapped := false
	for i, word := range words {
		if c, ok := callFrom(words[i:]); ok {
			c.rewritten = c.rewritten || slices.ContainsFunc(words[:i],
				func(w string) bool { return !isAssignment(w) && w != "cross-env" && w != "npx" })
			c.env = assignments(words[:i])
			return c, true
		}
		switch {
		case slices.Contains(wrappers, word):
			wrapped = true
		case isAssignment(word):
		case wrapped && (strings.HasPrefix(word, "-") || strings.HasPrefix(words[i-1], "-")):
		default:
			return call{}, false
		}
	}
	return call{}, false
}

// callFrom returns the call of the runner at the start of the words.
func callFrom(words []string) (call, bool) {
	name := path.Base(words[0])
	args := words[1:]
	switch {
	case name == "go" && len(args) > 0 && args[0] == "test":
		return call{
			kind:   "go",
			runner: "go test",
			line: strings.Join(append([]string{"go test -json"}, without(args[1:], "-json", "-v")...),
				" "),
			rewritten: true,
		}, true
	case name == "cargo" && len(args) > 0 && args[0] == "test":
		return call{
			kind:   "rust",
			runner: "cargo test",
			line: strings.Join(append([]string{"cargo test --no-fail-fast"},
				without(args[1:], "--no-fail-fast")...), " "),
			rewritten: true,
		}, true
	case name == "node" && slices.Contains(args, "--test"):
		return call{kind: "node", runner: "node --test", line: strings.Join(words, " ")}, true
	case python.MatchString(name) && len(args) > 1 && args[0] == "-m":
		c, ok := callOf(args[1:])
		c.rewritten = true
		return c, ok && c.kind == "python"
	case python.MatchString(name) && len(args) > 1 && args[0] == "manage.py" && args[1] == "test":
		return call{
			kind:      "python",
			runner:    "unittest",
			line:      "python3 manage.py test -v 2 " + strings.Join(args[2:], " "),
			rewritten: true,
		}, true
	}
	if c, ok := otherCall(words); ok {
		return c, true
	}
	r, ok := runners[name]
	if name == "react-scripts" {
		ok = len(args) > 0 && args[0] == "test"
	}
	if !ok {
		return call{}, false
	}
	if r.name == "vitest" && (slices.Contains(args, "run") || slices.Contains(args, "--run")) {
		r.always = ""
	}
	begin := r.begin
	if begin == "" {
		begin = name
	}
	kept := without(args, r.drop...)
	c := call{kind: r.kind, runner: r.name, rewritten: len(kept) != len(args)}
	if r.name == "unittest" && len(kept) > 0 && kept[0] == "discover" {
		begin = begin + " discover"
		kept = kept[1:]
		c.rewritten = true
	}
	if r.name != "pytest" { // pytest's flag changes only what it prints
		c.written = joined(append(append([]string{begin}, kept...), r.always)...)
	}
	if c.flags = joined(r.always, r.flags); r.kind == "python" {
		c.line = joined(append([]string{begin, c.flags}, kept...)...)
	} else {
		c.line = joined(append(append([]string{begin}, kept...), c.flags)...)
	}
	return c, true
}

// joined returns the words as a line, without empty ones.
func joined(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// without returns the arguments without the named ones and their values.
func without(args []string, names ...string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name, _, value := strings.Cut(args[i], "=")
		if !slices.Contains(names, name) {
			out = append(out, args[i])
			continue
		}
		if !value && slices.Contains(withValue, name) {
			i++
		}
	}
	return out
}

var assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)

func isAssignment(word string) bool { return assignment.MatchString(word) }

// assignments returns the variable assignments of a command as a prefix for a call.
func assignments(words []string) string {
	var out strings.Builder
	for _, w := range words {
		if isAssignment(w) {
			out.WriteString(w + " ")
		}
	}
	return out.String()
}

// formCheckers check the form of a source or other files around it, and run no test.
var formCheckers = []string{
	"eslint", "standard", "semistandard", "ts-standard", "xo", "prettier", "tslint", "biome", "oxlint",
	"stylelint", "tsd", "dtslint", "attw", "publint", "size-limit", "bundlesize", "depcheck", "knip",
	"markdownlint", "markdownlint-cli2", "remark", "cspell", "commitlint", "typedoc", "jsdoc",
	"documentation", "check-dts", "license-checker", "echo", "codecov", "rimraf", "flake8", "ruff",
	"black", "isort", "mypy", "pyright", "pylint", "pydocstyle", "bandit", "golangci-lint", "staticcheck",
	"gofmt", "vint", "pre-commit", "pip", "installed-check", "linkinator",
}

var formScript = regexp.MustCompile(`(?i)(?:^|[:\-_])(?:lint|eslint|format|fmt|prettier|types?|typecheck|` +
	`docs?|spell|size|audit|style|coverage|security|licenses?)(?:$|[:\-_])`)

// checksForm reports whether a step before the tests can be left out.
func checksForm(s step) bool {
	words := s.words
	for len(words) > 0 &&
		(isAssignment(words[0]) || slices.Contains([]string{"npx", "cross-env"}, words[0])) {
		words = words[1:]
	}
	if formScript.MatchString(s.script) || len(words) == 0 {
		return formScript.MatchString(s.script)
	}
	name := path.Base(words[0])
	return slices.Contains(formCheckers, name) || name == "tsc" && slices.Contains(words, "--noEmit") ||
		name == "go" && len(words) > 1 && words[1] == "vet" ||
		name == "cargo" && len(words) > 1 && slices.Contains([]string{"fmt", "clippy"}, words[1]) ||
		(name == "c8" || name == "nyc" || name == "coverage") && len(words) > 1
}
