package view_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// Read returns what happened in order; a call has its result, or is open.
func TestRead(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	id := turn.Session().ID
	before, err := view.Version(t.Context(), s.DB, id)
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
	record(items(`{"role":"assistant","text":"I read it.","calls":[{"id":"a","name":"read",` +
		`"args":{"path":"cart.go"}},{"id":"b","name":"run"}]}`))
	record(items(`{"role":"tool","call_id":"a","text":"1 package cart"}`))
	record(items(
		`{"role":"folded","text":"<summary>read it</summary>","fold":{"upto":3,"was":90000,"is":4000}}`))
	record(items(`[]`), store.Lines{{Agent: "orchestrator", Text: "Reading."}})
	storetest.RecordReport(t, turn, 1, "the cause")
	record(inbox.AgentNote{
		Key: workflow.KeyOfReference + "1.0:a:b", Text: "shop#412 is an issue\n<reference>",
	})
	record(inbox.AgentNote{Key: workflow.KeyOfTicket + "1.0:a:jira:SHOP-12", Text: "SHOP-12\n<report>"})
	_, err = s.Pool.Exec(t.Context(), `insert into inbox (session_id, event_id, kind, message_ts, user_id, text,
			shown, value)
		values ($1, 'Ev8', 'alert', '8.1', '', E'<b>it</b> panics\nLink: x', 'The app posted this', 'Sentry'),
			($1, 'Ev9', 'preview', '8.1', '', 'Title of x', '', '')`, id)
	require.NoError(t, err)
	_, err = s.Pool.Exec(t.Context(), `insert into attachments (session_id, number, message_ts, file_id, name,
			size, state, media, content, why)
		values ($1, 1, '8.1', 'F1', 'a.log', 20010, 'read', 'text/plain', $2, 'a gzip file'),
			($1, 2, '8.1', 'F2', 'b.png', 7, 'read', 'image/png', 'x', ''),
			($1, 3, '8.1', 'F3', 'c.bin', 7, 'failed', '', null, 'not read')`,
		id, append([]byte("\xff<i>one</i>\n"), bytes.Repeat([]byte("a"), 20000)...))
	require.NoError(t, err)
	record(inbox.AgentNote{Key: "inquiry:1", Text: "the consultant says no"})

	page, err := view.Read(t.Context(), s.DB, id, time.Time{})
	require.NoError(t, err)
	require.Zero(t, page.Before)
	entries := page.Entries
	type short struct {
		Kind             view.Kind
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
		{Kind: view.Person, Who: "U1", Title: "mention", Text: got[0].Text},
		{Kind: view.Thought, Who: "orchestrator", Text: "I read it."},
		{
			Kind:   view.Call,
			Who:    "orchestrator",
			Title:  "read",
			Text:   `{"path":"cart.go"}`,
			Output: "1 package cart",
		},
		{Kind: view.Call, Who: "orchestrator", Title: "run", Open: true},
		{
			Kind:  view.Fold,
			Who:   "orchestrator",
			Title: "summed up its older work: its model is shown 4 kB instead of 90 kB",
			Text:  "<summary>read it</summary>",
		},
		{Kind: view.Line, Who: "orchestrator", Text: "Reading."},
		{Kind: view.Report, Title: "root_cause", Text: "the cause", Number: 1},
		{Kind: view.Reading, Title: "shop#412 is an issue", Text: "shop#412 is an issue\n<reference>"},
		{Kind: view.Reading, Title: "SHOP-12", Text: "SHOP-12\n<report>"},
		{Kind: view.Reading, Title: "alert of Sentry: <b>it</b> panics", Text: "The app posted this"},
		{Kind: view.Reading, Title: "preview of a link", Text: "Title of x"},
		{
			Kind: view.Reading, Title: "attachment:1 a.log", Number: 1,
			Text: "a gzip file\n<i>one</i>\n" + strings.Repeat("a", 16384-12) + "\n[3626 more bytes]",
		},
		{Kind: view.Reading, Title: "attachment:2 b.png", Number: 2, Text: "image/png, 7 bytes"},
	}, got)

	after, err := view.Version(t.Context(), s.DB, id)
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	folds, err := view.Folds(t.Context(), s.DB, id)
	require.NoError(t, err)
	require.Len(t, folds, 1)
	require.Equal(t, got[4].Title, folds[0].Title)
	_, err = view.Version(t.Context(), s.DB, "nothing")
	require.Error(t, err)
}

