package project

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// otherTest matches common names of test files in any language.
var otherTest = regexp.MustCompile(
	`(?i:(?:^|/)tests?[-_.][^/]*$|[-_.](?:tests?|spec)\.[a-z0-9]+$)|[a-z0-9]Tests?\.[a-z]+$|\.bats$`)

// IsTest reports whether a file belongs to the tests and not to the tested code.
func IsTest(kind, file string) bool {
	folders := strings.Split(path.Dir(file), "/")
	if l := languageOf(kind); l.isTest != nil {
		return l.isTest(file, folders)
	}
	return strings.HasSuffix(file, "_test.go") || nodeTest.MatchString(file) ||
		pythonTest.MatchString(file) ||
		otherTest.MatchString(file) ||
		containsAny(folders, "test", "tests", "t", "spec", "testdata", "__tests__")
}

// cases match, by kind, the names of files with tests in any folder.
var cases = map[string]*regexp.Regexp{
	"go":     regexp.MustCompile(`_test\.go$`),
	"node":   nodeTest,
	"python": pythonCase,
	"ruby": regexp.MustCompile(`_(?:test|spec)\.rb$|` +
		`(?:^|/)(?:tc_[^/]*|test_(?:[^/h]|h[^/e]|he[^/l])[^/]*)\.rb$`), // not test_helper.rb
	"php":    regexp.MustCompile(`Test\.php$`),
	"java":   regexp.MustCompile(`(?:^|/)(?:\w*(?:Tests?|TestCase)|Test[A-Z]\w*)\.(?:java|kt|scala|groovy)$`),
	"dotnet": dotnetTest,
	"elixir": regexp.MustCompile(`_test\.exs$`),
	"perl":   regexp.MustCompile(`\.t$`),
	"shell":  regexp.MustCompile(`\.bats$`),
	"deno":   regexp.MustCompile(`[._](?:test|spec)\.[cm]?[jt]sx?$`),
	"dart":   regexp.MustCompile(`_test\.dart$`),
	"swift":  regexp.MustCompile(`Tests?\.swift$`),
}

// IsCase reports whether a file holds tests itself, by its name.
func IsCase(kind, file string) bool {
	match := cases[kind]
	return match != nil && match.MatchString(file)
}

// folderBefore matches the change to a folder at the start of a command, and a variable before it.
var folderBefore = regexp.MustCompile(`^(?:export \S+ && )?cd '?([\w./-]+)'? && `)

// start returns the folder that the test command starts in, as far as it can be told, and the rest of the
// command. The folder may be outside the tree.
func (p Project) start() (folder, rest string) {
	folder = "."
	rest = p.Test
	for m := folderBefore.FindStringSubmatch(rest); m != nil; m = folderBefore.FindStringSubmatch(rest) {
		folder = path.Join(folder, m[1])
		rest = rest[len(m[0]):]
	}
	return folder, rest
}

// TestFiles returns the files with tests, by their names, in the folder that the test command starts in. It
// returns none for a language that does not name such files.
func (p Project) TestFiles(root fs.FS) []string {
	match := cases[p.Kind]
	folder, rest := p.start()
	below, err := fs.Sub(root, folder)
	if match == nil || err != nil || strings.HasPrefix(rest, "cd ") {
		return nil
	}
	files := tree{FS: below}.findFiles(match)
	for i, file := range files {
		files[i] = path.Join(folder, file)
	}
	return files
}

// HasTests reports whether a source file may contain its own tests.
func HasTests(kind, file string) bool {
	l := languageOf(kind)
	return l.spliceTests != nil && strings.HasSuffix(file, l.suffix)
}

// SpliceTests returns the older version of a source file with the tests of the newer one. HasTests must
// be true for the file.
func SpliceTests(kind, older, newer string) string {
	return languageOf(kind).spliceTests(older, newer)
}

func containsAny(folders []string, names ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(names, f) })
}

// ownProcess matches a command that runs each file with tests in a process of its own.
var ownProcess = regexp.MustCompile(`(?:^|&& )node --test(?:$| )`)

// SharesProcess reports whether a file of tests may run in one process with other tests that are not new, so
// that it may set what they use. isNew says which files are new.
func (p Project) SharesProcess(root fs.FS, file string, isNew func(file string) bool) bool {
	folder := path.Dir(file)
	switch {
	case p.Kind == "go":
		names, err := fs.Glob(root, path.Join(globQuote.Replace(folder), "*_test.go"))
		return err != nil || slices.ContainsFunc(names, func(name string) bool { return !isNew(name) })
	case p.Kind == "rust":
		return path.Base(folder) != "tests" // each file in it is a program
	case ownProcess.MatchString(p.Test):
		return !nodeTest.MatchString(file) || strings.Contains(p.Test, "isolation=none")
	}
	return true
}

// globQuote quotes what has a meaning in a pattern.
var globQuote = strings.NewReplacer("[", `\[`, "*", `\*`, "?", `\?`)
