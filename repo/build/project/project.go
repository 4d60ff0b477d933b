package project

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

// A Project holds the commands that build and test a tree.
type Project struct {
	Kind  string // such as go, node, java, cmake, make; empty: unknown
	Build string // command line for sh -c; empty: there is nothing to build
	Test  string // command line for sh -c; empty: none was found
	From  string // the file that names the test command; empty: it follows from the language and layout
	// Written is the test command of the project itself, if Test has additional flags for a reporter that
	// can be read. It runs if Test cannot be counted: tests may read the arguments themselves.
	Written string
	// NearBy is the command for the tests near a change, for sh -c, if somebody has configured it: {files}
	// and {packages} in it stand for what is changed. Empty: it is made from Test.
	NearBy string
}

// forProgram removes the parts of a test command that only this program needs.
var forProgram = strings.NewReplacer("go test -json ", "go test ", nodePrograms, "", phpPrograms, "",
	command.JavaReports, "", " "+command.PHPReport, "", " "+command.CTestReport, "",
	" "+command.DenoReport, "",
	" "+command.BunReport, "",
	" --"+command.MochaReport, "", command.MochaReport, "")

// TestCommand returns the test command as people write it.
func (p Project) TestCommand() string { return forProgram.Replace(p.Test) }

// WrittenCommand returns the project's own test command as people write it.
func (p Project) WrittenCommand() string { return forProgram.Replace(cmp.Or(p.Written, p.Test)) }

// AsWritten returns the project with its own test command.
func (p Project) AsWritten() Project {
	if p.Written != "" {
		p.Test, p.Written = p.Written, ""
	}
	return p
}

// A language is one way to build and test. Each language has a file, and an entry in languages below.
type language struct {
	// Project.Kind
	kind string
	// find reads the top of a tree. It returns the zero Project if the tree is of another language.
	find func(tree) Project
	// code matches the names of its sources. nil means that its tests may be of code in any language.
	code *regexp.Regexp
	// loose languages are known by the names of files, or by a command, and not by a manifest.
	loose bool
	// whole languages test the folders below a project with it.
	whole bool
	// isTest reports whether a file belongs to the tests and not to the tested code; folders are the parts
	// of its path. If it is nil, common names of tests count.
	isTest func(file string, folders []string) bool
	// spliceTests returns the older version of a source file with the tests of the newer one. It applies to
	// files with the suffix; nil means that tests are never in source files.
	spliceTests func(older, newer string) string
	suffix      string
}

// languages are in this order where the amount of code does not decide. A Makefile comes last, because its
// targets call the other tools and say less. Test commands named in any other file come just before it.
var languages = []language{
	golang, node, deno, python, rust, ruby, php, java, dotnet, elixir, perlDist, swift, dart, haskell, zig,
	cmake, meson, autotools, shell, pythonFiles,
	{find: findNamed, loose: true},
	makefile,
}

// languageOf returns the language of a kind, or the zero language for an unknown kind.
func languageOf(kind string) language {
	for _, l := range languages {
		if l.kind == kind {
			return l
		}
	}
	return language{}
}

// findAt looks for a project at the top of a tree only. If there are several, the one with tests of the most
// code counts.
func findAt(t tree) Project {
	for _, p := range t.keepNear().ranked(nil) {
		return p
	}
	return Project{}
}

// code matches the code of projects that may have no tests, by kind; settings matches
// files that only set up a tool.
var (
	code = map[string]*regexp.Regexp{
		"node":   regexp.MustCompile(`\.[cm]?[jt]sx?$`),
		"python": regexp.MustCompile(`\.py$`),
	}
	settings = regexp.MustCompile(`\.config\.[cm]?[jt]s$`)
)

// Find looks for a project at the top of a tree. If there is none, or only a Makefile that neither builds nor
// tests, it returns that of the only folder directly below with a project that has tests. It does so, too,
// below a project that has no build, no tests and no code, such as a package.json for a linter, if the one
// below is of another kind. Code at the top could not be shown by the tests of a folder, and packages of
// one kind are those of the top.
func Find(root fs.FS) Project {
	top := findAt(tree{FS: root})
	if top.Build+top.Test != "" {
		return top
	}
	entries, _ := fs.ReadDir(root, ".")
	var found []Project
	own := code[top.Kind]
	hasCode := false
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || e.Name() == "vendor" {
			continue
		}
		if !e.IsDir() {
			hasCode = hasCode || own != nil && own.MatchString(e.Name()) && !settings.MatchString(e.Name())
			continue
		}
		below, err := fs.Sub(root, e.Name())
		if err != nil {
			continue
		}
		p := findAt(tree{FS: below})
		if p.Test != "" {
			found = append(found, p.runFrom(e.Name()))
		}
		hasCode = hasCode || own != nil && p.Kind == "" && len(tree{FS: below}.findFiles(own)) > 0
	}
	if len(found) == 1 && (own == nil || !hasCode && found[0].Kind != top.Kind) {
		return found[0]
	}
	return top
}

// FindIn returns the project of a folder of a tree, or else that of the nearest folder above it. A project
// with tests comes before a nearer one without.
func FindIn(root fs.FS, folder string) Project {
	folder = path.Clean(folder)
	own, err := fs.Sub(root, folder)
	if err != nil || folder == "." {
		return Find(root)
	}
	first := Find(own).runFrom(folder)
	for dir := path.Dir(folder); first.Test == ""; dir = path.Dir(dir) {
		if above, err := fs.Sub(root, dir); err == nil {
			if p := findAt(tree{FS: above}); p.Test != "" || first.Kind == "" {
				first = p.runFrom(dir)
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	return first
}

// runFrom returns the project with commands that first change to dir.
func (p Project) runFrom(dir string) Project {
	if dir == "." {
		return p
	}
	enter := "cd " + shellQuote(dir) + " && "
	if p.Build != "" {
		p.Build = enter + p.Build
	}
	if p.Test != "" {
		p.Test = enter + p.Test
	}
	if p.Written != "" {
		p.Written = enter + p.Written
	}
	return p
}

// shellQuote quotes s as one word for the shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
