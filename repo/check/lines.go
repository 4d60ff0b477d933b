package check

// A Proof is what Prove found.
type Proof struct {
	NewTests      []string // new or altered in the change
	RedOnBase     []string // of them, those that fail on the base
	NotRed        []string // of them, those that do not
	GreenOnBranch bool     // the branch builds and passes, its new tests too
	Regressions   []string // what passed on the base, and how it stands now
	Build         string   // how the build of the branch went, in words
	Base, Branch  Result
	Shown         bool   // the new tests were seen to fail without the change and to pass with it
	Why           string // what could not be shown
}

// Holds reports whether the change is proven.
func (p Proof) Holds() bool {
	return p.Shown && p.GreenOnBranch && len(p.NotRed) == 0 && len(p.Regressions) == 0
}

// Lines are for people.
func (p Proof) Lines() []string { panic("todo") }
