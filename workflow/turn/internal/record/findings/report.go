package findings

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// ReportForWorkers returns the content of a report without what it asks of its readers.
func ReportForWorkers(r workflow.Report) string {
	var request workflow.Request
	var plan workflow.Plan
	switch {
	case r.Kind == workflow.ReportRequest && json.Unmarshal(r.Body, &request) == nil:
		return request.Text()
	case r.Kind == workflow.ReportPlan && json.Unmarshal(r.Body, &plan) == nil:
		return plan.Text()
	}
	return strings.TrimSpace(WithoutFooter(r.Text)) + behindReport(r)
}

// ReportToFix is ReportForWorkers without the places that were judged not affected, or that nobody looked at.
func ReportToFix(r workflow.Report) string {
	text := ReportForWorkers(r)
	for _, line := range soundLines(GroundsOf(r).Siblings) {
		text = strings.ReplaceAll(text, "\n"+line, "")
	}
	return text
}

// ReportWhole returns a report as the thread was shown it, followed by what it rests on.
func ReportWhole(r workflow.Report) string { return r.Text + behindReport(r) }

// behindReport returns what people see behind the report's button, without what stands in the report: the
// findings of a review are its evidence, too.
func behindReport(r workflow.Report) string {
	g := GroundsOf(r)
	g.Evidence = slices.DeleteFunc(slices.Clone(g.Evidence), func(e workflow.Evidence) bool {
		return r.Kind == workflow.ReportReview && strings.Contains(r.Text, plaintext.OneLine(e.Claim))
	})
	text := g.Text()
	if g.Reproduction != "" {
		text += "\nShown by: " + CommandWithEnding(g.Reproduction, "")
	}
	if against := workflow.SpeaksAgainst(g.Remains); against != "" && !strings.Contains(r.Text, against) {
		text += "\nWhat speaks against the fix: " + against
	}
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "\n" + text
}
