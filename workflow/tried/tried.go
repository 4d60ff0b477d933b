// Package tried is what came of taking each hunk of a fix out, alone: plain types, and the same in
// words. Room repo/needed finds it out.
package tried

import (
	"fmt"
	"strings"
)

// A Hunk is one of a fix that the program took out, alone, to see whether anything fails
// without it.
type Hunk struct {
	Numbers []int // in the whole difference; two of a file that moved
	Sum     string
	Path    string
	Line    int    // the first that it changes; 0: the path as a whole
	Text    string // unified; of one that is not needed
	Verdict string // Needed and the like
	Why     string // what fails without it, or why it was not tried
	Kept    string // why it stays, though nothing fails without it; empty: nobody has said
}

// The verdicts on a hunk.
const (
	Needed   = "needed"
	Unneeded = "unneeded" // nothing that was run fails without it
	Untried  = "untried"
)

// ID names a hunk to the orchestrator, as long as its lines are the same.
func (h Hunk) ID() string { return h.Sum[:min(len(h.Sum), 6)] }

// IsOpen reports whether the hunk has to be taken out, or a reason to be given.
func (h Hunk) IsOpen() bool { return h.Verdict == Unneeded && h.Kept == "" }

// String says in a line what came of trying it.
func (h Hunk) String() string {
	said := map[string]string{Needed: "needed (" + h.Why + ")", Untried: "not tried (" + h.Why + ")", Unneeded: "nothing fails without it"}[h.Verdict]
	if h.Kept != "" {
		said += "; kept: " + h.Kept
	}
	return h.quotedPlace() + ": " + said
}

// Place is the hunk's path, with its line where it has one.
func (h Hunk) Place() string {
	if h.Line == 0 {
		return h.Path
	}
	return fmt.Sprintf("%s:%d", h.Path, h.Line)
}

func (h Hunk) quotedPlace() string { return "`" + strings.ReplaceAll(h.Place(), "`", "'") + "`" }

// Hunks are those of one change, in the order of their paths.
type Hunks []Hunk

// Open are those that have to be decided on.
func (l Hunks) Open() (open Hunks) {
	for _, h := range l {
		if h.IsOpen() {
			open = append(open, h)
		}
	}
	return open
}

// Line says how many of the hunks are needed, and why the others are there; empty where none
// was tried.
func (l Hunks) Line() string {
	needed, untried := 0, 0
	var kept []string
	for _, h := range l {
		switch h.Verdict {
		case Needed:
			needed++
		case Untried:
			untried++
		default:
			kept = append(kept, fmt.Sprintf("%s (%s)", h.quotedPlace(), h.Kept))
		}
	}
	switch {
	case len(l) == 0:
		return ""
	case untried == len(l):
		return fmt.Sprintf("None of %d hunks was tried: there was no time left", untried)
	}
	line := fmt.Sprintf("%d of %d hunks are needed", needed, len(l))
	switch {
	case len(l) == 1:
		line = fmt.Sprintf("%d of 1 hunk is needed", needed)
	case needed == 1:
		line = fmt.Sprintf("1 of %d hunks is needed", len(l))
	}
	if more := len(kept) - mostKept; more > 0 {
		kept = append(kept[:mostKept], fmt.Sprintf("and %d more", more))
	}
	if len(kept) > 0 {
		line += "; kept: " + strings.Join(kept, ", ")
	}
	if untried > 0 {
		line += fmt.Sprintf("; %d not tried: there was no time left", untried)
	}
	return line
}

// List is a line for each.
func (l Hunks) List() string {
	var lines []string
	for _, h := range l[:min(len(l), mostListed)] {
		lines = append(lines, h.String())
	}
	if more := len(l) - mostListed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// mostKept is how many hunks that stay for a reason are named in a line.
const mostKept = 20

// mostListed is how many tried hunks are listed one by one.
const mostListed = 50
