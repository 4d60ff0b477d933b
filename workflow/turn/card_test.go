package turn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
)

// The stop button of an old card belongs to the run of that card: a press on it does not stop the next
// run.
func TestAStopOfARunThatIsOverStopsNothing(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.Store.Cards = true
	th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: "1000.0"}, o.asker, "anybody")
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
	press := func(stop string) (asked bool, phase workflow.Phase) {
		require.NoError(t, th.receive(t.Context(), incoming.Event{Kind: incoming.Action, TS: "1010.0", User: o.asker, ActionID: "stop", Value: stop}))
		require.NoError(t, o.Store.Pool.QueryRow(t.Context(), `select stop_asked from sessions`).Scan(&asked))
		require.NoError(t, th.Intake.JudgeAll(t.Context()))
		return asked, th.Session().Phase
	}
	run := func() {
		require.NoError(t, th.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventRequest, workflow.EventPlan, workflow.EventApprove}, Open: ledger.Wake}))
	}
	run()
	require.NoError(t, th.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventClaim, workflow.EventProve}, Open: ledger.Rest}))
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
