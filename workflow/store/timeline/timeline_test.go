package timeline_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/timeline"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// What happened is told in its order; a call has its result, or is open.
func TestRead(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	id := turn.Session().ID
	before, err := timeline.Version(t.Context(), s.DB, id)
	require.NoError(t, err)
	record := func(parts ...store.Part) {
		t.Helper()
		require.NoError(t, turn.Record(t.Context(), parts...))
	}
	items := func(items ...string) progress.Transcript {
		x := progress.Transcript{}
		for _, i := range items {
			x.Items = append(x.Items, json.RawMessage(i))
		}
		return x
	}
	record(items(`{"role":"user","text":"what a person wrote, once more"}`))
	record(items(`{"role":"assistant","text":"I read it.","calls":[{"id":"a","name":"read","args":{"path":"cart.go"}},{"id":"b","name":"run"}]}`))
	record(items(`{"role":"tool","call_id":"a","text":"1 package cart"}`))
	record(items(`[]`), store.Lines{{Agent: "orchestrator", Text: "Reading."}})
	storetest.RecordReport(t, turn, 1, "the cause")

	entries, more, err := timeline.Read(t.Context(), s.DB, id)
	require.NoError(t, err)
	require.False(t, more)
	type short struct {
		Kind             timeline.Kind
		Who, Title, Text string
		Output           string
		Open             bool
		Number           int
	}
	var got []short
	for _, e := range entries {
		require.False(t, e.At.IsZero())
		got = append(got, short{e.Kind, e.Who, e.Title, e.Text, e.Output, e.Open, e.Number})
	}
	require.Equal(t, []short{
		{Kind: timeline.Person, Who: "U1", Title: "mention", Text: got[0].Text},
		{Kind: timeline.Thought, Who: "orchestrator", Text: "I read it."},
		{Kind: timeline.Call, Who: "orchestrator", Title: "read", Text: `{"path":"cart.go"}`, Output: "1 package cart"},
		{Kind: timeline.Call, Who: "orchestrator", Title: "run", Open: true},
		{Kind: timeline.Line, Who: "orchestrator", Text: "Reading."},
		{Kind: timeline.Report, Title: "root_cause", Text: "the cause", Number: 1},
	}, got)

	after, err := timeline.Version(t.Context(), s.DB, id)
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	_, err = timeline.Version(t.Context(), s.DB, "nothing")
	require.Error(t, err)
}

// Of a long session the newest is told, and that there is more.
func TestReadMost(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	_, err := s.Pool.Exec(t.Context(), `insert into lines (session_id, agent, text) select $1, 'bobbin', 'line ' || i from generate_series(1, $2) i`, turn.Session().ID, timeline.Most)
	require.NoError(t, err)
	entries, more, err := timeline.Read(t.Context(), s.DB, turn.Session().ID)
	require.NoError(t, err)
	require.True(t, more)
	require.Len(t, entries, timeline.Most)
	require.Equal(t, "line 1", entries[0].Text)
}
