package check

// A Proof is what was shown of a change.
type Proof struct {
	NewTests      []string // new or changed
	RedOnBase     []string // of them: what fails on the base, as it should
	NotRed        []string // of them: what passes there and so shows nothing
	GreenOnBranch bool
	Regressions   []string
	Build         string
	Base, Branch  Result
	Shown         bool
	Why           string
}

func (p Proof) Holds() bool     { return false }
func (p Proof) Lines() []string { return nil }
