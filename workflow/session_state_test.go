package workflow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A session that the operator paused, one whose model refused and one that waits for people are told apart.
func TestSessionState(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]Session{
		"working":                       {Phase: PhaseWorking, TurnState: TurnState{Open: true}},
		"waits for an answer":           {Phase: PhaseAligning},
		"waits for an approval":         {Phase: PhaseReported},
		"nothing was begun":             {Phase: PhaseExploring},
		"exploring":                     {Phase: PhaseExploring, TurnState: TurnState{Open: true}},
		"waits for a decision":          {Phase: PhasePaused},
		"waits: the model refused":      {Phase: PhasePaused, Trouble: TroubleModel},
		"waits: a limit was reached":    {Phase: PhasePaused, Trouble: TroubleLimit},
		"waits: nothing can be written": {Phase: PhasePaused, Trouble: TroubleDisk},
	} {
		require.Equal(t, want, s.State(false))
	}
	require.Equal(t, "waits for an answer", Session{Phase: PhaseExploring, Title: "asked"}.State(false))
	require.Equal(t, "nothing was begun", Session{Phase: PhaseExploring}.State(true))
	pushed := Codebase{Pushed: true}
	for want, s := range map[string]Session{
		"pushed":               {Phase: PhaseDone, Codebase: pushed},
		"stopped after a push": {Phase: PhaseStopped, Codebase: pushed},
		"failed after a push":  {Phase: PhaseFailed, Codebase: pushed},
		"working":              {Phase: PhaseWorking, Codebase: pushed, TurnState: TurnState{Open: true}},
	} {
		require.Equal(t, want, s.State(false))
	}
	require.Equal(t, "pushed", Session{Phase: PhaseAnswered, Codebase: pushed}.State(false),
		"a question after the push")
	stopped := Session{Phase: PhaseStopped, Codebase: pushed}
	require.Equal(t, HomeFinished, HomeSession{Session: stopped}.Standing())
	require.Equal(t, HomeBrokenOff, HomeSession{Session: Session{Phase: PhaseStopped}}.Standing())
	require.Equal(t, "paused by the operator", Session{Phase: PhaseWorking}.State(true))
	require.Equal(t, "waits for an approval", Session{Phase: PhaseReported}.State(true))
	require.Equal(t, "done", Session{Phase: PhaseDone}.State(true))
	require.Equal(t, "a decision on how to go on", Session{Phase: PhasePaused}.Awaited())
	require.Equal(t, "more of what the limit allows", Session{Trouble: TroubleLimit}.Awaited())
	require.Equal(t, "asked", Session{Title: "asked"}.Name())
	require.Equal(t, "found", Session{Title: "asked", Finding: "found"}.Name())
}
