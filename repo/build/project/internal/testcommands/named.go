package testcommands

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Command is a test command that a file names.
type Command struct {
	Line string // for sh -c
	From string // the file
}

// A Source is a file that may name commands.
type Source struct {
	File string
	read func(text string) []string
}

// Sources are tried in this order: files that are only about tests come before those that also run other
// things.
var Sources = []Source{
	{"tox.ini", readTox},
	{"noxfile.py", readNox},
	{"pyproject.toml", readPyproject},
	{"setup.cfg", readTox},
	{"justfile", readRecipes},
	{"Justfile", readRecipes},
	{".justfile", readRecipes},
	{"GNUmakefile", readRecipes},
	{"makefile", readRecipes},
	{"Makefile", readRecipes},
	{"Taskfile.yml", readTaskfile},
	{"Taskfile.yaml", readTaskfile},
}

// Workflow returns the Source for a file of the CI.
func Workflow(file string) Source {
	switch {
	case strings.HasSuffix(file, "Jenkinsfile"):
		return Source{file, readJenkinsfile}
	case strings.Contains(file, "workflows/"):
		return Source{file, readWorkflow}
	}
	return Source{file, readPipeline}
}

// IsMakefile reports whether make reads the file.
func (s Source) IsMakefile() bool { return strings.HasSuffix(strings.ToLower(s.File), "makefile") }

// Commands returns the commands that the file's text names, in order, at most maxCommands.
func (s Source) Commands(text string) []Command {
	var out []Command
	for _, line := range s.read(text) {
		if line = strings.TrimSpace(line); line != "" && len(out) < maxCommands {
			out = append(out, Command{Line: line, From: s.File})
		}
	}
	return out
}

// maxCommands is the most commands of one file that are used.
const maxCommands = 100

var (
	section  = regexp.MustCompile(`^\[+([^\]]+)\]+\s*$`)
	setting  = regexp.MustCompile(`^([\w.\-]+)\s*=\s*(.*)$`)
	posargs  = regexp.MustCompile(`\{\[?(?:posargs|args)(?::([^{}]*))?\}`)
	toxInner = regexp.MustCompile(`\{\[[^{}]*\}|\{env:[^{}]*\}`)
)

// readTox reads the commands of the sections whose names begin with testenv in an ini file.
func readTox(text string) []string {
	var out []string
	in := ""
	listing := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if m := section.FindStringSubmatch(trimmed); m != nil {
			in = m[1]
			listing = false
			continue
		}
		if strings.HasPrefix(trimmed, "#") || !strings.HasPrefix(in, "testenv") ||
			strings.Contains(in, "lint") || strings.Contains(in, "docs") {
			continue
		}
		if m := setting.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			if listing = m[1] == "commands"; listing {
				out = append(out, toxLine(m[2]))
			}
			continue
		}
		if listing {
			out = append(out, toxLine(trimmed))
		}
	}
	return out
}

// toxLine returns a command as tox runs it without arguments, or an empty string if it depends on other
// settings.
func toxLine(line string) string {
	if before, after, ok := strings.Cut(line, ": "); ok && !strings.Contains(before, " ") {
		line = after // the part before the colon limits the line to some environments
	}
	line = strings.TrimLeft(line, "-! ")
	line = posargs.ReplaceAllString(line, "$1")
	line = strings.NewReplacer("{toxinidir}", ".", "{tox_root}", ".", "{envpython}", "python3",
		"{envbindir}/", "", `\`, "").Replace(line)
	if toxInner.MatchString(line) || strings.Contains(line, "{") {
		return ""
	}
	return line
}

var (
	noxRun = regexp.MustCompile(`(?s)session\.run\(([^)]*)\)`)
	quoted = regexp.MustCompile(`"([^"\n]*)"|'([^'\n]*)'`)
	option = regexp.MustCompile(`\b\w+\s*=\s*(?:\{[^}]*\}|[^,)]*)`)
)

