package findings

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

func edition(revision int, status string) Edition {
	return Edition{Repository: "shop", Commit: "c0ffee1", Revision: revision, Status: status}
}

func TestReportText(t *testing.T) {
	t.Parallel()
	c := decision.RootCause{
		Summary:    "Refunds are too high",
		Cause:      "Split drops the rest (money/split.go:13)",
		Confidence: "high",
		Evidence: []workflow.Evidence{
			{Claim: "one line is right", Grade: "inferred"},
			{Claim: "two cents above", Grade: "observed", Source: "shop refund:\n paid 25.00"},
		},
	}
	want := `**Refunds are too high**
Unproven: nothing was made to fail · sure of the cause
Split drops the rest (money/split.go:13)
shop@c0ffee1 · revision 2 · nothing is changed yet. Reply "fix it", or say what is wrong.`
	require.Equal(t, want, ReportText(c, edition(2, StatusUnproven)))
	require.Equal(t, strings.Join(strings.Split(want, "\n")[:3], "\n"), WithoutFooter(want))
	c.Change = "Split hands out\nevery cent"
	c.Cause = strings.Repeat("and so on\n", 30)
	c.Summary = "Refunds are *too* high"
	c.Confidence = "low"
	shown := ReportText(c, edition(2, StatusShown))
	require.True(t, strings.HasPrefix(shown,
		"**Refunds are too high**\n✓ Reproduced · the cause is a guess\n"))
	require.Contains(t, shown,
		"\n… (the rest is under Details)\n**What will change:** Split hands out every cent\n")
	require.Len(t, strings.Split(shown, "\n"), 10)

	c.Remains = "Nothing."
	require.Equal(t, shown, ReportText(c, edition(2, StatusShown)), "nothing is said of nothing")
	c.Remains = "Larger cycles turn from an error into a hang.\n" +
		"The reporter says that a throw is fine; it is not."
	shown = ReportText(c, edition(2, StatusShown))
	require.Contains(t, shown, "\n**Before you approve:** "+c.Remains+"\nshop@")
	require.Len(t, strings.Split(shown, "\n"), 10)
	diagnosis := workflow.DiagnosisReport{Bug: "Refunds are too high", Remains: c.Remains}
	shown = DiagnosisText(diagnosis, edition(2, StatusShown))
	require.True(t, strings.HasPrefix(shown,
		"**Refunds are too high**\n✓ Reproduced\n=== Diagnosis Report ===\nBug: Refunds are too high\n"))
	require.Contains(t, shown, "\n**Before you approve:** "+c.Remains+"\nshop@")
	require.Contains(t, DetailsText(Grounds{Remains: c.Remains}, "", ""), c.Remains)

	want = `Unproven: nothing was made to fail yet.
• observed: two cents above (shop refund: paid 25.00)
• inferred: one line is right`
	grounds := Grounds{Evidence: c.Evidence}
	require.Equal(t, want, DetailsText(grounds, "", ""))
	require.Contains(t,
		DetailsText(grounds, c.Cause, "Shown by: `go test ./money` (fails with exit code 1)"),
		"Shown by: `go test ./money` (fails with exit code 1)\n• observed")
}

// A command of several lines is shown in full once, and by a short name everywhere else.
func TestGroundsNameALongCommandOnce(t *testing.T) {
	t.Parallel()
	const shows, probes = "cat > x_test.go <<'EOF'\npackage x\nEOF\ngo test ./...",
		"python3 - <<'EOF'\nprint(1)\nEOF"
	g := Grounds{
		Reproduction: shows,
		Evidence: []workflow.Evidence{
			{Claim: "it fails", Grade: "observed", Source: shows},
			{Claim: "so does this", Grade: "observed", Source: probes},
			{Claim: "and all", Grade: "observed", Source: "run 9 (a check: make -k test: 3 failed)"},
		},
	}
	require.Equal(t, "• observed: it fails (the command below)\n"+
		"• observed: so does this (a script for `python3 -`)\n"+
		"• observed: and all (run 9 (a check: make -k test: 3 failed))", g.Text())
}

// A worker reads each finding of a review once, though it is the review's evidence, too.
func TestWorkersGetEachFindingOnce(t *testing.T) {
	t.Parallel()
	review := workflow.PullReview{Summary: "It loses a cent", Looked: "all of it"}
	review.Findings = []workflow.ReviewFinding{
		{At: "money/split.go:13", Weight: "must", Problem: "the rest is\nlost", Change: "hand it out"},
		{At: "money/split.go:20", Weight: "could", Problem: "the name lies"},
	}
	body, err := json.Marshal(review)
	require.NoError(t, err)
	r := workflow.Report{
		Kind: workflow.ReportReview, Body: body, Text: ReviewText(review, "#77", edition(1, "")),
	}
	for _, text := range []string{ReportForWorkers(r), ReportWhole(r)} {
		require.Equal(t, 1, strings.Count(text, "the rest is lost"))
		require.Equal(t, 1, strings.Count(text, "money/split.go:20"))
	}
	r.Text = "Review of #77: cut"
	require.Contains(t, ReportForWorkers(r), "observed: the rest is lost", "the control")
}
