package turn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// The stop button of an old card belongs to the run of that card: a press on it does not stop the next
// run.
func TestAStopOfARunThatIsOverStopsNothing(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.Store.Cards = true
	th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: "1000.0"},
		o.asker, "anybody")
	require.NoError(t, err)
	stops := func() (all []string) {
		rows, err := o.Store.Pool.Query(t.Context(), `select stop from cards order by run`)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var stop string
			require.NoError(t, rows.Scan(&stop))
			all = append(all, stop)
		}
		return all
	}
	stopAsked := func() (asked bool) {
		require.NoError(t, o.Store.Pool.QueryRow(t.Context(), `select stop_asked from sessions`).Scan(&asked))
		return asked
	}
	receive := func(stop string) (asked bool) {
		require.NoError(t, th.receive(t.Context(), workflow.IncomingEvent{
			Kind:     workflow.MessageAction,
			TS:       "1010.0",
			User:     o.asker,
			ActionID: workflow.ButtonStop,
			Value:    stop,
		}))
		return stopAsked()
	}
	press := func(stop string) (asked bool, phase workflow.Phase) {
		asked = receive(stop)
		require.NoError(t, th.Judge.JudgeAll(t.Context()))
		return asked, th.Session().Phase
	}
	run := func() {
		require.NoError(t, th.Record(t.Context(), store.Update{
			Events: []workflow.Event{workflow.EventRequest, workflow.EventPlan, workflow.EventApprove},
			Open:   ledger.Wake,
		}))
	}
	run()
	require.True(t, receive(stops()[0]), "the run was not over yet")
	require.NoError(t, th.Record(t.Context(), store.Update{
		Events: []workflow.Event{workflow.EventClaim, workflow.EventProve},
		Open:   ledger.Rest,
	}))
	require.NoError(t, th.Judge.JudgeAll(t.Context()))
	require.Equal(t, workflow.PhaseDone, th.Session().Phase)
	require.False(t, stopAsked(), "it would stop the next run")
	asked, phase := press(stops()[0])
	require.False(t, asked)
	require.Equal(t, workflow.PhaseDone, phase)
	run()
	asked, phase = press(stops()[0])
	require.False(t, asked)
	require.Equal(t, workflow.PhaseWorking, phase)
	said, err := o.Store.Lines(t.Context(), th.Session().ID)
	require.NoError(t, err)
	require.Equal(t, "ann: that run is over already, so nothing was stopped.", said[len(said)-1].Text)

	asked, phase = press(stops()[1])
	require.True(t, asked, "that of this run does")
	require.Equal(t, workflow.PhaseStopped, phase)
}

// A stop that was asked for and that no judgement made is over after the run that it ended. Otherwise it
// would end every further run, and the session would never get anywhere.
func TestAStopThatNoJudgementMadeEndsOneRun(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: "1000.0"},
		o.asker, "anybody")
	require.NoError(t, err)
	_, err = o.Store.Pool.Exec(t.Context(), `update sessions set stop_asked = true`)
	require.NoError(t, err)
	require.NoError(t, th.judgeStop(t.Context()))
	p, err := th.Status(t.Context())
	require.NoError(t, err)
	require.False(t, p.StopRequested)
	require.NotEqual(t, workflow.PhaseStopped, th.Session().Phase)
}
