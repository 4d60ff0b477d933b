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
type tree struct{ fs.FS }

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

// foreign are the names of folders with third-party files.
var foreign = []string{"node_modules", "vendor", "venv", "site-packages", "third_party", "testdata"}