// Of a long session the newest page is read first, then the older ones: nothing comes
// twice, nothing is left out, and a call has its result even if that is on another page.
func TestReadPages(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	id := turn.Session().ID
	const items = 4*view.Most + 8
	_, err := s.Pool.Exec(t.Context(),
		`insert into transcript (session_id, seq, at, body) select $1, i, now() + i * interval '1 second',
		case i % 3
		when 0 then json_build_object('role', 'assistant', 'calls', json_build_array(json_build_object('id',
			'a' || i, 'name', 'run'), json_build_object('id', 'b' || i, 'name', 'read')))
		when 1 then json_build_object('role', 'tool', 'call_id', 'a' || i - 1, 'text', 'ran ' || i)
			else json_build_object('role', 'tool', 'call_id', 'b' || i - 2, 'text', 'read') end
		from generate_series(0, $2 - 1) i`, id, items)
	require.NoError(t, err)
	seen := map[string]bool{}
	calls := 0
	var before time.Time
	for pages := 1; ; pages++ {
		page, err := view.Read(t.Context(), s.DB, id, before)
		require.NoError(t, err)
		for _, e := range page.Entries {
			require.False(t, seen[e.ID], e.ID)
			seen[e.ID] = true
			if e.Kind != view.Call {
				continue
			}
			calls++
			if e.Open {
				require.Equal(t, "read", e.Title, "the last one has no result yet")
				continue
			}
			require.Equal(t, time.Second, e.Took)
			found, ok, err := view.Find(t.Context(), s.DB, id, e.ID)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, e, found)
		}
		if before = page.Before; before.IsZero() {
			require.Equal(t, 5, pages)
			break
		}
	}
	require.Equal(t, 2*((items+2)/3), calls)
	for _, bad := range []string{"", "-", "zz", "1-1-1-1", "a1b2c3-99"} {
		_, ok, err := view.Find(t.Context(), s.DB, id, bad)
		require.NoError(t, err)
		require.False(t, ok, bad)
	}
}

// What one transaction recorded has the same time. If a page ends within it, the page has all of it, and
// the older ones follow.
func TestReadPagesOfTheSameTime(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	id := storetest.BeginTurn(t, s).Session().ID
	const lines = 2*view.Most + 100
	_, err := s.Pool.Exec(t.Context(),
		`insert into lines (session_id, agent, text, at) select $1, 'deep', i::text, now() + (i + 1) / 2 *
			interval '1 second' from generate_series(0, $2 - 1) i`,
		id, lines)
	require.NoError(t, err)
	seen := map[string]bool{}
	var before time.Time
	for {
		page, err := view.Read(t.Context(), s.DB, id, before)
		require.NoError(t, err)
		for _, e := range page.Entries {
			require.False(t, seen[e.ID], e.ID)
			seen[e.ID] = true
		}
		if before.IsZero() {
			require.Len(t, page.Entries, view.Most+1, "the page ends within two of the same time")
		}
		if before = page.Before; before.IsZero() {
			break
		}
	}
	require.Len(t, seen, lines+1, "the lines and the request")
}

