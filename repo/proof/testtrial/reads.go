package testtrial

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
)

var (
	// readCall matches a call that reads a file, or asks whether it is there.
	readCall = regexp.MustCompile(`\b(?:` + strings.Join([]string{
		`os\.(?:ReadFile|Open|OpenFile|Stat|Lstat)|ioutil\.ReadFile|fs\.ReadFile|parser\.ParseFile`,
		`open|read_text|read_bytes|exists|is_file|os\.path\.(?:exists|isfile)|os\.access`,
		`readFile|readFileSync|createReadStream|readTextFile|existsSync|accessSync`,
		`File\.(?:read|open|readlines|foreach|exists?\?)|IO\.read|file_get_contents`,
		`include_str!|include_bytes!|read_to_string|fopen|ifstream|FileReader`,
		`Files\.(?:readString|readAllLines|readAllBytes|lines|newBufferedReader|exists)`,
	}, "|") + `)\s*\(`)
	// readCommand matches a command that reads the files that are named after it.
	readCommand = regexp.MustCompile(
		`(?:^|[\s"\'(|;&$])(?:cat|grep|sed|awk|head|tail)["\']?,?\s|\[ -[efs] |\btest -[efs] `)
	// sourceOf matches a call that returns the source of what it is given.
	sourceOf = regexp.MustCompile(`\binspect\.getsource(?:lines)?\s*\(`)
	// runsText matches what runs the text that it was given, in languages whose sources are run so.
	runsText = regexp.MustCompile(`(?:^|[^.\w])(?:eval|exec|execfile)\b|\bvm\.|` +
		`\b(?:instance_eval|class_eval|runpy|JSDOM|runScripts)\b|` +
		`\b(?:compile|Function|addScriptTag|transform(?:Sync)?)\s*\(`)
	// parses matches what takes the values out of a build file.
	parses = regexp.MustCompile(`(?i)json\.|toml|yaml|configparser|xml`)
	// assigned matches a variable that gets a value in this line.
	assigned = regexp.MustCompile(`\b(\w+)\s*(?::[\w\s]+)?:?=[^=]`)
)

// maxStatement is how many lines are read together as one statement.
const maxStatement = 5

// A citedFile is a file that no test should open.
type citedFile struct {
	path   string
	marker bool // a new file that nothing but a test names
	name   *regexp.Regexp
}

// readers returns the tests whose added lines open a file of the fix, or a new file that no code names.
func (x *trialRun) readers(hunks []diff.Hunk) (out []proof.RejectedTest) {
	cited := x.citedFiles()
	texts := map[string][]string{} // the added lines of each test file
	for _, h := range hunks {
		if !project.IsTest(x.Project.Kind, h.Path) {
			continue
		}
		for line := range strings.Lines(h.Text) {
			if added, ok := strings.CutPrefix(line, "+"); ok {
				texts[h.Path] = append(texts[h.Path], strings.TrimRight(added, "\n"))
			}
		}
	}
	for _, c := range x.changes {
		lines := texts[c.Path]
		if i, what := findReader(c.Path, lines, cited); i >= 0 {
			out = append(out, proof.RejectedTest{Name: x.testAt(lines[:i+1], c.Path), Why: what, Do: runCode})
		}
	}
	return out
}

// citedFiles returns the sources and build files that the change touches, and its new files that are named
// nowhere but in tests.
func (x *trialRun) citedFiles() (out []citedFile) {
	for _, c := range x.changes {
		if c.Kind == "deleted" || project.IsTest(x.Project.Kind, c.Path) || c.IsDocument() {
			continue
		}
		source := commentOf(c.Path) != nil || path.Base(c.Path) == "package.json"
		if !source && (c.Kind != "added" || c.IsBesideCode() || x.named(path.Base(c.Path))) {
			continue
		}
		out = append(out, citedFile{path: c.Path, marker: !source, name: nameIn(c.Path)})
	}
	return out
}

// nameIn returns an expression that matches the name of a file in a literal or a command.
func nameIn(file string) *regexp.Regexp {
	name := regexp.QuoteMeta(path.Base(file))
	return regexp.MustCompile(`(?:^|["\'/\x60\s(=])` + name + `(?:["\'\x60\s);|,]|$)`)
}

// maxNaming is how many files are searched for the name of another.
const maxNaming = 5000

// named reports whether a file of the branch that is no test has the name in its text.
func (x *trialRun) named(name string) (found bool) {
	files := x.Work.FS()
	searched := 0
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case found || searched == maxNaming:
			return fs.SkipAll
		case err != nil || !entry.Type().IsRegular() || project.IsTest(x.Project.Kind, file):
			return err
		}
		searched++
		text, _, err := readSource(x.Work.Root(), file)
		found = strings.Contains(text, name)
		return err
	})
	return found || err != nil || searched == maxNaming // what could not be searched may name it
}

// findReader returns the index of the first line that opens one of the files, and what to say of it. It
// returns -1 if there is none.
func findReader(file string, lines []string, cited []citedFile) (int, string) {
	text := strings.Join(lines, "\n")
	if path.Ext(file) != ".go" && path.Ext(file) != ".rs" && runsText.MatchString(text) {
		return -1, ""
	}
	variables := map[string]citedFile{}
	for i := range lines {
		statement := statementAt(lines, i)
		if sourceOf.MatchString(lines[i]) {
			return i, "reads the source of what it should run"
		}
		for _, c := range cited {
			if !c.name.MatchString(lines[i]) {
				continue
			}
			if m := assigned.FindStringSubmatch(lines[i]); m != nil && !readCall.MatchString(lines[i]) {
				variables[m[1]] = c
			}
		}
		if !readCall.MatchString(lines[i]) {
			at := readCommand.FindStringIndex(lines[i])
			if at == nil {
				continue
			}
			statement = statement[at[0]:]
		}
		switch c, ok := citedIn(statement, cited, variables); {
		case !ok:
		case c.marker:
			return i, fmt.Sprintf("looks for %s, which the change only adds and no code names", c.path)
		case commentOf(c.path) != nil || !parses.MatchString(statement):
			return i, fmt.Sprintf("reads %s instead of running it", c.path)
		}
	}
	return -1, ""
}

// statementAt returns the line with those after it up to the end of its brackets.
func statementAt(lines []string, i int) string {
	statement := lines[i]
	for _, line := range lines[i+1 : min(i+maxStatement, len(lines))] {
		if strings.Count(statement, "(") <= strings.Count(statement, ")") {
			break
		}
		statement += "\n" + line
	}
	return statement
}

func citedIn(statement string, cited []citedFile, variables map[string]citedFile) (citedFile, bool) {
	for _, c := range cited {
		if c.name.MatchString(statement) {
			return c, true
		}
	}
	for name, c := range variables {
		if regexp.MustCompile(`\b` + name + `\b`).MatchString(statement) {
			return c, true
		}
	}
	return citedFile{}, false
}

// testAt returns the test of the change whose name was written last in these lines, or else the file.
func (x *trialRun) testAt(lines []string, file string) string {
	for _, line := range slices.Backward(lines) {
		for _, label := range x.Proof.NewTests {
			own := regexp.QuoteMeta(label[strings.LastIndexAny(label, " >/")+1:])
			if strings.Contains(line, label) || regexp.MustCompile(`\b`+own+`\b`).MatchString(line) {
				return label
			}
		}
	}
	return file
}
