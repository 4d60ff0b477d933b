package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/diagnosis"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// The status with which a report begins: whether a command that was run shows the bug.
const (
	StatusShown    = "Shown"
	StatusUnproven = "Unproven"
)

// DetailsText is what stands behind a report, for the button that shows it.
func DetailsText(g Grounds, cause, how string) string {
	shown := "Unproven: nothing was made to fail yet."
	if how != "" {
		shown = "Shown by: " + how
	}
	parts := []string{shown, g.Text()}
	if cause != "" { // of an earlier revision the thread keeps the first line only
		parts = append(parts, "The whole cause:", cause)
	}
	return strings.TrimRight(strings.Join(parts, "\n"), "\n")
}

// mostCause is how many lines of a cause its report has, of ten in all; the others are among
// its details.
const mostCause = 6

// cutCause is as many lines of a cause as its report has.
func cutCause(cause string, most int) string {
	lines := strings.Split(strings.TrimSpace(cause), "\n")
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:most], "\n") + "\n… (the rest is under Details)"
}

// DiagnosisText is the Diagnosis Report as the thread sees it: its status, and the report in
// its own shape.
func DiagnosisText(d diagnosis.Report, revision int, commit, status string) string {
	if elsewhere := ElsewhereText(d.Siblings); elsewhere != "" {
		d.AffectedScope = append(slices.Clone(d.AffectedScope), elsewhere)
	}
	return fmt.Sprintf("%s. Revision %d, at %s.\n%s\nNo code was changed. Reply \"fix it\", or say what is wrong.", status, revision, commit, d.Text())
}

// ReportText is the report as the thread sees it: its status, and what an approval rests on.
func ReportText(c decision.RootCause, revision int, commit, status string) string {
	elsewhere, most := ElsewhereText(c.Siblings), mostCause
	if elsewhere != "" {
		elsewhere += "\n"
		most--
	}
	text := fmt.Sprintf("%s. Root cause (revision %d, at %s): %s\n%s\n", status, revision, commit, plaintext.OneLine(c.Summary), cutCause(c.Cause, most))
	if change := plaintext.OneLine(c.Change); change != "" {
		text += "What will change: " + change + "\n"
	}
	return text + elsewhere + fmt.Sprintf("Confidence: %s. No code was changed. Reply \"fix it\", or say what is wrong.", c.Confidence)
}
