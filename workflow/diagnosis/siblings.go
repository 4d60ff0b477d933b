package diagnosis

// Siblings lists the places of a tree that match the pattern of a defect, except the defect itself.
type Siblings struct {
	Pattern string    `json:"pattern"` // RE2, or plain text if Literal is set
	Literal bool      `json:"literal,omitempty"`
	Places  []Sibling `json:"places,omitempty"`
	Partly  bool      `json:"partly,omitempty"` // not every file was searched; set by the program
}

// A Sibling is one such place, with the verdict on it.
type Sibling struct {
	At      string `json:"at"` // file:line
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
	InFix   bool   `json:"in_fix,omitempty"` // the report says that this place changes; set by the program
}

// The verdicts on a sibling. The program sets NotLookedAt on a place that the model did not judge, or
// judged without having read it.
const (
	Affected    = "affected"
	NotAffected = "not_affected"
	NotLookedAt = "not_looked_at"
)
