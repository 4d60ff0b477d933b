package orchestrator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent/decision"
)

func TestReportText(t *testing.T) {
	t.Parallel()
	c := decision.RootCause{
		Summary: "Refunds are too high", Cause: "Split drops the rest (money/split.go:13)", Confidence: "high",
		Evidence: []workflow.Evidence{
			{Claim: "one line is right", Grade: "inferred"},
			{Claim: "two cents above", Grade: "observed", Source: "shop refund:\n paid 25.00"},
		},
	}
	want := `Root cause (revision 2, at c0ffee1): Refunds are too high
Split drops the rest (money/split.go:13)
• observed: two cents above (` + "`shop refund: paid 25.00`" + `)
• inferred: one line is right
Unproven: nothing was made to fail yet.
Confidence: high. No code was changed. Reply "fix it" to have it mended, or say what is wrong here.`
	require.Equal(t, want, ReportText(c, 2, "c0ffee1", ""))
	require.Contains(t, ReportText(c, 2, "c0ffee1", "`go test ./money` (fails with exit code 1)"), "Shown by: `go test ./money` (fails with exit code 1)")
}
