package turn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A report is found again by the words that people read, also if a secret was masked in them.
func TestAMaskedReportIsTheOneThatWasShown(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.Secrets = redact.New("moss-covered-bucket")
	request := workflow.Request{
		SurfaceArea:  "the moss-covered-bucket",
		DoneCriteria: []string{"it holds"},
		Files:        []string{"bucket.go"},
	}
	restates := func(th *thread) (model.Result, error) { return th.lead().Restate(t.Context(), request) }
	for name, c := range map[string]struct {
		repository string
		events     []workflow.Event
		shows      func(th *thread) (model.Result, error)
	}{
		"a request that is permitted": {"anybody", nil, restates},
		"a request that waits":        {"another", nil, restates},
		"an understanding":            {"anybody", []workflow.Event{workflow.EventAlign}, restates},
		"a plan": {"anybody", nil, func(th *thread) (model.Result, error) {
			return th.lead().ProposePlan(t.Context(), workflow.Plan{
				Title: "The moss-covered-bucket", Summary: "It holds.", Verification: "go test ./...",
				Tasks: []workflow.PlannedTask{{
					Description: "Fix it.",
					Category:    "deep",
					Files:       []string{"bucket.go"},
					Acceptance:  "it holds",
					Check:       "go test ./...",
				}},
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: name},
				o.asker, c.repository)
			require.NoError(t, err)
			require.NoError(t, th.Record(t.Context(), store.Update{Events: c.events}))
			require.NoError(t, th.reads(t.Context()))
			r, err := c.shows(th)
			require.NoError(t, err)
			require.False(t, r.Wrong, r.Text)
			require.NoError(t, th.Record(t.Context(), partsOf(r)...))
			require.NoError(t, th.posted(t.Context(), "1500.0"))
			shown, _, err := th.Store.ReportTS(t.Context(), th.Session().ID, 1)
			require.NoError(t, err)
			require.Equal(t, "1500.0", shown)
			report, err := th.Store.Report(t.Context(), th.Session().ID, 1)
			require.NoError(t, err)
			require.NotContains(t, report.Text, "moss-covered")
			require.Contains(t, report.Text, "[masked: configured]")
		})
	}
}
