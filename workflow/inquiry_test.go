package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestAdviceIsShort(t *testing.T) {
	t.Parallel()
	a := workflow.Advice{
		BottomLine: "Set MaxConnIdleTime below 60 s.",
		Steps:      []string{"edit pool.go"},
		Effort:     "quick",
		Confidence: "high",
		Risks:      []string{"more connects"},
	}
	require.Empty(t, a.Missing())
	require.Equal(t, "Recommendation: Set MaxConnIdleTime below 60 s.\n1. edit pool.go\n"+
		"Effort: quick. Confidence: high.\nRisk: more connects", a.Text())
	a.Steps = make([]string, 8)
	require.Contains(t, a.Missing(), "seven")
	require.Contains(t, workflow.Advice{}.Missing(), "bottom_line")
}
