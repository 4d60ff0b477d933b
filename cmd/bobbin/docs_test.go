package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tour is the document that follows a message through all packages.
const tour = "workflow/doc.go"

// guides returns the documents that describe the source.
func guides(t *testing.T, tree fs.FS) []string {
	docs, err := fs.Glob(tree, "docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, docs)
	below, err := fs.Glob(tree, "docs/*/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, below)
	return append(slices.Concat(docs, below), tour, "README.md", "CONTRIBUTING.md", "SECURITY.md",
		"cmd/bobbin/testdata/script/README.md")
}

// TestPathsInGuidesExist checks that each Go file and folder that the guides and the package comments name
// exists, and that each test command in them matches tests.
func TestPathsInGuidesExist(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	tests := readTests(t, tree)
	for _, name := range guides(t, tree) {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		assert.Empty(t, deadReferences(tree, tests, name, string(text)), name)
	}
	for folder, comment := range packageComments(t, tree) {
		gone := slices.Concat(deadReferences(tree, tests, folder+"/doc.go", comment),
			deadPackages(tree, tests, folder, comment))
		assert.Empty(t, gone, "the package comment of %s", folder)
	}
	dead := deadReferences(tree, tests, "README.md",
		"workflow/turn/place_that_was.go, `workflow/gone`, [x](docs/gone.md), "+
			"`go test ./cmd/bobbin -run 'Layers\\|NoSuchTest'`, `TestNoSuch`")
	require.Equal(t, []string{
		"workflow/turn/place_that_was.go", "workflow/gone", "docs/gone.md",
		"go test ./cmd/bobbin -run NoSuchTest", "TestNoSuch",
	}, dead, "the control")
	files := "claim.go, worker/claim.go, poster.go, judge/poster.go, phase.go, bot/poster"
	require.Equal(t, []string{"judge/poster.go"}, deadReferences(tree, tests, tour, files))
	require.Equal(t, []string{"claim.go", "worker/claim.go", "judge/poster.go"},
		deadReferences(tree, tests, "README.md", files), "the control")
	comment := "Package judge follows turn/gone and repo/git/away/x.go, as docs/gone.md says.\n\n" +
		"  - worker: runs\n  - doctor, knows: find\n\nSee package gone, package judge; this package says. " +
		"go ahead/stop, dir/files, testdata/script"
	dead = deadPackages(tree, tests, "cmd/bobbin", comment)
	require.Equal(t,
		[]string{"turn/gone", "repo/git/away/x.go", "docs/gone.md", "package gone", "package knows"},
		dead, "the control")
}

// TestStoryCommandsAreDocumented checks that the README of the stories has a row for each command, and no
// other, and that its list of options has each option of stage.
func TestStoryCommandsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/script/README.md")
	require.NoError(t, err)
	documented := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		row, isRow := strings.CutPrefix(line, "| `")
		names, _, ok := strings.Cut(row, "` | ")
		if !isRow || !ok {
			continue
		}
		for name := range strings.SplitSeq(names, "`, `") {
			name, _, _ = strings.Cut(name, " ")
			documented[name] = true
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(storyCommands())),
		slices.Collect(maps.Keys(documented)))
	_, options, found := strings.Cut(string(text), "\n## The options of a stage\n")
	require.True(t, found)
	for _, option := range slices.Concat(stageOptions, filesOptions, hostOptions, commitOptions) {
		require.Regexp(t, "(?m)^- .*`"+regexp.QuoteMeta(option)+"`.*:", options)
	}
}

var (
	webAddress  = regexp.MustCompile(`https?://[^\s)>]+`)
	namedFile   = regexp.MustCompile(`[\w./-]*\w+\.go\b`)
	anyPath     = regexp.MustCompile(`[\w.-]+(?:/[\w.-]+)+`)
	namedFolder = regexp.MustCompile("`((?:bot|cmd|deploy|docs|migrations|repo|workflow)/[\\w./-]+)`")
	namedPage   = regexp.MustCompile(`\]\(([\w./-]+\.(?:md|go))`)
	namedTests  = regexp.MustCompile("go test (?:[^`]*?)((?:\\./[\\w./]+ ?)+)(?:-run '?([^'`\\s]+)'?)?")
	namedTest   = regexp.MustCompile("`(Test\\w+)`")
	placeholder = regexp.MustCompile(`NAME|KIND|^money/`) // the folder money is in the demo's shop
	example     = regexp.MustCompile(`(?m)^\t.*$`)
	listedRooms = regexp.MustCompile(`(?m)^\s*- ([a-z]\w*(?:, [a-z]\w*)*): `)
	bareFolder  = regexp.MustCompile(
		`(?:^|[\s("])((?:bot|cmd|deploy|docs|migrations|repo|store|turn|workflow)/[\w./-]*\w)`)
	namedPackage = regexp.MustCompile(`(?:\b(\w+)\s+)?\b[Pp]ackage\s+([a-z]\w*)`)
	testName     = regexp.MustCompile(`(?m)^func (Test\w+|Fuzz\w+)\(`)
)

// verbs are words that follow "package" in a sentence and are no name.
var verbs = []string{"has", "lacks", "managers", "of", "that"}

// determiners are words before "package" after which no name follows, but a verb or the like.
var determiners = []string{
	"a", "another", "any", "each", "every", "no", "other", "own", "that", "the", "this",
}

