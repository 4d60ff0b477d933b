package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// A report begins with one of these statuses: whether a command that was run shows the bug.
const (
	StatusShown    = "Shown by a command that fails"
	StatusUnclear  = "Unproven: the command does not fail because of it"
	StatusUnproven = "Unproven"
)

// DetailsText returns the text behind a report's Details button. ran says what the report's command shows and
// how it ended; empty: there is no command.
func DetailsText(g Grounds, cause, ran string) string {
	parts := []string{cmp.Or(ran, "Unproven: nothing was made to fail yet."), g.Text()}
	if against := workflow.SpeaksAgainst(g.Remains); against != "" {
		parts = append(parts, "What speaks against the fix:", against)
	}
	if cause != "" { // in the thread, the report of an earlier revision keeps only the first line
		parts = append(parts, "The whole cause:", cause)
	}
	return strings.TrimRight(strings.Join(parts, "\n"), "\n")
}

// maxCause is how many lines of the cause a report shows. The report has ten lines in all; the other
// lines of the cause are under Details.
const maxCause = 5

// cutCause returns the first most lines of a cause, and says where the rest is.
func cutCause(cause string, most int) string {
	lines := strings.Split(strings.TrimSpace(cause), "\n")
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:most], "\n") + "\n… (the rest is under Details)"
}

// DiagnosisText returns the Diagnosis Report for the thread: its status, then the report.
func DiagnosisText(d workflow.DiagnosisReport, revision int, commit, status string) string {
	if elsewhere := elsewhereText(d.Siblings); elsewhere != "" {
		d.AffectedScope = append(slices.Clone(d.AffectedScope), elsewhere)
	}
	expected := workflow.ExpectedChangesLine(d.ExpectedChanges)
	if expected != "" {
		expected += "\n"
	}
	expected += workflow.RemainsText(d.Remains)
	return fmt.Sprintf(
		"%s. Revision %d, at %s.\n%s\n%sNo code was changed. Reply \"fix it\", or say what is wrong.",
		status, revision, commit, d.Text(), expected,
	)
}

// ReportText returns the report for the thread: its status, and what an approval is based on.
func ReportText(c decision.RootCause, revision int, commit, status string) string {
	elsewhere := elsewhereText(c.Siblings)
	most := maxCause
	if elsewhere != "" {
		elsewhere += "\n"
		most--
	}
	expected := workflow.ExpectedChangesLine(c.ExpectedChanges)
	if expected != "" {
		expected += "\n"
		most--
	}
	remains := workflow.RemainsText(c.Remains)
	most = max(1, most-strings.Count(remains, "\n"))
	text := fmt.Sprintf(
		"%s. Root cause (revision %d, at %s): %s\n%s\n", status, revision, commit,
		plaintext.QuoteLine(c.Summary), cutCause(c.Cause, most),
	)
	if change := plaintext.OneLine(c.Change); change != "" {
		text += "What will change: " + change + "\n"
	}
	how := "No code was changed. Reply \"fix it\", or say what is wrong."
	return fmt.Sprintf("%s%s%s%sConfidence: %s.\n%s", text, expected, elsewhere, remains, c.Confidence, how)
}

// ReviewText returns the review of a pull request for the thread. pull is its name: #77.
func ReviewText(r workflow.PullReview, pull string, revision int, commit string) string {
	how := "No code was changed. Reply \"fix it\", \"fix only 1\", or say what is wrong."
	if len(r.Findings) == 0 {
		how = "No code was changed. Say what else to look at."
	}
	return fmt.Sprintf("Review of %s (revision %d, at %s): %s\n%s\nLooked at: %s\n%s", pull, revision, commit,
		plaintext.QuoteLine(r.Summary), r.Text(), plaintext.OneLine(r.Looked), how)
}
