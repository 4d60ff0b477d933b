package diagnosis

// Siblings are the places of a tree that have the shape of a defect, beside the defect itself.
type Siblings struct {
	Pattern string    `json:"pattern"` // RE2, or plain text if Literal is set
	Literal bool      `json:"literal,omitempty"`
	Places  []Sibling `json:"places,omitempty"`
	Partly  bool      `json:"partly,omitempty"` // not every file was searched; the program says so
}

// A Sibling is one such place, and what a look at it came to.
type Sibling struct {
	At      string `json:"at"` // file:line
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
	InFix   bool   `json:"in_fix,omitempty"` // the report says that it changes; the program looks that up
}

// The verdicts on a sibling. The last is the program's: nobody judged it, or nobody read it.
const (
	Affected    = "affected"
	NotAffected = "not_affected"
	NotLookedAt = "not_looked_at"
)
