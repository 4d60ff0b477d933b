package main

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// guides returns the documents that describe the source.
func guides(t *testing.T, tree fs.FS) []string {
	docs, err := fs.Glob(tree, "docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, docs)
	return append(docs, "workflow/doc.go", "README.md", "CONTRIBUTING.md", "SECURITY.md", "cmd/bobbin/testdata/script/README.md")
}

// TestPathsInGuidesExist checks that each Go file and folder that the guides name exists, and that each
// test command in them matches tests.
func TestPathsInGuidesExist(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	tests := readTests(t, tree)
	for _, name := range guides(t, tree) {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		require.Empty(t, deadReferences(tree, tests, string(text)), name)
	}
	dead := deadReferences(tree, tests, "workflow/turn/place_that_was.go, `workflow/gone`, [x](docs/gone.md), `go test ./cmd/bobbin -run 'Layers\\|NoSuchTest'`, `TestNoSuch`")
	require.Equal(t, []string{"workflow/turn/place_that_was.go", "workflow/gone", "docs/gone.md", "go test ./cmd/bobbin -run NoSuchTest", "TestNoSuch"}, dead, "the control")
}

// TestStoryCommandsAreDocumented checks that the README of the stories has a row for each command, and no
// other, and that the row of stage names each option.
func TestStoryCommandsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/script/README.md")
	require.NoError(t, err)
	documented := map[string]string{} // the description, by command
	for line := range strings.Lines(string(text)) {
		row, isRow := strings.CutPrefix(line, "| `")
		names, described, ok := strings.Cut(row, "` | ")
		if !isRow || !ok {
			continue
		}
		for name := range strings.SplitSeq(names, "`, `") {
			name, _, _ = strings.Cut(name, " ")
			documented[name] = described
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(storyCommands())), slices.Collect(maps.Keys(documented)))
	for _, option := range slices.Concat(stageOptions, filesOptions, hostOptions) {
		require.Contains(t, documented["stage"], "`"+option+"`")
	}
}

var (
	webAddress  = regexp.MustCompile(`https?://[^\s)>]+`)
	namedFile   = regexp.MustCompile(`[\w./-]*\w+\.go\b`)
	namedFolder = regexp.MustCompile("`((?:bot|cmd|deploy|docs|migrations|repo|workflow)/[\\w./-]+)`")
	namedPage   = regexp.MustCompile(`\]\(([\w./-]+\.(?:md|go))`)
	namedTests  = regexp.MustCompile("go test (?:[^`]*?)((?:\\./[\\w./]+ ?)+)(?:-run '?([^'`\\s]+)'?)?")
	namedTest   = regexp.MustCompile("`(Test\\w+)`")
	placeholder = regexp.MustCompile(`NAME|KIND|^money/`) // the folder money is in the demo's shop
	testName    = regexp.MustCompile(`(?m)^func (Test\w+|Fuzz\w+)\(`)
)

// deadReferences lists the paths and tests that text names and that do not exist in the tree. A path may be
// relative to the top, docs, workflow or workflow/turn; a name without a folder, or with the one of its package
// alone, may be in any folder.
func deadReferences(tree fs.FS, all testsByFile, text string) (dead []string) {
	text = webAddress.ReplaceAllString(text, "")
	bases := map[string]bool{}
	for name := range all {
		bases[path.Base(name)] = true
		bases[path.Join(path.Base(path.Dir(name)), path.Base(name))] = true
	}
	exists := func(name string) bool {
		for _, below := range []string{".", "docs", "workflow", "workflow/turn"} {
			if _, err := fs.Stat(tree, path.Join(below, name)); err == nil {
				return true
			}
		}
		return bases[name]
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
func (all testsByFile) below(room string) (names []string) {
	top := strings.TrimPrefix(strings.TrimSuffix(room, "/..."), "./")
	for name, tests := range all {
		dir := path.Dir(name)
		if below := strings.HasSuffix(room, "/...") && (top == "." || strings.HasPrefix(dir, top+"/")); dir == top || below {
			names = append(names, tests...)
		}
	}
	return names
}
