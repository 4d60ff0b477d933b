package command

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Scripts are the scripts by name that a command may call, as in package.json.
type Scripts map[string]string

// A Found is a test runner that was found inside a command.
type Found struct {
	Kind   string // the kind of project: node, python, go, rust, java and others
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

// maxDepth is how many levels of scripts that call scripts are followed, maxRead how many bytes of lines are
// read, each as often as it is called.
const (
	maxDepth = 5
	maxRead  = 64 << 10
)

// Inside finds the runner in a line. It returns false if there is no known runner, or if what it found would
// leave out tests that the line runs elsewhere.
func Inside(line string, scripts Scripts) (Found, bool) {
	return insideScript("", line, scripts)
}

func insideScript(name, line string, scripts Scripts) (Found, bool) {
	r := reader{scripts: scripts, names: slices.Sorted(maps.Keys(scripts))}
	steps := r.steps(line, name)
	if r.lost {
		return Found{}, false
	}
	var before, calls, written []string
	var found Found
	for _, s := range steps {
		call, ok := callOf(s.words)
		switch {
		case ok && found.Runner != "" && found.Kind != call.kind:
			return Found{}, false // one of them would be left out
		case ok:
			found.Kind = call.kind
			found.Runner = call.runner
			found.Flags = call.flags
			found.Alone = len(steps) == 1 && !call.rewritten
			calls = append(calls, call.env+call.line)
			written = append(written, call.env+cmp.Or(call.written, call.line))
		case checksForm(s):
		case found.Runner == "":
			before = append(before, s.text)
		case s.changesFolder():
			calls = append(calls, s.text)
			written = append(written, s.text)
		case s.callsScripts():
			return Found{}, false
		}
	}
	if found.Runner == "" {
		return Found{}, false
	}
	found.Plain = !slices.ContainsFunc(before,
		func(text string) bool { return !strings.HasPrefix(text, "cd ") && !buildCall.MatchString(text) })
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
	return insideScript(name, line, scripts)
}

// A reader splits lines into steps.
type reader struct {
	scripts Scripts
	names   []string // of the scripts, sorted
	within  []string // the scripts that are being read, the outermost first
	read    int      // the number of bytes read
	moved   bool     // a step of the script that is being read has changed the folder
	away    bool     // a called script changed the folder, which does not hold after its end
	lost    bool     // the line is too long, or a step follows whose folder the steps would not say
}

// steps returns the simple commands of a line in order, with the commands of called scripts in the place of
// the calls. It returns none for a line that cannot be parsed.
func (r *reader) steps(line, script string) []step {
	if r.read += len(line); r.lost || r.read > maxRead {
		r.lost = true
		return nil
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	r.within = append(r.within, script)
	defer func() { r.within = r.within[:len(r.within)-1] }()
	var out []step
	for _, stmt := range file.Stmts {
		out = append(out, r.ofStatement(stmt, script)...)
	}
	return out
}

func (r *reader) ofStatement(stmt *syntax.Stmt, script string) []step {
	if stmt.Negated { // it is to fail
		return r.one(step{text: textOf(stmt), script: script})
	}
	switch c := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt {
			return append(r.ofStatement(c.X, script), r.ofStatement(c.Y, script)...)
		}
		if shows := wordsOf(c.Y); c.Op == syntax.Pipe && len(shows) > 0 && formatters[shows[0]] {
			return r.ofStatement(c.X, script)
		}
	case *syntax.CallExpr:
		words := wordsOf(stmt)
		if called := r.called(words); called != nil && len(stmt.Redirs) == 0 {
			var out []step
			for _, name := range called {
				if before := r.scripts["pre"+name]; before != "" {
					out = append(out, r.ofScript(before, name)...)
				}
				out = append(out, r.ofScript(r.scripts[name], name)...)
			}
			return out
		}
		return r.one(step{textOf(stmt), words, script})
	}
	return r.one(step{text: textOf(stmt), script: script})
}

// ofScript returns the steps of a script that is called. It begins where its caller is, and the caller stays
// there.
func (r *reader) ofScript(line, name string) []step {
	out := r.steps(line, name)
	r.away, r.moved = r.away || r.moved && !formScript.MatchString(name), false
	return out
}

// one returns a single step, and remembers whether it changes the folder.
func (r *reader) one(s step) []step {
	r.lost = r.lost || r.away
	r.moved = r.moved || s.changesFolder()
	return []step{s}
}

// formatters make TAP readable for people, and remove what could be parsed.
var formatters = map[string]bool{
	"tap-spec":    true,
	"faucet":      true,
	"colortape":   true,
	"tap-arc":     true,
	"tap-min":     true,
	"tap-difflet": true,
	"tap-summary": true,
}

// elsewhere are the flags with which npm runs the scripts of other folders.
var elsewhere = []string{"--prefix", "-C", "-w", "--workspace", "-ws", "--workspaces"}

// called returns the scripts that a command calls by name, or nil if it calls none. A call of a script that
// is being read, or after the folder was changed, means the script of another folder.
func (r *reader) called(words []string) []string {
	if len(words) == 0 || r.moved || len(r.within) > maxDepth {
		return nil
	}
	var names []string
	switch words[0] {
	case "npm", "pnpm", "yarn", "bun":
		rest := words[1:]
		if len(rest) > 0 && (rest[0] == "run" || rest[0] == "run-script") {
			rest = rest[1:]
		}
		rest = slices.DeleteFunc(slices.Clone(rest),
			func(w string) bool { return w == "-s" || w == "--silent" })
		if len(rest) == 0 || r.scripts[rest[0]] == "" || slices.Contains(r.within, rest[0]) ||
			words[0] == "npm" && runsElsewhere(rest[1:]) {
			return nil
		}
		return rest[:1] // the other arguments are mostly for a person's terminal
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
			for _, known := range r.names {
				if strings.HasPrefix(known, before+":") && !slices.Contains(r.within, known) {
					out = append(out, known)
				}
			}
		case r.scripts[name] != "" && !slices.Contains(r.within, name):
			out = append(out, name)
		}
	}
	return out
}

// runsElsewhere reports whether one of npm's arguments after a script's name chooses another folder.
func runsElsewhere(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end] // what follows is for the script
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(elsewhere, name)
	})
}

func (s step) changesFolder() bool {
	return len(s.words) > 0 && (s.words[0] == "cd" || s.words[0] == "pushd")
}

// scriptCall matches a call of scripts by a package manager or a program for that.
var scriptCall = regexp.MustCompile(`(?:^|[\s(])(?:npm\s(?:.*\s)?(?:run|run-script|t|tst|test)(?:[\s)]|$)|` +
	`(?:pnpm|yarn|bun|npm-run-all2?|run-[sp]|lerna|turbo|nx)\s)`)

// callsScripts reports whether a step calls scripts that were not read, such as those of another folder. It
// returns false if they only check the form of something, as far as their names tell.
func (s step) callsScripts() bool {
	return scriptCall.MatchString(s.text) && (!slices.ContainsFunc(s.words, formScript.MatchString) ||
		slices.ContainsFunc(s.words, func(w string) bool { return strings.HasPrefix(w, "test") }))
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
