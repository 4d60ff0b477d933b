package delivery

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/planning"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

// The criteria are those of the newest request, also if a plan follows it. A report that cannot be read
// is an error, not a feature without criteria.
func TestDoneCriteria(t *testing.T) {
	t.Parallel()
	d := &Delivery{Ledger: turntest.OpenLedger(t, nil)}
	report := func(n int, kind string, body any) {
		b, err := json.Marshal(body)
		require.NoError(t, err)
		r := workflow.Report{Session: d.Session().ID, Revision: n, Kind: kind, Body: b, Text: kind}
		require.NoError(t, d.Record(t.Context(), consent.Report(r), store.Update{Open: ledger.Rest, Change: func(s *workflow.Session) { s.Kind = workflow.KindFeature }}))
	}
	report(1, workflow.ReportRequest, planning.Request{DoneCriteria: []string{"early"}})
	report(2, workflow.ReportRequest, planning.Request{DoneCriteria: []string{"it adds up", "it prints"}})
	report(3, workflow.ReportPlan, planning.Plan{Title: "Adding up"})
	criteria, err := d.doneCriteria(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, []string{"it adds up", "it prints"}, criteria)
	criteria, err = d.doneCriteria(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, []string{"early"}, criteria)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = d.doneCriteria(ctx, 3)
	require.ErrorIs(t, err, context.Canceled)
}
