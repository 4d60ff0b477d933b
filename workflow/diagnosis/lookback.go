package diagnosis

import (
	"encoding/json"
)

// A Lookback searches a repository's history and its releases for the commits and releases at which the
// probe of a bug is red.
type Lookback struct {
	ID         int64
	Session    string
	Key        string // push:COMMIT or report:REVISION
	Repository string
	Base       string          // the commit at which the probe is red
	Probe      json.RawMessage // what is run (see package retest)
	Found      *LookbackFound  // nil until the search is done
}

// A LookbackFound is the result of a Lookback.
type LookbackFound struct {
	First    string           // the commit that introduced the bug; empty: not known for certain
	Since    string           // First as text for people, or the nearest bounds and the reason; empty: nothing is known
	Releases []ReleaseVerdict // newest first
}

// A ReleaseVerdict says whether a release has the bug.
type ReleaseVerdict struct {
	Name   string
	Commit string
	Branch bool   // true for a branch, false for a tag
	Answer string // red, green or unclear
	Why    string // the reason, if Answer is unclear
}

// A LookbackTry is the result of the nth run of the probe at a commit.
type LookbackTry struct {
	Commit      string
	Nth         int
	Answer, Why string
	TookMS      int64
}
