package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Expectations are what old tests expect and the new code does not do, a line each.
type Expectations struct {
	Approved []string // named by the approved report
	Open     []string // they wait for a word of their own
}

// maxExpectations is how many changed expectations are named one by one.
const maxExpectations = 20

// Expectations compares the changed expectations of a proof with those that the approved report names.
func (d *Delivery) Expectations(
	ctx context.Context, a *workflow.Approval, p proof.Proof,
) (found Expectations, err error) {
	if len(p.Expectations) == 0 {
		return found, nil
	}
	report, err := d.Store.Report(ctx, d.Session().ID, a.Revision)
	if err != nil {
		return found, fmt.Errorf("report %d: %w", a.Revision, err)
	}
	named := expectedChanges(report)
	more := 0
	for _, e := range p.Expectations {
		line := d.SecretFinder().Mask(plaintext.OneLine(e.String()))
		approved := slices.ContainsFunc(named,
			func(c workflow.ExpectedChange) bool { return c.Approves(foundBy(e)) })
		switch {
		case approved:
			found.Approved = append(found.Approved, line)
		case len(found.Open) < maxExpectations:
			found.Open = append(found.Open, line)
		default:
			more++
		}
	}
	if more > 0 {
		found.Open = append(found.Open, fmt.Sprintf("and %d more", more))
	}
	return found, nil
}

// expectedChanges returns the changes of tests that a report names.
func expectedChanges(r workflow.Report) []workflow.ExpectedChange {
	var body struct {
		Expected []workflow.ExpectedChange `json:"expected_changes"`
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return nil // a report of an older release
	}
	return body.Expected
}

// foundBy returns what the program found, for the comparison with a report. A test that passes only with new
// files is approved only by a report that names such a file.
func foundBy(e proof.Expectation) workflow.FoundChange {
	if len(e.With) > 0 {
		return workflow.FoundChange{
			Names: append([]string{e.Test}, e.Covers...), Now: "only with " + strings.Join(e.With, ", "),
		}
	}
	return workflow.FoundChange{
		Names: append([]string{e.Test}, e.Covers...),
		Was:   e.Was, Now: e.Now, More: e.More,
		Gone:  e.Kind == proof.ExpectationRemoved || e.Kind == proof.ExpectationSkipped,
		Unrun: e.Kind == proof.ExpectationBroken,
	}
}

// expectationLines returns the lines of a result that name each changed expectation and who allowed it.
func (p provenWork) expectationLines() (lines []string) {
	for _, e := range p.expected.Approved {
		lines = append(lines, fmt.Sprintf("• Changed expectation, in revision %d as approved by %s: %s",
			p.approval.Revision, plaintext.OneLine(p.approval.UserName), e))
	}
	if p.allowance == nil || p.allowance.Expectations == "" {
		return lines
	}
	for _, e := range strings.Split(p.allowance.Expectations, "\n") {
		lines = append(lines, fmt.Sprintf("• Changed expectation, allowed by %s: %s",
			plaintext.OneLine(p.allowance.UserName), e))
	}
	return lines
}
