package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

var phases = []workflow.Phase{
	workflow.PhaseAligning, workflow.PhaseExploring, workflow.PhaseDiagnosing, workflow.PhaseReported, workflow.PhasePlanning,
	workflow.PhasePlanShown, workflow.PhaseWorking, workflow.PhaseVerifying, workflow.PhaseConsulting, workflow.PhaseAnswered,
	workflow.PhaseDone, workflow.PhasePaused, workflow.PhaseStopped, workflow.PhaseFailed,
}

// The rows of the seed's table "States and transitions" that the main path walks.
func TestTheMainPathIsAllowed(t *testing.T) {
	t.Parallel()
	for _, path := range [][]any{
		{workflow.PhaseExploring, workflow.EventReport, workflow.PhaseReported},
		{workflow.PhaseReported, workflow.EventRequest, workflow.PhaseExploring},
		{workflow.PhaseReported, workflow.EventApprove, workflow.PhaseWorking},
		{workflow.PhaseWorking, workflow.EventClaim, workflow.PhaseVerifying},
		{workflow.PhaseVerifying, workflow.EventFail, workflow.PhaseWorking},
		{workflow.PhaseVerifying, workflow.EventVerified, workflow.PhaseWorking},
		{workflow.PhaseVerifying, workflow.EventConsult, workflow.PhaseConsulting},
		{workflow.PhaseConsulting, workflow.EventAdvice, workflow.PhaseWorking},
		{workflow.PhaseVerifying, workflow.EventProve, workflow.PhaseDone},
		{workflow.PhaseDone, workflow.EventRequest, workflow.PhaseExploring},
		{workflow.PhaseExploring, workflow.EventAnswer, workflow.PhaseAnswered},
		{workflow.PhaseExploring, workflow.EventReturn, workflow.PhaseReported},
	} {
		got, err := path[0].(workflow.Phase).Next(path[1].(workflow.Event))
		require.NoError(t, err)
		require.Equal(t, path[2], got, "%v on %v", path[0], path[1])
	}
}

func TestOnlyReportedAndPlansTakeAnApproval(t *testing.T) {
	t.Parallel()
	for _, p := range phases {
		_, err := p.Next(workflow.EventApprove)
		allowed := p == workflow.PhaseReported || p == workflow.PhasePlanShown || p == workflow.PhasePlanning
		require.Equal(t, allowed, err == nil, "approve while %s", p)
	}
}

func TestStopPauseAndGivingUpAreAlwaysPossible(t *testing.T) {
	t.Parallel()
	for _, p := range phases {
		for event, want := range map[workflow.Event]workflow.Phase{
			workflow.EventStop: workflow.PhaseStopped, workflow.EventGiveUp: workflow.PhaseFailed, workflow.EventPause: workflow.PhasePaused,
		} {
			got, err := p.Next(event)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	}
}

func TestARefusedEventLeavesThePhase(t *testing.T) {
	t.Parallel()
	got, err := workflow.PhaseDone.Next(workflow.EventClaim)
	require.EqualError(t, err, `a session that is done cannot take the event "claim"`)
	require.Equal(t, workflow.PhaseDone, got)
}

func TestSomebodyWhoWritesAlwaysGetsOn(t *testing.T) {
	t.Parallel()
	for _, p := range phases {
		if p.Ended() {
			got, err := p.Next(workflow.EventRequest)
			require.NoError(t, err)
			require.Equal(t, workflow.PhaseExploring, got, "from %s", p)
		}
	}
}

func TestNothingIsWrittenBeforeAnApproval(t *testing.T) {
	t.Parallel()
	for _, p := range []workflow.Phase{workflow.PhaseExploring, workflow.PhaseReported, workflow.PhasePlanShown, workflow.PhaseDiagnosing, workflow.PhaseStopped} {
		require.False(t, p.MayWrite(), "%s", p)
	}
}
