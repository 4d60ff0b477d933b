package command

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Scripts are the scripts by name that a command may call, as in package.json.
type Scripts map[string]string

// A Found is a test runner that was found inside a command.
type Found struct {
	Kind   string // the kind of project: node, python, go, rust
	Runner string // such as mocha
	Line   string // for sh -c: the steps to run before, and the runner with a reporter that can be read
	// Written is Line without the flags for a reporter. It is empty if no flags were added that can be left
	// out.
	Written string
	Flags   string // the flags added to the runner's call; of several calls, to the last
	Plain   bool   // the command has only calls of the runner and changes of the folder
	Alone   bool   // the command is a single call of the runner, and Flags can be appended to it
}

// A step is one simple command of a line.
type step struct {
	text   string
	words  []string
	script string // the name of the script that it belongs to
}

// maxDepth is how many levels of scripts that call scripts are followed.
const maxDepth = 5

// Inside finds the runner in a line. It returns false if there is no known runner.
func Inside(line string, scripts Scripts) (Found, bool) {
	steps := reader{scripts}.steps(line, "", 0)
	var before, calls, written []string
	var found Found
	for _, s := range steps {
		call, ok := callOf(s.words)
		switch {
		case ok && (found.Runner == "" || found.Kind == call.kind):
			found.Kind, found.Runner = call.kind, call.runner
			found.Flags, found.Alone = call.flags, len(steps) == 1 && !call.rewritten
			calls = append(calls, assignments(s.words)+call.line)
			written = append(written, assignments(s.words)+cmp.Or(call.written, call.line))
		case found.Runner == "" && !checksForm(s):
			before = append(before, s.text)
		}
	}
	if found.Runner == "" {
		return Found{}, false
	}
	found.Plain = !slices.ContainsFunc(before, func(text string) bool { return !strings.HasPrefix(text, "cd ") })
	found.Line = strings.Join(slices.Concat(before, calls), " && ")
	if line := strings.Join(slices.Concat(before, written), " && "); line != found.Line {
		found.Written = line
	}
	return found, true
}

// InsideScript is Inside for a script, including the pre-script that the package manager runs before it.
func InsideScript(name string, scripts Scripts) (Found, bool) {
	line := scripts[name]
	if before := strings.TrimSpace(scripts["pre"+name]); before != "" {
		line = "npm run pre" + name + " && " + line
	}
	return Inside(line, scripts)
}

// A reader splits lines into steps.
type reader struct{ scripts Scripts }

// steps returns the simple commands of a line in order, with the commands of called scripts in the place of
// the calls. It returns none for a line that cannot be parsed.
func (r reader) steps(line, script string, depth int) []step {
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || depth > maxDepth {
		return nil
	}
	var out []step
	for _, stmt := range file.Stmts {
		out = append(out, r.ofStatement(stmt, script, depth)...)
	}
	return out
}

func (r reader) ofStatement(stmt *syntax.Stmt, script string, depth int) []step {
	switch c := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt {
			return append(r.ofStatement(c.X, script, depth), r.ofStatement(c.Y, script, depth)...)
		}
		if shows := wordsOf(c.Y); c.Op == syntax.Pipe && len(shows) > 0 && formatters[shows[0]] {
			return r.ofStatement(c.X, script, depth)
		}
	case *syntax.CallExpr:
		words := wordsOf(stmt)
		if called := r.called(words); called != nil && len(stmt.Redirs) == 0 {
			var out []step
			for _, name := range called {
				if before := r.scripts["pre"+name]; before != "" {
					out = append(out, r.steps(before, name, depth+1)...)
				}
				out = append(out, r.steps(r.scripts[name], name, depth+1)...)
			}
			return out
		}
		return []step{{textOf(stmt), words, script}}
	}
	return []step{{text: textOf(stmt), script: script}}
}

// formatters make TAP readable for people, and remove what could be parsed.
var formatters = map[string]bool{"tap-spec": true, "faucet": true, "colortape": true, "tap-arc": true, "tap-min": true, "tap-difflet": true, "tap-summary": true}

// called returns the scripts that a command calls by name, or nil if it calls none.
func (r reader) called(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	var names []string
	switch words[0] {
	case "npm", "pnpm", "yarn", "bun":
		rest := words[1:]
		if len(rest) > 0 && (rest[0] == "run" || rest[0] == "run-script") {
			rest = rest[1:]
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return w == "-s" || w == "--silent" })
		if len(rest) > 0 && r.scripts[rest[0]] != "" {
			return rest[:1] // the other arguments are mostly for a person's terminal
		}
		return nil
	case "npm-run-all", "npm-run-all2", "run-s", "run-p":
		names = words[1:]
	default:
		return nil
	}
	var out []string
	for _, name := range names {
		before, all := strings.CutSuffix(strings.TrimRight(name, "*"), ":")
		switch {
		case strings.HasPrefix(name, "-"):
		case all && strings.HasSuffix(name, "*"):
			for _, known := range slices.Sorted(maps.Keys(r.scripts)) {
				if strings.HasPrefix(known, before+":") {
					out = append(out, known)
				}
			}
		case r.scripts[name] != "":
			out = append(out, name)
		}
	}
	return out
}

// wordsOf returns the words of a simple command, including its assignments, without expanding them.
func wordsOf(stmt *syntax.Stmt) []string {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	var out []string
	for _, a := range call.Assigns {
		out = append(out, textOf(a))
	}
	for _, w := range call.Args {
		if plain := w.Lit(); plain != "" {
			out = append(out, plain)
		} else {
			out = append(out, textOf(w))
		}
	}
	return out
}

// textOf returns a part of a line as it would be written.
func textOf(node syntax.Node) string {
	var b strings.Builder
	if syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, node) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