// A model's arguments may hold characters that Postgres cannot read from JSON.
func TestRowsThatPostgresCannotRead(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	for _, item := range []string{
		`{"role":"assistant","calls":[{"id":"a","name":"run",` +
			`"args":{"command":"printf a\u0000b"}},{"id":"b","name":"run","args":{"command":"\ud800"}}]}`,
		`{"role":"tool","call_id":"a","text":"a\u0000b"}`,
		`{"role":"folded","text":"\u0000","fold":{"upto":2,"was":9000,"is":4000}}`,
	} {
		require.NoError(t,
			turn.Record(t.Context(), progress.Transcript{Items: []json.RawMessage{json.RawMessage(item)}}))
	}
	shares, err := view.Shares(t.Context(), s.DB, turn.Session().ID)
	require.NoError(t, err)
	require.Len(t, shares, 1)
	require.Positive(t, shares[0].Tools)
	folds, err := view.Folds(t.Context(), s.DB, turn.Session().ID)
	require.NoError(t, err)
	require.Len(t, folds, 1)
}

// Shares adds up usage by agent. A session from before usage was stored has only times.
func TestShares(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	id := turn.Session().ID
	_, err := s.Pool.Exec(t.Context(),
		`insert into inquiries (session_id, kind, key, question)
			values ($1, 'consultant', 'a', '?'), ($1, 'consultant', 'b', '?')`,
		id)
	require.NoError(t, err)
	var first int64
	require.NoError(t,
		s.Pool.QueryRow(t.Context(), `select min(id) from inquiries where session_id = $1`, id).Scan(&first))
	for task, ask := range map[int64]time.Duration{0: 4, -first: 1, -first - 1: 2} {
		for i, role := range []string{"user", "assistant", "tool"} {
			_, err := s.Pool.Exec(t.Context(),
				`insert into transcript (session_id, task_id, seq, at, body)
					values ($1, $2, $3, $4, json_build_object('role', $5::text))`,
				id, task, i, time.Unix(1e9, 0).Add(time.Duration(i)*ask*time.Second), role)
			require.NoError(t, err)
		}
		if task != 0 {
			continue
		}
		for range 2 {
			require.NoError(t, turn.Record(t.Context(),
				progress.AgentUsage{Task: task, Input: 100, Cached: 50, Output: 10, USD: 0.25}))
		}
	}
	shares, err := view.Shares(t.Context(), s.DB, id)
	require.NoError(t, err)
	require.Equal(t, []view.Share{
		{
			Who:    "orchestrator",
			Models: 4 * time.Second,
			Tools:  4 * time.Second,
			Calls:  2,
			Input:  200,
			Output: 20,
			USD:    0.5,
		},
		{Who: "consultant", Models: 3 * time.Second, Tools: 3 * time.Second},
	}, shares)
}

// A press that only opened a window is no word of anybody's: what was sent with the window is. A press whose
// window did not open is answered in the thread, and shown.
func TestAnOpenedWindowIsNotShown(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	id := storetest.BeginTurn(t, s).Session().ID
	_, err := s.Pool.Exec(t.Context(), `insert into inbox
			(session_id, event_id, kind, message_ts, user_id, action_id, text)
		values ($1, 'Ev2', 'action', '2.1', 'U2', 'correct', $2), ($1, 'Ev3', 'form', '2.1', 'U2', 'correct', 'tax'),
			($1, 'Ev4', 'action', '2.1', 'U3', 'correct', ''), ($1, 'Ev5', 'action', '2.1', 'U3', 'fix_it', ''),
			($1, 'Ev6', 'action', '2.1', 'U3', 'details', '')`, id, workflow.FormOpened)
	require.NoError(t, err)

	page, err := view.Read(t.Context(), s.DB, id, time.Time{})
	require.NoError(t, err)
	listed, err := view.Messages(t.Context(), s.DB, id)
	require.NoError(t, err)
	for _, entries := range [][]view.Entry{page.Entries, listed} {
		var got []string
		for _, e := range entries[1:] { // after the request
			got = append(got, strings.Join([]string{e.Who, e.Title, e.Text}, " "))
		}
		require.Equal(t, []string{"U2 form tax", "U3 action correct", "U3 action fix it"}, got)
	}
}
