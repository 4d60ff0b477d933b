package check

import (
	"fmt"
	"io/fs"
)

// A Finding is one place of a change that breaks a rule of design.
type Finding struct {
	Path string
	Line int    // on the branch, from 1
	Rule string // literal-colour, inline-style, … ; a stable name
	What string // what stands there
	Cure string // what to write instead; names the project's own token where one has that value
}

// String is one line: web/cart.css:12: literal colour #0af; use var(--accent)
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s; %s", f.Path, f.Line, f.What, f.Cure)
}

// Design looks at what a change adds or changes, and only at that: what stood there before
// is nobody's fault here. base and branch are whole trees, changed the paths that were
// added or modified.
func Design(base, branch fs.FS, changed []string) ([]Finding, error) {
	return nil, nil
}
