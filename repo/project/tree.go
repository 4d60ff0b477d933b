package project

import (
	"io"
	"io/fs"
	"path"
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

// globFiles is the files that match one of the patterns, at most some.
func (t tree) globFiles(patterns ...string) []string {
	var out []string
	for _, pattern := range patterns {
		found, _ := fs.Glob(t.FS, path.Clean(pattern))
		out = append(out, found...)
	}
	return out[:min(len(out), 200)]
}
