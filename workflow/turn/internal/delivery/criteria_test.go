package delivery

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/review"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// The criteria are those of the newest request, also if a plan follows it. A report that cannot be read
// is an error, not a feature without criteria.
func TestDoneCriteria(t *testing.T) {
	t.Parallel()
	d := &Delivery{Ledger: ledgertest.Open(t, nil)}
	report := func(n int, kind string, body any) {
		b, err := json.Marshal(body)
		require.NoError(t, err)
		r := workflow.Report{Session: d.Session().ID, Revision: n, Kind: kind, Body: b, Text: kind}
		require.NoError(t, d.Record(t.Context(), consent.Report(r), store.Update{Open: ledger.Rest, Change: func(s *workflow.Session) { s.Kind = workflow.KindFeature }}))
	}
	report(1, workflow.ReportRequest, workflow.Request{DoneCriteria: []string{"early"}})
	report(2, workflow.ReportRequest, workflow.Request{DoneCriteria: []string{"it adds up", "it prints"}})
	report(3, workflow.ReportPlan, workflow.Plan{Title: "Adding up"})
	criteria, err := d.doneCriteria(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, []string{"it adds up", "it prints"}, criteria)
	criteria, err = d.doneCriteria(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, []string{"early"}, criteria)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = d.doneCriteria(ctx, 3)
	require.ErrorIs(t, err, context.Canceled)
}

// What says that nothing differs is told from what names a difference.
func TestSaysNothingDiffers(t *testing.T) {
	t.Parallel()
	for changed, want := range map[string]bool{
		"nothing": true, "Nothing differs.": true, "no change": true, "none": true, "unchanged": true, "n/a": true, "The same as before": true, "as approved": true, "-": true,
		"nothing but the name": false, "no longer prints EUR first": false, "Half is called Halve": false, "none of the amounts is rounded": false,
		"the same, except that it is called Halve": false, "same name, other place": false, "": false, "notes say it": false,
	} {
		require.Equal(t, want, saysNothingDiffers(changed), changed)
	}
}

// A criterion has its tick if the critic agrees with the line, or if nobody wrote since the approval.
func TestACriterionInTheResult(t *testing.T) {
	t.Parallel()
	said := func(verdict, line string) *review.Outcome {
		a := review.CriterionAnswer{Line: line}
		a.Number, a.Verdict, a.Now, a.Why = 1, verdict, "Halve halves", "renamed"
		return &review.Outcome{Verdict: review.Verdict{Criteria: []review.CriterionAnswer{a}}}
	}
	const line, unmet = "✓ Half halves", "✗ not met: Half halves"
	for name, c := range map[string]struct {
		review  *review.Outcome
		amended bool
		line    string
		want    string
	}{
		"nobody wrote since":          {nil, false, line, "✓ Half halves (TestHalf)"},
		"the critic agrees":           {said("met", line), true, line, "✓ Half halves (TestHalf)"},
		"it became something else":    {said("changed", line), true, line, "✗ no longer what was wanted: Half halves. By the review it is now: Halve halves (renamed)"},
		"it is not met":               {said("not met", line), false, line, "✗ not met, by the review: Half halves (renamed)"},
		"there was no review":         {&review.Outcome{Why: "off"}, true, line, "• Half halves (TestHalf; not compared with what was said since the approval)"},
		"there is no answer about it": {said("", line), true, line, "• Half halves (TestHalf; not compared with what was said since the approval)"},
		"the answer is on another":    {said("changed", "✓ Half"), true, line, "• Half halves (TestHalf; not compared with what was said since the approval)"},
		"finish itself says not met":  {said("met", unmet), true, unmet, "✗ not met: Half halves (TestHalf)"},
	} {
		work := provenWork{review: c.review, amended: c.amended}
		require.Equal(t, c.want, work.criterionText(1, review.Criterion{Line: c.line, How: "TestHalf"}), name)
	}
}
