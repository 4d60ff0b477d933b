package project

import (
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxManifest is as much of one file as is read to find out.
const maxManifest = 1 << 20

// A tree is where a project is looked for. It may be anybody's: whatever is not a plain
// file of a sensible size is as good as absent. Questions go to the FS inside, whose own
// Stat does not open what it is asked about: opening a pipe would block for ever.
type tree struct{ fs.FS }

func (t tree) hasFile(name string) bool {
	info, err := fs.Stat(t.FS, name)
	return err == nil && info.Mode().IsRegular()
}

// hasDir reports whether there is such a folder.
func (t tree) hasDir(name string) bool {
	info, err := fs.Stat(t.FS, name)
	return err == nil && info.IsDir()
}

// readText is a file's text, empty when there is none.
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

// globFiles is the files that match one of the patterns, at most some. Only the last part of a
// pattern may stand for several names.
func (t tree) globFiles(patterns ...string) []string {
	var out []string
	for _, pattern := range patterns {
		if dir := path.Dir(pattern); dir != "." && !t.hasDir(dir) {
			continue // a pipe of that name would be opened
		}
		found, _ := fs.Glob(t.FS, path.Clean(pattern))
		out = append(out, found...)
	}
	return out[:min(len(out), 200)]
}

// maxDeep is how many folders down files are looked for, and maxLooked how many names are read.
const (
	maxDeep   = 4
	maxLooked = 20_000
)

// findFiles is the files whose path matches, at most some, those near the top first; folders
// that hold what others wrote are left out.
func (t tree) findFiles(match *regexp.Regexp) []string {
	var out []string
	looked := 0
	_ = fs.WalkDir(t.FS, ".", func(file string, d fs.DirEntry, err error) error {
		if looked++; err != nil || looked > maxLooked {
			return fs.SkipAll
		}
		if d.IsDir() {
			if name := d.Name(); file != "." && (strings.HasPrefix(name, ".") || slices.Contains(foreign, name) || strings.Count(file, "/") >= maxDeep) {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && match.MatchString(file) {
			out = append(out, file)
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return out[:min(len(out), 200)]
}

// foreign are folders of what others wrote.
var foreign = []string{"node_modules", "vendor", "venv", "site-packages", "third_party", "testdata"}
