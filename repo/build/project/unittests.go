package project

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

var (
	pythonCall = regexp.MustCompile(
		`\bpython[\d.]*(?: -[A-Za-z]+)*? (?:-m ([\w.]+)(?: discover)?|([\w./-]+\.py))(?: |$)`)
	cdBefore     = regexp.MustCompile(`^cd '?([\w./-]+)'? && `)
	saysHowMuch  = regexp.MustCompile(` (?:-v|-vv|-q|--verbose|--quiet|--verbosity)\b`)
	unittestMain = regexp.MustCompile(`(?m)^\s*(?:unittest\.)?main\(`)
)

// NamingUnittests adds -v to a command that calls Python's unittest, itself or through a module or script
// of the tree, so that each test is named. It returns any other line unchanged.
func NamingUnittests(root fs.FS, line string) string {
	m := pythonCall.FindStringSubmatchIndex(line)
	if m == nil || saysHowMuch.MatchString(line) {
		return line
	}
	of := func(group int) string {
		if m[group] < 0 {
			return ""
		}
		return line[m[group]:m[group+1]]
	}
	if of(2) != "unittest" && !callsUnittest(tree{FS: root}, line, of(2), of(4)) {
		return line
	}
	end := len(strings.TrimRight(line[:m[1]], " "))
	return line[:end] + " -v" + line[end:]
}

// callsUnittest reports whether a module or script of the tree passes its arguments to unittest.
func callsUnittest(t tree, line, module, script string) bool {
	folder := "."
	if cd := cdBefore.FindStringSubmatch(line); cd != nil {
		folder = cd[1]
	}
	file := path.Join(folder, cmp.Or(script, strings.ReplaceAll(module, ".", "/")))
	if script != "" {
		file = strings.TrimSuffix(file, ".py")
	}
	for _, name := range []string{file + ".py", file + "/__main__.py"} {
		if !fs.ValidPath(name) {
			return false
		}
		text := t.readText(name)
		if unittestMain.MatchString(text) && strings.Contains(text, "unittest") &&
			!strings.Contains(text, "argparse") {
			return true
		}
	}
	return false
}

var onePythonCall = regexp.MustCompile(`^python[\d.]* (-m [\w.]+|[\w./-]+\.py)$`)

// unittests returns the command of a line that is one call of a module or script with the tree's own tests.
func (t tree) unittests(line string) (command.Found, bool) {
	m := onePythonCall.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil {
		return command.Found{}, false
	}
	written := "python3 " + m[1]
	naming := NamingUnittests(t.FS, written)
	return command.Found{
		Kind:    "python",
		Runner:  "unittest",
		Line:    naming,
		Written: written,
	}, naming != written
}
