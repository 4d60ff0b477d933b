package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

var phases = []workflow.Phase{
	workflow.PhaseAligning, workflow.PhaseExploring, workflow.PhaseDiagnosing, workflow.PhaseReported,
	workflow.PhasePlanning, workflow.PhasePlanShown, workflow.PhaseWorking, workflow.PhaseVerifying,
	workflow.PhaseConsulting, workflow.PhaseAnswered, workflow.PhaseDone, workflow.PhasePaused,
	workflow.PhaseStopped, workflow.PhaseFailed,
}

// The path of a bug from report to push, step by step.
func TestTheMainPathIsAllowed(t *testing.T) {
	t.Parallel()
	for _, path := range [][]any{
		{workflow.PhaseExploring, workflow.EventReport, workflow.PhaseReported},
		{workflow.PhaseReported, workflow.EventRequest, workflow.PhaseExploring},
		{workflow.PhaseReported, workflow.EventApprove, workflow.PhaseWorking},
		{workflow.PhaseWorking, workflow.EventClaim, workflow.PhaseVerifying},
		{workflow.PhaseWorking, workflow.EventShowPlan, workflow.PhasePlanShown},
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
			workflow.EventStop:   workflow.PhaseStopped,
			workflow.EventGiveUp: workflow.PhaseFailed,
			workflow.EventPause:  workflow.PhasePaused,
		} {
			if p == workflow.PhaseStopped {
				want = p // what fails lifts no stop
			}
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
	for _, p := range []workflow.Phase{
		workflow.PhaseExploring, workflow.PhaseReported, workflow.PhasePlanShown, workflow.PhaseDiagnosing,
		workflow.PhaseStopped,
	} {
		require.False(t, p.MayWrite(), "%s", p)
	}
}

// table lists the events that each phase allows, and the phases that they lead to. All others are
// refused, except that a stop, a pause and giving up are possible everywhere.
const table = `
aligning    request:aligning answer:aligning resume:exploring consult:consulting
exploring   request:exploring align:aligning diagnose:diagnosing report:reported plan:planning answer:answered consult:consulting return:reported resume:working
diagnosing  request:diagnosing report:reported answer:answered consult:consulting align:aligning return:reported
reported    request:exploring diagnose:diagnosing approve:working consult:consulting report:reported answer:reported align:aligning
planning    request:planning show_plan:plan_shown approve:working report:reported answer:answered consult:consulting align:aligning
plan_shown  request:planning approve:working answer:plan_shown consult:consulting
working     request:working claim:verifying consult:consulting answer:working report:reported show_plan:plan_shown
verifying   request:verifying fail:working verified:working consult:consulting prove:done
consulting  request:consulting advice:working report:reported answer:answered
answered    request:exploring align:aligning diagnose:diagnosing
done        request:exploring answer:done
paused      request:exploring
stopped     request:exploring pause:stopped give_up:stopped
failed      request:exploring
`

var events = []workflow.Event{
	workflow.EventRequest, workflow.EventAlign, workflow.EventDiagnose, workflow.EventReport,
	workflow.EventAnswer, workflow.EventPlan, workflow.EventShowPlan, workflow.EventApprove,
	workflow.EventClaim, workflow.EventFail, workflow.EventConsult, workflow.EventAdvice,
	workflow.EventVerified, workflow.EventProve, workflow.EventPause, workflow.EventReturn,
	workflow.EventResume, workflow.EventStop, workflow.EventGiveUp,
}

func TestEveryPhaseWithEveryEvent(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		fields := strings.Fields(line)
		for _, f := range fields[1:] {
			event, to, _ := strings.Cut(f, ":")
			want[fields[0]+" "+event] = to
		}
	}
	for _, p := range phases {
		for event, to := range map[string]string{"stop": "stopped", "pause": "paused", "give_up": "failed"} {
			if key := string(p) + " " + event; want[key] == "" {
				want[key] = to
			}
		}
	}
	allowed := 0
	for _, p := range phases {
		for _, e := range events {
			to, err := p.Next(e)
			if err != nil {
				require.Equal(t, p, to, "a refused event leaves the phase")
				to = ""
			} else {
				allowed++
			}
			require.Equal(t, want[string(p)+" "+string(e)], string(to), "%s on %s", p, e)
		}
	}
	require.Equal(t, len(want), allowed)
}

func TestAPauseAndAConsultationGoBackToWhereTheyBegan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from   workflow.Phase
		events []workflow.Event
		want   workflow.Phase
	}{
		{
			workflow.PhaseWorking,
			[]workflow.Event{workflow.EventPause, workflow.EventRequest},
			workflow.PhaseWorking,
		},
		{
			workflow.PhaseVerifying,
			[]workflow.Event{workflow.EventPause, workflow.EventResume},
			workflow.PhaseVerifying,
		},
		{
			workflow.PhaseReported,
			[]workflow.Event{workflow.EventPause, workflow.EventRequest},
			workflow.PhaseExploring,
		},
		{
			workflow.PhaseReported,
			[]workflow.Event{workflow.EventConsult, workflow.EventReturn},
			workflow.PhaseReported,
		},
		{
			workflow.PhasePlanShown,
			[]workflow.Event{workflow.EventConsult, workflow.EventPause, workflow.EventResume},
			workflow.PhasePlanShown,
		},
		{
			workflow.PhaseAligning,
			[]workflow.Event{workflow.EventPause, workflow.EventPause, workflow.EventRequest},
			workflow.PhaseAligning,
		},
		{
			workflow.PhaseVerifying,
			[]workflow.Event{workflow.EventConsult, workflow.EventAdvice},
			workflow.PhaseWorking,
		},
		{
			workflow.PhaseDone,
			[]workflow.Event{workflow.EventPause, workflow.EventRequest},
			workflow.PhaseExploring,
		},
		{workflow.PhasePaused, []workflow.Event{workflow.EventRequest}, workflow.PhaseExploring},
	} {
		s := workflow.Session{Phase: c.from}
		for _, e := range c.events {
			require.NoError(t, s.Happen(e), "%s: %v", c.from, c.events)
		}
		require.Equal(t, c.want, s.Phase, "%s: %v", c.from, c.events)
	}
	s := workflow.Session{Phase: workflow.PhaseDone}
	require.Error(t, s.Happen(workflow.EventClaim))
	require.Equal(t, workflow.PhaseDone, s.Phase)
}

// Approved work is verified from every phase that it may be in.
func TestApprovedWorkComesToBeVerified(t *testing.T) {
	t.Parallel()
	for _, from := range []workflow.Phase{
		workflow.PhaseExploring, workflow.PhaseWorking, workflow.PhaseVerifying,
	} {
		s := workflow.Session{Phase: from}
		for _, e := range from.EventsToVerify() {
			require.NoError(t, s.Happen(e))
		}
		require.Equal(t, workflow.PhaseVerifying, s.Phase, from)
	}
}
