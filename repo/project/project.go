package project

import (
	"io"
	"io/fs"
	"path"
	"strings"
)

// A Project is how a tree is built and tested.
type Project struct {
	Kind  string // go, node, python, rust, make; empty: unknown
	Build string // command line for sh -c; empty: there is nothing to build
	Test  string // command line for sh -c; empty: none was found
}

// TestShown is the test command as people write it.
func (p Project) TestShown() string {
	return strings.Replace(p.Test, "go test -json ", "go test ", 1)
}

// maxManifest is as much of one file as is read to find out.
const maxManifest = 1 << 20

// Find looks for a project at the top of a tree, and where there is none in the single
// folder below that holds one. Of several kinds the first with tests wins; a Makefile
// comes last, since its targets call the others and say less.
func Find(root fs.FS) Project {
	t := tree{root}
	if p := t.find(); p.Kind != "" {
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
		if p := (tree{below}).find(); p.Test != "" {
			found = append(found, p.in(e.Name()))
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
	first := Find(own).in(folder)
	for dir := path.Dir(folder); first.Test == ""; dir = path.Dir(dir) {
		if above, err := fs.Sub(root, dir); err == nil {
			if p := (tree{above}).find(); p.Test != "" || first.Kind == "" {
				first = p.in(dir)
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	return first
}

// in is the project as it is run from the folder above dir.
func (p Project) in(dir string) Project {
	if dir == "." {
		return p
	}
	enter := "cd " + quote(dir) + " && "
	if p.Build != "" {
		p.Build = enter + p.Build
	}
	if p.Test != "" {
		p.Test = enter + p.Test
	}
	return p
}

// quote makes s one word for the shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// A tree is where a project is looked for. It may be anybody's: whatever is not a plain
// file of a sensible size is as good as absent. Questions go to the FS inside, whose own
// Stat does not open what it is asked about: opening a pipe would block for ever.
type tree struct{ fs.FS }

func (t tree) find() Project {
	var first Project
	for _, find := range []func() Project{t.goProject, t.nodeProject, t.pythonProject, t.rustProject, t.makeProject} {
		p := find()
		if p.Test != "" {
			return p
		}
		if first.Kind == "" {
			first = p
		}
	}
	return first
}

func (t tree) has(name string) bool {
	info, err := fs.Stat(t.FS, name)
	return err == nil && info.Mode().IsRegular()
}

// hasDir reports whether there is such a folder.
func (t tree) hasDir(name string) bool {
	info, err := fs.Stat(t.FS, name)
	return err == nil && info.IsDir()
}

// read is a file's text, empty when there is none.
func (t tree) read(name string) string {
	if !t.has(name) {
		return ""
	}
	f, err := t.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxManifest))
	return string(text)
}

func (t tree) goProject() Project {
	switch {
	case t.has("go.work"):
		// ./... means nothing at the top of a workspace.
		all := "$(go list -m -f '{{.Dir}}/...')"
		return Project{Kind: "go", Build: "go build " + all, Test: "go test -json " + all}
	case t.has("go.mod"):
		return Project{Kind: "go", Build: "go build ./...", Test: "go test -json ./..."}
	}
	return Project{}
}

func (t tree) rustProject() Project {
	if !t.has("Cargo.toml") {
		return Project{}
	}
	// Without --no-fail-fast the first failing crate hides what the others say.
	return Project{Kind: "rust", Build: "cargo build", Test: "cargo test --no-fail-fast"}
}

func (t tree) makeProject() Project {
	var text string
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} { // the order in which make looks
		if text = t.read(name); text != "" {
			break
		}
	}
	if text == "" {
		return Project{}
	}
	p, targets := Project{Kind: "make"}, makeTargets(text)
	for _, name := range []string{"build", "all"} {
		if targets[name] {
			p.Build = "make " + name
			break
		}
	}
	for _, name := range []string{"test", "tests", "check"} {
		if targets[name] {
			p.Test = "make " + name
			break
		}
	}
	return p
}

// makeTargets are the targets that a Makefile names: "a b: c", not "a := b".
func makeTargets(text string) map[string]bool {
	targets := map[string]bool{}
	for line := range strings.Lines(text) {
		names, rest, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "\t") || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=") {
			continue
		}
		for _, name := range strings.Fields(names) {
			targets[name] = true
		}
	}
	return targets
}

// glob is the files that match one of the patterns, at most some.
func (t tree) glob(patterns ...string) []string {
	var out []string
	for _, pattern := range patterns {
		found, _ := fs.Glob(t.FS, path.Clean(pattern))
		out = append(out, found...)
	}
	return out[:min(len(out), 200)]
}
