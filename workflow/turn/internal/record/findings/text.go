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

// The second line of a report begins with one of these statuses: whether a command that was run shows the
// bug.
const (
	StatusShown    = workflow.MarkHolds + "Reproduced"
	StatusUnclear  = "Unproven: the command does not fail because of it"
	StatusUnproven = "Unproven: nothing was made to fail"
)

// An Edition says which revision of a report it is, of which code, and what it rests on.
type Edition struct {
	Repository string
	Commit     string // short
	Revision   int
	Status     string // one of the constants Status…
}

// What a report or a plan says of the code that it is about. What follows it says how to answer.
const (
	unchanged = " · nothing is changed yet. "
	unwritten = " · nothing is written yet. "
	kept      = " · what is done so far is kept. "
)

// footer returns the last line of a report, which the program vouches for: what an approval is based on, and
// how to answer.
func (e Edition) footer(how string) string { return e.String() + unchanged + how }

// PlanFooter is the same for a plan. begun says that work which was not delivered is kept.
func (e Edition) PlanFooter(begun bool) string {
	state := unwritten
	if begun {
		state = kept
	}
	return e.String() + state + `Say "go ahead", or what has to change.`
}

func (e Edition) String() string {
	return fmt.Sprintf("%s@%s · revision %d", e.Repository, e.Commit, e.Revision)
}

// WithoutFooter returns a report's text without its last line.
func WithoutFooter(text string) string {
	at := strings.LastIndex(text, "\n")
	saysState := func(state string) bool { return at >= 0 && strings.Contains(text[at:], state) }
	if slices.ContainsFunc([]string{unchanged, unwritten, kept}, saysState) {
		return text[:at]
	}
	known, _, _ := strings.Cut(text, "\nNo code was changed.") // as reports ended before
	return known
}

// sureness says in words how confident an agent is of a cause.
var sureness = map[string]string{
	"high":   "sure of the cause",
	"medium": "fairly sure of the cause",
	"low":    "the cause is a guess",
}

// status returns the line below the headline.
func (e Edition) status(confidence string) string {
	if words := sureness[confidence]; words != "" {
		return e.Status + " · " + words
	}
	return e.Status
}

// headline returns a finding in bold, as the first line of a report.
func headline(finding string) string { return "**" + plainHeadline(finding) + "**" }

// plainHeadline returns a finding as one line without marks of emphasis, which would end the bold.
func plainHeadline(finding string) string {
	return strings.TrimSpace(strings.ReplaceAll(plaintext.OneLine(finding), "*", ""))
}

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

const (
	maxReport = 10 // lines of a report
	maxCause  = 5  // lines of the cause that a report shows; the others are under Details
)

// cutCause returns the first most lines of a cause, and says where the rest is.
func cutCause(cause string, most int) string {
	lines := strings.Split(strings.TrimSpace(cause), "\n")
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:most], "\n") + "\n… (the rest is under Details)"
}

// fixIt says how to answer a report.
const fixIt = `Reply "fix it", or say what is wrong.`

// DiagnosisText returns the Diagnosis Report for the thread: the bug, its status, then the report.
func DiagnosisText(d workflow.DiagnosisReport, e Edition) string {
	if elsewhere := elsewhereText(d.Siblings); elsewhere != "" {
		d.AffectedScope = append(slices.Clone(d.AffectedScope), elsewhere)
	}
	lines := []string{
		headline(d.Bug), e.status(""), d.Text(),
		workflow.BoldLabel(workflow.ExpectedChangesLine(d.ExpectedChanges)),
		workflow.BoldLabel(workflow.RemainsText(d.Remains)), e.footer(fixIt),
	}
	return strings.Join(slices.DeleteFunc(lines, plaintext.Blank), "\n")
}

// ReportText returns the report for the thread: its status, and what an approval is based on.
func ReportText(c decision.RootCause, e Edition) string {
	change := plaintext.OneLine(c.Change)
	if change != "" {
		change = "What will change: " + change
	}
	lines := []string{
		headline(c.Summary), e.status(c.Confidence), workflow.BoldLabel(change),
		workflow.BoldLabel(workflow.ExpectedChangesLine(c.ExpectedChanges)),
		workflow.BoldLabel(elsewhereText(c.Siblings)),
		workflow.BoldLabel(workflow.RemainsText(c.Remains)), e.footer(fixIt),
	}
	lines = slices.DeleteFunc(lines, plaintext.Blank)
	others := strings.Count(strings.Join(lines, "\n"), "\n") + 1
	most := maxReport - others - 1 // one line says where the rest of the cause is
	lines = slices.Insert(lines, 2, cutCause(c.Cause, min(maxCause, max(1, most))))
	return strings.Join(lines, "\n")
}

// ReviewText returns the review of a pull request for the thread. pull is its name: #77.
func ReviewText(r workflow.PullReview, pull string, e Edition) string {
	how := `Reply "fix it", "fix only 1", or say what is wrong.`
	if len(r.Findings) == 0 {
		how = "Say what else to look at."
	}
	return strings.Join([]string{
		headline("Review of " + pull + ": " + r.Summary), r.Text(),
		"**Looked at:** " + plaintext.OneLine(r.Looked), e.footer(how),
	}, "\n")
}
