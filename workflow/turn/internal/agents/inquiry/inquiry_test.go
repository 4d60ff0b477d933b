package inquiry

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// The consultant's advice wakes the orchestrator in a phase in which it may report, unless nothing but the
// advice was asked for. Where there is no advice, a report that waits still does.
func TestWhereAdviceFindsTheSession(t *testing.T) {
	t.Parallel()
	const advice, none = `{"bottom_line": "It is the proxy."}`, `{}`
	asked := []workflow.Event{workflow.EventConsult}
	for name, c := range map[string]struct {
		reported bool
		events   []workflow.Event
		open     bool
		answer   string
		then     workflow.Phase
		wakes    bool
	}{
		"below a report":                       {true, asked, false, advice, workflow.PhaseExploring, true},
		"below a report, after another answer": {true, nil, false, advice, workflow.PhaseExploring, true},
		"while a remark is read": {
			true, []workflow.Event{workflow.EventRequest}, true, advice, workflow.PhaseExploring, true,
		},
		"after something else was answered": {
			true,
			[]workflow.Event{workflow.EventRequest, workflow.EventAnswer},
			false, advice,
			workflow.PhaseExploring, true,
		},
		"nothing else was asked": {false, asked, false, advice, workflow.PhaseAnswered, false},
		"the first question was answered": {
			false, []workflow.Event{workflow.EventAnswer}, false, advice, workflow.PhaseAnswered, false,
		},
		"no advice":                       {true, asked, false, none, workflow.PhaseReported, false},
		"no advice, after another answer": {true, nil, false, none, workflow.PhaseReported, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := ledgertest.Open(t, nil)
			if c.reported {
				storetest.RecordReport(t, l.Turn, 1, "the cause")
			}
			require.NoError(t, l.Record(t.Context(), store.Update{Events: c.events, Open: &c.open}))
			iq := &Inquiries{Ledger: l}
			q, err := iq.EnsureInquiry(t.Context(), workflow.Inquiry{
				Kind:     workflow.InquiryConsult,
				Key:      "message:1",
				Question: "is it the proxy?",
				By:       "ann",
			})
			require.NoError(t, err)
			q.Answer = json.RawMessage(c.answer)
			require.NoError(t, l.Record(t.Context(), iq.answerParts(q)...))
			require.Equal(t, c.then, l.Session().Phase)
			require.Equal(t, c.wakes, l.Session().Open)
		})
	}
}

// Who presses "Show the diff" twice is answered once.
func TestTheDiffIsShownOnceForAllWhoWait(t *testing.T) {
	t.Parallel()
	l := ledgertest.Open(t, nil)
	iq := &Inquiries{Ledger: l, Trees: &worktree.Trees{Ledger: l}}
	for _, key := range []string{"message:1", "message:2"} {
		_, err := iq.EnsureInquiry(t.Context(), workflow.Inquiry{
			Kind: workflow.InquiryDiff, Key: key, Question: "show the diff", By: "ann",
		})
		require.NoError(t, err)
	}
	for range 2 {
		require.NoError(t, iq.AnswerDiffs(t.Context()))
	}
	said, err := iq.Store.Lines(t.Context(), iq.Session().ID)
	require.NoError(t, err)
	require.Equal(t, []string{"Nothing is changed yet."}, store.Texts(said))
	open, err := iq.HasOpen(t.Context())
	require.NoError(t, err)
	require.False(t, open)
}

// A consultant is asked with the limits of the approval, or not at all.
func TestNobodyIsAskedWithoutTheLimitsOfTheApproval(t *testing.T) {
	t.Parallel()
	iq := &Inquiries{Ledger: ledgertest.Open(t, nil), Trees: &worktree.Trees{}}
	_, err := iq.Store.Pool.Exec(t.Context(), `alter table approvals rename to elsewhere`)
	require.NoError(t, err)
	_, err = iq.ConsultText(t.Context(), "why?")
	require.ErrorContains(t, err, "approvals")
}
