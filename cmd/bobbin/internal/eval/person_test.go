package eval

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestAPersonOfFewWords(t *testing.T) {
	t.Parallel()
	p := person{corrections: []string{"also on Sundays"}, answers: 2, words: 3}
	for i, step := range []struct {
		phase     workflow.Phase
		waiting   string
		says, why string
	}{
		{workflow.PhaseExploring, "", honest, ""}, // the bot asked a question
		{workflow.PhaseReported, waitsForApproval, "also on Sundays", ""},
		{workflow.PhaseReported, waitsForApproval, approval, ""},
		{workflow.PhasePaused, waitsForPush, allowance, ""},
		{workflow.PhaseAligning, waitsForConfirmed, "go ahead", ""},
		{workflow.PhaseReported, waitsForApproval, "", "it asked again and again"},
		{workflow.PhaseWorking, "", honest, ""},
		{workflow.PhaseWorking, "", "", "it went quiet"},
		{workflow.PhasePaused, waitsForUnproven, "", "blocked, since nothing can be proven"},
		{workflow.PhasePaused, "", "", "it paused"},
		{workflow.PhaseStopped, waitsForMore, "", "it was stopped"},
		{workflow.PhaseFailed, "", "", "it gave up"},
		{workflow.PhaseDone, waitsForApproval, "", "pushed"},
	} {
		says, why := p.next(step.phase, step.waiting)
		require.Equal(t, step.says, says, i)
		require.Equal(t, step.why, why, i)
	}
}

func TestHunksAreTakenFromTheThread(t *testing.T) {
	t.Parallel()
	require.Equal(t, "4 of 5", hunksNeeded("3 of 3 hunks are needed\nlater: 4 of 5 hunks are needed"))
	require.Equal(t, "1 of 1", hunksNeeded("1 of 1 hunk is needed"))
	require.Empty(t, hunksNeeded("Done."))
}
