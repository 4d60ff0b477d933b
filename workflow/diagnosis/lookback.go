package diagnosis

import (
	"encoding/json"
)

// A Lookback looks in a repository's history and at its releases for where what shows a bug is red.
type Lookback struct {
	ID         int64
	Session    string
	Key        string // push:COMMIT or report:REVISION
	Repository string
	Base       string          // the commit at which it is red
	Probe      json.RawMessage // what is run (see package retest)
	Found      *LookbackFound  // nil: it is not done
}

// LookbackFound is what came of it.
type LookbackFound struct {
	First    string           // the commit that brought the bug; empty: it is not known for certain
	Since    string           // the same for people, or the nearest bounds and why; empty: nothing can be said
	Releases []ReleaseVerdict // newest first
}

// A ReleaseVerdict says what a release is.
type ReleaseVerdict struct {
	Name   string
	Commit string
	Branch bool   // else a tag
	Answer string // red, green or unclear
	Why    string // of unclear
}

// A LookbackTry is what a commit was when it was asked for the nth time.
type LookbackTry struct {
	Commit      string
	Nth         int
	Answer, Why string
	TookMS      int64
}
