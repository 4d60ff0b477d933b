package prompt

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// unneededChoices is what the orchestrator can do about an unneeded hunk, as a format of "It is" and an id.
//
//go:embed unneeded.md
var unneededChoices string

// maxUnneeded is how many unneeded hunks are shown with their lines.
const maxUnneeded = 12

// UnneededHunks tells the orchestrator which hunks no test needs, and what it can do about each. chosen
// holds the ids of the hunks that the orchestrator already answered for.
func UnneededHunks(all workflow.HunkResults, chosen ...string) string {
	open := all.Open()
	var b strings.Builder
	for _, id := range chosen {
		if !slices.ContainsFunc(all, func(h workflow.HunkResult) bool { return h.ID() == id }) {
			fmt.Fprintf(&b, "There is no hunk %q.\n", plaintext.CutLine(plaintext.OneLine(id), 20))
		}
	}
	which, each := "these", "Each is"
	if len(open) == 1 {
		which, each = "this one", "It is"
	}
	fmt.Fprintf(&b, "Not pushed yet. The proof holds, but of the %s of the fix, each taken out alone, "+
		"nothing fails without %s:\n", plaintext.CountNoun(len(all), "hunk"), which)
	for i, h := range open {
		fmt.Fprintf(&b, "Hunk %s, %s\n", h.ID(), strings.Trim(strconv.Quote(h.Place()), `"`))
		if i < maxUnneeded {
			fmt.Fprintf(&b, "%s\n", Fence("diff", h.Text))
		}
		if takesLinesOut(h.Text) {
			b.WriteString("It only takes lines out: if it is not needed, they come back.\n")
		}
	}
	id := open[0].ID()
	fmt.Fprintf(&b, unneededChoices, each, id)
	return strings.TrimSuffix(b.String(), "\n")
}

// takesLinesOut reports whether a unified diff of one hunk adds no line. Such a hunk is seldom needed by a
// test: the other half of a moved line is one.
func takesLinesOut(diff string) bool {
	out := false
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "+") {
			return false
		}
		out = out || strings.HasPrefix(line, "-")
	}
	return out
}
