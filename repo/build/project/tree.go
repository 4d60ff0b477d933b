package project

import (
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxManifest is the most bytes of a file that are read.
const maxManifest = 1 << 20

// A tree is the file system in which a project is searched. It may be hostile: anything but a plain file
// counts as absent. Stat is called on the FS inside, because its Stat does not open the file: opening a
// pipe would block for ever.
type tree struct {
	fs.FS
	listed *[]string // what listFiles returns; nil: not read yet
	near   *[]string // what list(maxDeep) returned; nil: it is not kept
}

// newTree returns a tree whose files are listed once.
func newTree(root fs.FS) tree {
	t := tree{FS: root}
	files := t.listFiles()
	t.listed = &files
	return t
}

// below returns a folder of the tree.
func (t tree) below(folder string) (tree, error) {
	root, err := fs.Sub(t.FS, folder)
	if t.listed == nil || folder == "." || err != nil {
		return tree{FS: root, listed: t.listed}, err
	}
	var files []string
	for _, file := range *t.listed {
		if inside, ok := strings.CutPrefix(file, folder+"/"); ok {
			files = append(files, inside)
		}
	}
	return tree{FS: root, listed: &files}, nil
}

func (t tree) hasFile(name string) bool {
	info, err := fs.Stat(t.FS, name)
	return err == nil && info.Mode().IsRegular()
}

// hasDir reports whether the folder exists.
func (t tree) hasDir(name string) bool {
	info, err := fs.Stat(t.FS, name)
	return err == nil && info.IsDir()
}

// readText returns the first maxManifest bytes of a file, or an empty string if the file does not exist.
func (t tree) readText(name string) string {
	if !t.hasFile(name) {
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

// globFiles returns at most 200 files that match one of the patterns. Only the last element of a pattern
// may contain wildcards.
func (t tree) globFiles(patterns ...string) []string {
	var out []string
	for _, pattern := range patterns {
		if dir := path.Dir(pattern); dir != "." && !t.hasDir(dir) {
			continue // Glob would open a pipe of that name
		}
		found, _ := fs.Glob(t.FS, path.Clean(pattern))
		out = append(out, found...)
	}
	return out[:min(len(out), 200)]
}

// maxDeep is the most folders in a path that is searched, maxLooked the most names that are read.
const (
	maxDeep   = 4
	maxLooked = 20_000
)

// findFiles returns at most 200 files whose path matches, those near the top first. Folders of third-party
// files are skipped.
func (t tree) findFiles(match *regexp.Regexp) []string {
	var out []string
	for _, file := range t.listNear() {
		if match.MatchString(file) {
			out = append(out, file)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return out[:min(len(out), 200)]
}

// keepNear returns a tree whose files near the top are listed once for all languages.
func (t tree) keepNear() tree {
	t.near = new([]string)
	return t
}

func (t tree) listNear() []string {
	if t.near == nil {
		return t.list(maxDeep)
	}
	if *t.near == nil {
		*t.near = t.list(maxDeep)
	}
	return *t.near
}

// listFiles returns the plain files of the tree, without those in hidden folders and in folders of
// third-party files, after at most maxLooked names.
func (t tree) listFiles() []string { return t.list(maxLooked) }

// list is listFiles for the files in at most depth folders.
func (t tree) list(depth int) (out []string) {
	if t.listed != nil {
		for _, file := range *t.listed {
			if strings.Count(file, "/") <= depth {
				out = append(out, file)
			}
		}
		return out
	}
	looked := 0
	_ = fs.WalkDir(t.FS, ".", func(file string, d fs.DirEntry, err error) error {
		switch looked++; {
		case err != nil || looked > maxLooked:
			return fs.SkipAll
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") ||
			slices.Contains(foreign, d.Name()) || strings.Count(file, "/") >= depth):
			return fs.SkipDir
		case d.Type().IsRegular():
			out = append(out, file)
		}
		return nil
	})
	return out
}

// foreign are the names of folders with third-party files.
var foreign = []string{"node_modules", "vendor", "venv", "site-packages", "third_party", "testdata"}
