package backport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"

	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// name returns a branch or file name as code, in one line. The name comes from outside, so backticks
// are replaced and it is cut to 80 characters.
func name(word string) string {
	return plaintext.CodeSpan(plaintext.SafeLine(word, 80))
}

// notDone returns the beginning of a line that says why nothing was pushed.
func notDone(row backports.Row) string {
	to := name(cmp.Or(row.Release, row.Wanted))
	if row.Direct {
		return "Nothing was pushed to " + to
	}
	return "No backport to " + to
}

func failedText(row backports.Row) string {
	if row.Direct {
		return fmt.Sprintf("The push to %s failed on my side again and again, and I gave it up. To try it "+
			"once more, write \"push it to %s\".", name(row.Wanted), plaintext.SafeLine(row.Wanted, 80))
	}
	return fmt.Sprintf("The backport to %s failed on my side again and again, and I gave it up. "+
		"To try it once more, write \"backport to %s\".", name(cmp.Or(row.Release, row.Wanted)),
		plaintext.SafeLine(row.Wanted, 80))
}

// unknownText returns the line for a push that may have arrived, where the remote cannot be asked.
func unknownText(row backports.Row, why string) string {
	return fmt.Sprintf("Whether I pushed to %s is not known, and I gave it up: %s. The branch is at %s if "+
		"it arrived.", name(row.Target()), strings.TrimSuffix(why, "."), name(prompt.ShortHash(row.Commit)))
}

// conflictText returns the line that names the places where the release conflicts with the change.
func conflictText(row backports.Row, conflicts []git.Conflict) string {
	var places []string
	for _, c := range conflicts {
		if said := name(c.Path) + " (" + c.Why + ")"; !slices.Contains(places, said) {
			places = append(places, said)
		}
	}
	if more := len(places) - maxNamed; more > 0 {
		places = append(places[:maxNamed], plaintext.CountNoun(more, "more place"))
	}
	return fmt.Sprintf("%s: the change conflicts with what stands there, in %s. Nothing was pushed; "+
		"somebody has to bring it there by hand.", notDone(row), strings.Join(places, ", "))
}

// unprovenText returns the line that says why the change is not proven on the release.
func unprovenText(row backports.Row, shown proof.Proof) string {
	why, _, _ := strings.Cut(strings.Join(shown.Lines(), "\n"), "\n")
	if shown.Outcome() == proof.NotStarted {
		why = "Nothing can be run there: " + shown.Missing
	}
	if why = strings.TrimRight(why, ". "); why != "" {
		why = " " + plaintext.Capitalize(why) + "."
	}
	return notDone(row) + ": the proof does not hold there, so nothing was pushed." + why
}

const maxNamed = 6

func list(all []git.ReleaseBranch) string {
	var names []string
	for _, r := range all[:min(len(all), maxNamed)] {
		names = append(names, name(r.Name))
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, plaintext.CountNoun(more, "more"))
	}
	return strings.Join(names, ", ")
}
