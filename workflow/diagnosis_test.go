package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func refunds() workflow.DiagnosisReport {
	h := workflow.Hypothesis{Claim: "c", Probe: "p", Outcome: "ruled_out"}
	return workflow.DiagnosisReport{
		Bug:           "Refunds are too high",
		RootCause:     "Split drops the rest (money/split.go:13)",
		AffectedScope: []string{"orders with three lines", "about 40 a day"},
		ProposedFix:   []string{"hand out every cent", "a test of Split"},
		Risk:          workflow.Risk{Level: "LOW", Reason: "one function"},
		Hypotheses:    []workflow.Hypothesis{{Claim: "c", Probe: "p", Outcome: "confirmed"}, h, h},
		Evidence:      []workflow.Evidence{{Claim: "x", Grade: "observed"}},
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
	for words, spoil := range map[string]func(*workflow.DiagnosisReport){
		"three to five":      func(d *workflow.DiagnosisReport) { d.Hypotheses = d.Hypotheses[:2] },
		"hypothesis 2":       func(d *workflow.DiagnosisReport) { d.Hypotheses[1].Probe = "" },
		"more than one":      func(d *workflow.DiagnosisReport) { d.Hypotheses[1].Outcome = "confirmed" },
		"affected_scope":     func(d *workflow.DiagnosisReport) { d.AffectedScope = nil },
		"proposed_fix":       func(d *workflow.DiagnosisReport) { d.ProposedFix = []string{""} },
		"evidence":           func(d *workflow.DiagnosisReport) { d.Evidence = nil },
		"risk":               func(d *workflow.DiagnosisReport) { d.Risk.Reason = "" },
		"bug and root_cause": func(d *workflow.DiagnosisReport) { d.RootCause = "" },
	} {
		d := refunds()
		spoil(&d)
		require.Contains(t, d.Missing(), words)
	}
}
