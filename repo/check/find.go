package check

import "io/fs"

// A Project is how a repository is built and tested.
type Project struct {
	Kind  string `json:"kind,omitempty"`  // go, node, python, rust, make; "" unknown
	Build string `json:"build,omitempty"` // for sh -c; "" none
	Test  string `json:"test,omitempty"`
}

// Find reads from the files at the top how they are built and tested.
func Find(root fs.FS) Project { panic("todo") }
