package check

import (
	"io/fs"
	"strings"
)

// A Project is how a tree is built and tested.
type Project struct {
	Kind  string // go, node, python, rust, make; empty: unknown
	Build string // command line for sh -c; empty: there is nothing to build
	Test  string // command line for sh -c; empty: none was found
}

// testShown is the test command as people write it.
func (p Project) testShown() string {
	return strings.Replace(p.Test, "go test -json ", "go test ", 1)
}

// Find looks for a project in a tree.
func Find(root fs.FS) Project { return Project{} }
