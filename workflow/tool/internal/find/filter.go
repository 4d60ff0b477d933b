package find

import (
	"cmp"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// A filter is the glob of a tool. A glob without a slash matches base names, a glob with a slash matches
// paths below the folder or the root. A leading ! inverts it.
type filter struct {
	glob   string
	under  string // path of the folder with a slash at its end; empty for the root
	negate bool
	base   bool
}

func newGlobFilter(glob, under string) (filter, error) {
	f := filter{glob: strings.TrimPrefix(glob, "./")}
	if under != "." {
		f.under = under + "/"
	}
	f.glob, f.negate = strings.CutPrefix(f.glob, "!")
	f.glob = strings.TrimPrefix(f.glob, "/")
	if strings.HasSuffix(f.glob, "/") {
		f.glob += "**"
	}
	f.base = !strings.Contains(f.glob, "/")
	if !doublestar.ValidatePattern(f.glob) {
		return f,
			model.Mistakef("%q is no valid glob. Examples: *.go, internal/**/*_test.go, **/*.{js,ts}.", glob)
	}
	return f, nil
}

// PathFilter returns which paths of a tree are below a folder, or are that file, and match a glob.
func PathFilter(start, glob string) (keeps func(path string) bool, err error) {
	start = path.Clean("/" + start)[1:]
	f, err := newGlobFilter(glob, cmp.Or(start, "."))
	return func(p string) bool {
		return (start == "" || p == start || strings.HasPrefix(p, start+"/")) && f.keeps(p)
	}, err
}

func (f filter) keeps(p string) bool {
	switch {
	case f.glob == "":
		return true
	case f.base:
		return doublestar.MatchUnvalidated(f.glob, path.Base(p)) != f.negate
	}
	return (doublestar.MatchUnvalidated(f.glob, p) ||
		doublestar.MatchUnvalidated(f.glob, strings.TrimPrefix(p, f.under))) != f.negate
}
