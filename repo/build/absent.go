package build

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// pathInText matches what may be a path in the output of a test.
var pathInText = regexp.MustCompile(`[\w.@+~-]*(?:/[\w.@+~-]+)+|[\w@+~-]+(?:\.[\w@+~-]+)+`)

// pointerLine is what a program prints of a pointer that it read in place of the content
// (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
const pointerLine = "git-lfs.github.com/spec/"

// An absentee finds files that could not be fetched in the output of tests.
type absentee struct {
	files   map[string][]string // their paths by base name
	folders []string            // of submodules
	first   string              // a file, for a test that tells a pointer's text and no path
}

// newAbsentee returns the finder of paths as Packages.Absent has them: that of a folder ends with a slash.
func newAbsentee(paths []string) absentee {
	a := absentee{files: map[string][]string{}}
	for _, p := range paths {
		if dir, ok := strings.CutSuffix(p, "/"); ok {
			a.folders = append(a.folders, dir)
			continue
		}
		a.first = cmp.Or(a.first, p)
		a.files[path.Base(p)] = append(a.files[path.Base(p)], p)
	}
	return a
}

// find returns the path of an absent file or folder that a text names, or "".
func (a absentee) find(text string) string {
	for _, word := range pathInText.FindAllString(text, -1) {
		for word = path.Clean(word); strings.HasPrefix(word, "../"); {
			word = word[len("../"):]
		}
		for _, p := range a.files[path.Base(word)] {
			if endsAlike(word, p) {
				return p
			}
		}
		for _, dir := range a.folders {
			if at := "/" + word + "/"; strings.Contains(at, "/"+dir+"/") {
				return dir
			}
		}
	}
	if strings.Contains(text, pointerLine) {
		return a.first
	}
	return ""
}

// endsAlike reports whether one path is the end of the other, in whole names.
func endsAlike(a, b string) bool {
	a = "/" + strings.TrimLeft(a, "/")
	b = "/" + strings.TrimLeft(b, "/")
	return strings.HasSuffix(a, b) || strings.HasSuffix(b, a)
}

// markAbsent says of each failed test which file it names that could not be fetched. Such a test cannot be
// run here.
func markAbsent(r *result.Result, paths []string) {
	if len(paths) == 0 || !slices.ContainsFunc(r.Tests, result.Test.HasFailed) {
		return
	}
	a := newAbsentee(paths)
	for i, t := range r.Tests {
		if t.HasFailed() {
			r.Tests[i].Absent = a.find(t.Output)
		}
	}
}