// deadReferences lists the paths and tests that a document names and that do not exist in the tree. A path
// may be relative to the document, the top, docs, workflow or workflow/turn.
func deadReferences(tree fs.FS, all testsByFile, doc, text string) (dead []string) {
	text = webAddress.ReplaceAllString(text, "")
	near := all.near(tree, doc, text)
	exists := func(name string) bool {
		_, found := statBelow(tree, name)
		_, err := fs.Stat(tree, path.Join(path.Dir(doc), name))
		return found || err == nil || slices.ContainsFunc(near, func(file string) bool {
			return strings.HasSuffix("/"+file, "/"+name)
		})
	}
	for _, form := range []*regexp.Regexp{namedFile, namedFolder, namedPage} {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			name := m[len(m)-1]
			if placeholder.MatchString(name) || exists(strings.TrimSuffix(name, "/")) {
				continue
			}
			dead = append(dead, name)
		}
	}
	for _, m := range namedTests.FindAllStringSubmatch(text, -1) {
		var tests []string
		for _, room := range strings.Fields(m[1]) {
			tests = append(tests, all.below(room)...)
		}
		first, _, _ := strings.Cut(strings.ReplaceAll(m[2], `\|`, "|"), "/")
		for _, word := range strings.Split(first, "|") {
			pattern, err := regexp.Compile(word)
			if word == "…" { // any of the tests that the text names by themselves
				continue
			}
			if err != nil || !pattern.MatchString(strings.Join(tests, "\n")) || len(tests) == 0 {
				dead = append(dead, "go test "+strings.TrimSpace(m[1])+" -run "+word)
			}
		}
	}
	everywhere := strings.Join(all.below("./..."), "\n")
	for _, m := range namedTest.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(everywhere, m[1]) {
			dead = append(dead, m[1])
		}
	}
	return dead
}

// statBelow finds a path that is relative to the top, docs, workflow or workflow/turn.
func statBelow(tree fs.FS, name string) (at string, found bool) {
	for _, below := range []string{".", "docs", "workflow", "workflow/turn"} {
		at = path.Join(below, name)
		if _, err := fs.Stat(tree, at); err == nil {
			return at, true
		}
	}
	return "", false
}

// near returns the Go files that a document may name by their last folder and name, or by their name alone:
// those in folders that it names, those below a package whose comment it is, and for the tour, the rooms of
// a turn.
func (t testsByFile) near(tree fs.FS, doc, text string) (files []string) {
	folders := map[string]bool{}
	for _, name := range anyPath.FindAllString(text, -1) {
		at, found := statBelow(tree, strings.Trim(name, "./"))
		if found && strings.HasSuffix(at, ".go") {
			at = path.Dir(at)
		}
		folders[at] = found
	}
	for file := range t {
		home := path.Dir(doc)
		own := strings.HasSuffix(doc, ".go") && path.Dir(file) == home
		switch {
		case doc == tour:
			own = own || strings.HasPrefix(file, "workflow/turn/internal/")
		case strings.HasSuffix(doc, ".go"):
			own = strings.HasPrefix(file, home+"/")
		}
		if own || folders[path.Dir(file)] {
			files = append(files, file)
		}
	}
	return files
}

// packageComments returns the package comment of each folder, without its indented examples.
func packageComments(t *testing.T, tree fs.FS) map[string]string {
	comments := map[string]string{}
	for _, name := range sources(t, tree) {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text,
			parser.PackageClauseOnly|parser.ParseComments)
		require.NoError(t, err)
		if file.Doc != nil {
			comments[path.Dir(name)] += example.ReplaceAllString(file.Doc.Text(), "")
		}
	}
	require.NotEmpty(t, comments)
	return comments
}

// deadPackages lists the paths that a package comment names without quotes, and the packages that it lists
// as "- name: what it does", that do not exist. A path may be relative to the top, to workflow or to the
// package's own folder.
func deadPackages(tree fs.FS, all testsByFile, folder, comment string) (dead []string) {
	for _, m := range bareFolder.FindAllStringSubmatch(webAddress.ReplaceAllString(comment, ""), -1) {
		exists := slices.ContainsFunc([]string{".", "workflow", folder}, func(below string) bool {
			_, err := fs.Stat(tree, path.Join(below, m[1]))
			return err == nil
		})
		if !exists && !placeholder.MatchString(m[1]) {
			dead = append(dead, m[1])
		}
	}
	packages := map[string]bool{}
	for name := range all {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			packages[path.Base(dir)] = true // also a folder that only holds others
		}
	}
	for _, m := range namedPackage.FindAllStringSubmatch(comment, -1) {
		if !slices.Contains(determiners, strings.ToLower(m[1])) && !slices.Contains(verbs, m[2]) &&
			!packages[m[2]] {
			dead = append(dead, "package "+m[2])
		}
	}
	for _, m := range listedRooms.FindAllStringSubmatch(comment, -1) {
		for listed := range strings.SplitSeq(m[1], ", ") {
			if !packages[listed] {
				dead = append(dead, "package "+listed)
			}
		}
	}
	return dead
}

// A testsByFile holds the names of the tests of each Go file, by the file's path.
type testsByFile map[string][]string

func readTests(t *testing.T, tree fs.FS) testsByFile {
	all := testsByFile{}
	for _, name := range sources(t, tree) {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		all[name] = nil
		for _, m := range testName.FindAllSubmatch(text, -1) {
			all[name] = append(all[name], string(m[1]))
		}
	}
	return all
}

// below returns the names of the tests of a package, or with /... also of the packages below it, in
// the form that go test takes.
func (t testsByFile) below(room string) (names []string) {
	top := strings.TrimPrefix(strings.TrimSuffix(room, "/..."), "./")
	for name, tests := range t {
		dir := path.Dir(name)
		below := strings.HasSuffix(room, "/...") && (top == "." || strings.HasPrefix(dir, top+"/"))
		if dir == top || below {
			names = append(names, tests...)
		}
	}
	return names
}