// readNox reads the commands that the sessions of a noxfile run.
func readNox(text string) []string {
	var out []string
	for _, m := range noxRun.FindAllStringSubmatch(text, -1) {
		var words []string
		for _, q := range quoted.FindAllStringSubmatch(option.ReplaceAllStringFunc(m[1],
			func(s string) string {
				if strings.ContainsAny(s, `"'`) && !strings.HasPrefix(strings.TrimSpace(s), "env") {
					return s // part of an argument such as "--x=y"
				}
				return ""
			}), -1) {
			words = append(words, q[1]+q[2])
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

var (
	testName = regexp.MustCompile(
		`^(?:unit[-_]?)?(?:tests?|check|pytest|unittest)(?:[-_:](?:unit|all|py|suite))?$`)
	tomlString = regexp.MustCompile(`^\{?\s*(?:cmd\s*=\s*|shell\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|'([^']*)')`)
)

// readPyproject reads the scripts of hatch, poe, pdm and similar tools, and returns pytest if it is
// configured.
func readPyproject(text string) []string {
	var out []string
	in := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if m := section.FindStringSubmatch(trimmed); m != nil {
			in = m[1]
			if strings.HasPrefix(in, "tool.pytest") {
				out = append(out, "pytest")
			}
			continue
		}
		m := setting.FindStringSubmatch(trimmed)
		if m == nil || !strings.HasPrefix(in, "tool.") || !strings.Contains(in, "scripts") &&
			!strings.Contains(in, "tasks") || !testName.MatchString(m[1]) {
			continue
		}
		if v := tomlString.FindStringSubmatch(m[2]); v != nil {
			out = append(out, toxLine(v[1]+v[2]))
		}
	}
	return out
}

var recipe = regexp.MustCompile(`^@?([\w.\-]+)[^:=]*:(?:([^=].*)|$)`)

// builds matches the prerequisites that a test target may have. Its recipe can then be used alone, because
// a project is built before it is tested.
var builds = regexp.MustCompile(`^(?:\s|build|all|deps|install|compile|##.*)*$`)

// readRecipes reads the recipes of the test targets of a Makefile or a justfile.
func readRecipes(text string) []string {
	var out []string
	testing := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  "):
			if line = strings.TrimLeft(strings.TrimSpace(line),
				"@-+"); testing && !strings.Contains(line, "$(") && !strings.Contains(line, "${") {
				out = append(out, strings.ReplaceAll(justArguments.ReplaceAllString(line, ""), "$$", "$"))
			}
		case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#"):
			m := recipe.FindStringSubmatch(line)
			testing = m != nil && testName.MatchString(m[1]) && builds.MatchString(m[2])
		}
	}
	return out
}

var justArguments = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// readTaskfile reads the commands of the test tasks.
func readTaskfile(text string) []string {
	var file struct {
		Tasks map[string]struct {
			Cmds []any  `yaml:"cmds"`
			Cmd  string `yaml:"cmd"`
			Dir  string `yaml:"dir"`
		} `yaml:"tasks"`
	}
	if yaml.Unmarshal([]byte(text), &file) != nil {
		return nil
	}
	var out []string
	for _, name := range []string{"test", "tests", "unit-test", "test:unit", "check"} {
		task := file.Tasks[name]
		for _, cmd := range append(task.Cmds, task.Cmd) {
			if m, ok := cmd.(map[string]any); ok {
				cmd = m["cmd"]
			}
			line, _ := cmd.(string)
			if line = justArguments.ReplaceAllString(line, ""); task.Dir != "" && line != "" {
				line = "cd '" + strings.ReplaceAll(task.Dir, "'", "") + "' && " + line
			}
			out = append(out, line)
		}
	}
	return out
}

// readWorkflow reads the commands of the steps of a GitHub workflow.
func readWorkflow(text string) []string {
	type step struct {
		Run    string `yaml:"run"`
		Folder string `yaml:"working-directory"`
	}
	var file struct {
		Jobs map[string]struct {
			Steps []step `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if yaml.Unmarshal([]byte(text), &file) != nil {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(file.Jobs)) {
		for _, s := range file.Jobs[name].Steps {
			out = append(out, scriptLines(s.Run, s.Folder)...)
		}
	}
	return out
}
