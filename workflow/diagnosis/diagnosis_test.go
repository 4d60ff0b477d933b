package diagnosis_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/diagnosis"
)

func refunds() diagnosis.Report {
	h := diagnosis.Hypothesis{Claim: "c", Probe: "p", Outcome: "ruled_out"}
	return diagnosis.Report{
		Bug: "Refunds are too high", RootCause: "Split drops the rest (money/split.go:13)", AffectedScope: []string{"orders with three lines", "about 40 a day"},
		ProposedFix: []string{"hand out every cent", "a test of Split"}, Risk: diagnosis.Risk{Level: "LOW", Reason: "one function"},
		Hypotheses: []diagnosis.Hypothesis{{Claim: "c", Probe: "p", Outcome: "confirmed"}, h, h}, Evidence: []diagnosis.Evidence{{Claim: "x", Grade: "observed"}},
	}
}

func TestTheDiagnosisReportHasItsShape(t *testing.T) {
	t.Parallel()
	require.Equal(t, `=== Diagnosis Report ===
Bug: Refunds are too high
Root cause: Split drops the rest (money/split.go:13)
Affected scope:
- orders with three lines
- about 40 a day
Proposed fix:
1. hand out every cent
2. a test of Split
Risk: LOW - one function
=== Diagnosis Report ===`, refunds().Text())
	require.Empty(t, refunds().Missing())
	for words, spoil := range map[string]func(*diagnosis.Report){
		"three to five":      func(d *diagnosis.Report) { d.Hypotheses = d.Hypotheses[:2] },
		"hypothesis 2":       func(d *diagnosis.Report) { d.Hypotheses[1].Probe = "" },
		"more than one":      func(d *diagnosis.Report) { d.Hypotheses[1].Outcome = "confirmed" },
		"affected_scope":     func(d *diagnosis.Report) { d.AffectedScope = nil },
		"proposed_fix":       func(d *diagnosis.Report) { d.ProposedFix = []string{""} },
		"evidence":           func(d *diagnosis.Report) { d.Evidence = nil },
		"risk":               func(d *diagnosis.Report) { d.Risk.Reason = "" },
		"bug and root_cause": func(d *diagnosis.Report) { d.RootCause = "" },
	} {
		d := refunds()
		spoil(&d)
		require.Contains(t, d.Missing(), words)
	}
}
