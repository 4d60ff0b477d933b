package project

import (
	"cmp"
	"io/fs"
	"path"
	"strings"

	"github.com/bobbinhq/bobbin/repo/project/command"
)

// A Project is how a tree is built and tested.
type Project struct {
	Kind  string // go, node, python, rust, make; empty: unknown
	Build string // command line for sh -c; empty: there is nothing to build
	Test  string // command line for sh -c; empty: none was found
	From  string // the file that names the test command; empty: the language and the layout do
	// Written is the test command as the project has it, where Test has more for a reporter that
	// is read. It is run where Test cannot be counted: tests may read the arguments themselves.
	Written string
}

// forProgram is what stands in a test command for this program alone.
var forProgram = strings.NewReplacer("go test -json ", "go test ", nodePrograms, "", " --"+command.MochaReport, "", command.MochaReport, "")

// TestShown is the test command as people write it.
func (p Project) TestShown() string { return forProgram.Replace(p.Test) }

// WrittenShown is the test command as the project has it, as people write it.
func (p Project) WrittenShown() string { return forProgram.Replace(cmp.Or(p.Written, p.Test)) }

// AsWritten is the project with the test command as it has it.
func (p Project) AsWritten() Project {
	if p.Written != "" {
		p.Test, p.Written = p.Written, ""
	}
	return p
}

// A language is one way to build and test. Each has a file of its own, and a line in the table
// below.
type language struct {
	kind string // Project.Kind
	// find looks at the top of a tree; the zero Project where it is of another language.
	find func(tree) Project
	// isTest reports whether a file belongs to the tests rather than to what they test; folders
	// are those that it is in. Nil: by the names that tests have anywhere.
	isTest func(file string, folders []string) bool
	// spliceTests puts the tests that a source file of the suffix holds in the place of those
	// in its older version; nil: tests are in files of their own.
	spliceTests func(older, newer string) string
	suffix      string
}

// languages in the order in which they are asked for: a Makefile comes last, since its targets
// call the others and say less, and before it what any file names.
var languages = []language{golang, node, python, rust, {find: findNamed}, makefile}

// languageOf is the language of a kind; the zero one for an unknown kind.
func languageOf(kind string) language {
	for _, l := range languages {
		if l.kind == kind {
			return l
		}
	}
	return language{}
}

// findAt looks for a project at the top of a tree alone. Of several the first with tests wins.
func findAt(t tree) Project {
	var first Project
	for _, l := range languages {
		p := l.find(t)
		if p.Test != "" {
			return p
		}
		if first.Kind == "" {
			first = p
		}
	}
	return first
}

// Find looks for a project at the top of a tree, and where there is none in the single
// folder below that holds one.
func Find(root fs.FS) Project {
	if p := findAt(tree{root}); p.Kind != "" {
		return p
	}
	entries, _ := fs.ReadDir(root, ".")
	var found []Project
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || e.Name() == "vendor" {
			continue
		}
		below, err := fs.Sub(root, e.Name())
		if err != nil {
			continue
		}
		if p := findAt(tree{below}); p.Test != "" {
			found = append(found, p.runFrom(e.Name()))
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return Project{}
}

// FindIn looks for the project that a folder of a tree is of: its own, or else that of the
// nearest folder above it. One with tests goes before a nearer one without.
func FindIn(root fs.FS, folder string) Project {
	folder = path.Clean(folder)
	own, err := fs.Sub(root, folder)
	if err != nil || folder == "." {
		return Find(root)
	}
	first := Find(own).runFrom(folder)
	for dir := path.Dir(folder); first.Test == ""; dir = path.Dir(dir) {
		if above, err := fs.Sub(root, dir); err == nil {
			if p := findAt(tree{above}); p.Test != "" || first.Kind == "" {
				first = p.runFrom(dir)
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	return first
}

// runFrom is the project as it is run from the folder above dir.
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

// shellQuote makes s one word for the shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
