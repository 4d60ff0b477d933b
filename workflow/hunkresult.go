package workflow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A HunkResult is a hunk of a fix that the program removed, alone, to see whether anything fails without it.
type HunkResult struct {
	Numbers []int // numbers of the hunk in the whole diff; two if its file was moved
	Sum     string
	Path    string
	Line    int    // the first line that the hunk changes; 0: the path as a whole
	Text    string // unified diff; only set if the hunk is not needed
	Verdict string // HunkNeeded, HunkUnneeded or HunkUntried
	Why     string // what fails without the hunk, or why it was not tried
	ToBuild bool   // it is needed, and no test shows it: without it the code does not build
	Kept    string // the reason to keep it although nothing fails without it; empty: no reason given yet
}

// The verdicts on a hunk.
const (
	HunkNeeded   = "needed"
	HunkUnneeded = "unneeded" // nothing that was run fails without the hunk
	HunkUntried  = "untried"
)

// ID returns the short id by which the orchestrator names a hunk. It stays the same as long as the hunk's
// lines do.
func (h HunkResult) ID() string { return h.Sum[:min(len(h.Sum), 6)] }

// IsOpen reports whether the hunk is not needed and still has to be removed or given a reason.
func (h HunkResult) IsOpen() bool { return h.Verdict == HunkUnneeded && h.Kept == "" }

// String returns the result for the hunk in one line.
func (h HunkResult) String() string {
	words := map[string]string{
		HunkNeeded:   "needed (" + h.Why + ")",
		HunkUntried:  "not tried (" + h.Why + ")",
		HunkUnneeded: "nothing fails without it",
	}[h.Verdict]
	if h.Kept != "" {
		words += "; kept: " + h.Kept
	}
	return h.quotedPlace() + ": " + words
}

// Place returns the hunk's path, with its line if it has one.
func (h HunkResult) Place() string {
	if h.Line == 0 {
		return h.Path
	}
	return fmt.Sprintf("%s:%d", h.Path, h.Line)
}

func (h HunkResult) quotedPlace() string { return plaintext.CodeSpan(h.Place()) }

// HunkResults are the hunks of one change, sorted by path.
type HunkResults []HunkResult

// Open returns the hunks that still have to be decided on.
func (hr HunkResults) Open() (open HunkResults) {
	for _, h := range hr {
		if h.IsOpen() {
			open = append(open, h)
		}
	}
	return open
}

// Line says how many of the hunks are needed, why others are kept, and which were not tried. It returns an
// empty string if there are no hunks.
func (hr HunkResults) Line() string {
	needed, toBuild := 0, 0
	var kept, untried []string
	for _, h := range hr {
		switch h.Verdict {
		case HunkNeeded:
			needed++
			if h.ToBuild {
				toBuild++
			}
		case HunkUntried:
			untried = append(untried, h.quotedPlace())
		default:
			kept = append(kept, fmt.Sprintf("%s (%s)", h.quotedPlace(), plaintext.QuoteLine(h.Kept)))
		}
	}
	switch {
	case len(hr) == 0:
		return ""
	case len(untried) == len(hr):
		return fmt.Sprintf("None of %d hunks was tried, since there was no time left: %s", len(untried),
			plaintext.FirstOf(untried, maxKept))
	}
	line := fmt.Sprintf("%d of %d hunks are needed", needed, len(hr))
	switch {
	case len(hr) == 1:
		line = fmt.Sprintf("%d of 1 hunk is needed", needed)
	case needed == 1:
		line = fmt.Sprintf("1 of %d hunks is needed", len(hr))
	}
	switch {
	case toBuild == 0:
	case toBuild == needed:
		line += " to build"
	default:
		line += fmt.Sprintf(", %d of them to build", toBuild)
	}
	if more := len(kept) - maxKept; more > 0 {
		kept = append(kept[:maxKept], fmt.Sprintf("and %d more", more))
	}
	if len(kept) > 0 {
		line += "; kept: " + strings.Join(kept, ", ")
	}
	if len(untried) > 0 {
		line += "; not tried, since there was no time left: " + plaintext.FirstOf(untried, maxKept)
	}
	return line
}

// AllNeeded reports whether every hunk was tried, and something fails without each.
func (hr HunkResults) AllNeeded() bool {
	return !slices.ContainsFunc(hr, func(h HunkResult) bool { return h.Verdict != HunkNeeded })
}

// List returns one line per hunk, up to maxListed.
func (hr HunkResults) List() string {
	var lines []string
	for _, h := range hr[:min(len(hr), maxListed)] {
		lines = append(lines, h.String())
	}
	if more := len(hr) - maxListed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// maxKept is the maximum number of kept hunks that Line names, and of those that were not tried.
const maxKept = 20

// maxListed is the maximum number of hunks that List lists.
const maxListed = 50
