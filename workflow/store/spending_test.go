package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// everyLimit has every limit, with another figure for each span of a unit.
var everyLimit = limitsOf(map[workflow.Span][]float64{
	workflow.SpanSession:    {5, 1000, 3, 10, 2, 4},
	workflow.SpanPersonDay:  {10, 1100, 4, 11, 3, 5},
	workflow.SpanChannelDay: {20, 1200, 5, 12, 4, 6},
	workflow.SpanDay:        {30, 1300, 6, 13, 5, 7},
})

// limitsOf returns the table with the figures of each span, in the order of workflow.Units.
func limitsOf(figures map[workflow.Span][]float64) workflow.Limits {
	all := workflow.Limits{}
	for span, list := range figures {
		all[span] = map[workflow.Unit]float64{}
		for i, unit := range workflow.Units {
			all[span][unit] = list[i]
		}
	}
	return all
}

// asked begins a session of that person in that channel, and returns its first turn.
func asked(t *testing.T, s *store.Store, channel, person string) *store.Turn {
	t.Helper()
	in := storetest.Mention("Ev-"+channel+person, "look")
	in.Thread.Channel = channel
	in.Thread.TS = "1." + person
	in.User = person
	in.TS = in.Thread.TS
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
	var id string
	require.NoError(t, s.Pool.QueryRow(t.Context(),
		`select id from sessions where channel = $1 and requester = $2`, channel, person).Scan(&id))
	turn, err := s.Begin(t.Context(), id, store.NoSettling)
	require.NoError(t, err)
	return turn
}

// used returns what was used under each limit.
func used(t *testing.T, turn *store.Turn) workflow.Limits {
	t.Helper()
	uses, err := turn.Uses(t.Context(), everyLimit)
	require.NoError(t, err)
	require.Len(t, uses, len(workflow.Spans)*len(workflow.Units))
	got := workflow.Limits{}
	for _, u := range uses {
		span, unit := u.Limit.Parts()
		if got[span] == nil {
			got[span] = map[workflow.Unit]float64{}
		}
		got[span][unit] = u.Used
	}
	return got
}

func use(t *testing.T, turn *store.Turn, limit workflow.Limit) workflow.LimitUse {
	t.Helper()
	span, unit := limit.Parts()
	uses, err := turn.Uses(t.Context(), workflow.Limits{
		span:      {unit: everyLimit[span][unit]},
		"nothing": {workflow.UnitUSD: 0},
	})
	require.NoError(t, err)
	require.Len(t, uses, 1, "only what has a limit")
	return uses[0]
}

func mb(n int64) *int64 {
	n <<= 20
	return &n
}

func TestWhatIsUsedAddsUpUnderEachLimit(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	one := asked(t, s, "C1", "U1")
	two := asked(t, s, "C2", "U1")
	other := asked(t, s, "C1", "U2")
	require.NoError(t, one.Record(t.Context(), store.Usage{USD: 1.5, Tokens: 700, Disk: mb(3)},
		progress.Command{Command: "go test"}))
	require.NoError(t, one.Record(t.Context(), store.Usage{USD: 0.5, Tokens: 50}))
	require.NoError(t, two.Record(t.Context(), store.Usage{USD: 4, Printed: 5 << 20}))
	require.NoError(t, other.Record(t.Context(), store.Usage{USD: 8, Tokens: 80, Printed: 1 << 20},
		progress.Command{Command: "go test"}))
	require.NoError(t, other.Record(t.Context(), store.Usage{Disk: mb(4)},
		progress.Command{Command: "go vet"}, progress.Snapshot{Tree: "a", Pack: make([]byte, 1<<20)}))
	_, err := s.Pool.Exec(t.Context(),
		`update spending set worked_ms = case person when 'U2' then 90000 else 70000 end`)
	require.NoError(t, err)
	require.Equal(t, limitsOf(map[workflow.Span][]float64{
		workflow.SpanSession:    {2, 750, 1, 0, 0, 3},
		workflow.SpanPersonDay:  {6, 750, 1, 2, 5, 3},
		workflow.SpanChannelDay: {10, 830, 3, 2, 1, 8},
		workflow.SpanDay:        {14, 830, 3, 3, 6, 8},
	}), used(t, one))

	// The day is the database's: what was spent on another day counts for the session only.
	_, err = s.Pool.Exec(t.Context(), `update spending set day = day - 1`)
	require.NoError(t, err)
	require.NoError(t, one.Record(t.Context(), store.Usage{USD: 1}))
	got := used(t, one)
	require.Equal(t, []float64{0, 0},
		[]float64{got[workflow.SpanDay][workflow.UnitCommands], got[workflow.SpanDay][workflow.UnitOutput]})
	require.Equal(t, 3.0, got[workflow.SpanDay][workflow.UnitDisk], "of those that were at work today")
	require.Equal(t, []float64{3, 1, 1, 1}, []float64{
		got[workflow.SpanSession][workflow.UnitUSD], got[workflow.SpanPersonDay][workflow.UnitUSD],
		got[workflow.SpanChannelDay][workflow.UnitUSD], got[workflow.SpanDay][workflow.UnitUSD],
	})
	day := use(t, one, workflow.LimitOf(workflow.SpanDay, workflow.UnitUSD))
	require.Regexp(t, `^\d{4}-\d\d-\d\d$`, day.Day)
	require.Positive(t, day.Left)
	require.LessOrEqual(t, day.Left, 24*time.Hour)
}

// Output adds up; disk is what is used now, together with what the database stores.
func TestOutputAndDisk(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	figures := func() []float64 {
		return []float64{
			use(t, turn, workflow.LimitOf(workflow.SpanSession, workflow.UnitOutput)).Used,
			use(t, turn, workflow.LimitOf(workflow.SpanSession, workflow.UnitDisk)).Used,
		}
	}
	require.NoError(t, turn.Record(t.Context(), store.Usage{Printed: 1 << 20, Disk: mb(3)}))
	require.NoError(t, turn.Record(t.Context(), store.Usage{Printed: 1 << 19}))
	require.Equal(t, []float64{1.5, 3}, figures())
	require.NoError(t, turn.Record(t.Context(), store.Usage{Disk: mb(2)}, progress.Snapshot{
		Tree: "a",
		Pack: make([]byte, 1<<20),
	}, progress.Snapshot{Task: 1, Tree: "b", Pack: make([]byte, 1<<20)}))
	require.Equal(t, []float64{1.5, 4}, figures())
	require.True(t, use(t, turn, workflow.LimitOf(workflow.SpanSession, workflow.UnitDisk)).Reached())
	require.NoError(t,
		turn.Record(t.Context(), store.Usage{Disk: mb(0)}, progress.Snapshot{Tree: "c", Pack: []byte{}}))
	require.Equal(t, []float64{1.5, 1}, figures())
}

// Time counts while a turn is at work, and not between turns.
func TestTimeAtWork(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	require.NoError(t, turn.Record(t.Context()))
	require.Zero(t, storetest.CountRows(t, s, `select worked_ms from sessions`), "it waited for its place")
	turn.Work()
	for storetest.CountRows(t, s, `select worked_ms from sessions`) < 3 {
		require.NoError(t, turn.Record(t.Context()))
		_, err := s.Pool.Exec(t.Context(), `select pg_sleep(0.002)`)
		require.NoError(t, err)
	}
	before := storetest.CountRows(t, s, `select worked_ms from sessions`)
	require.Equal(t, before, storetest.CountRows(t, s,
		`select coalesce(sum(worked_ms), 0)::bigint from spending`), "and on this day, without money")
	later, err := s.Begin(t.Context(), turn.Session().ID, store.NoSettling)
	require.NoError(t, err)
	require.NoError(t, later.Record(t.Context()))
	require.Equal(t, before, storetest.CountRows(t, s, `select worked_ms from sessions`),
		"nobody was at work")
	_, err = s.Pool.Exec(t.Context(), `update sessions set worked_ms = 10 * 60000`)
	require.NoError(t, err)
	require.True(t, use(t, later, workflow.LimitOf(workflow.SpanSession, workflow.UnitMinutes)).Reached())
}

// A later turn reads what was used before, and a fenced turn adds nothing.
func TestUseIsKeptOverTurns(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	old := storetest.BeginTurn(t, s)
	require.NoError(t, old.Record(t.Context(), progress.Transcript{Items: []json.RawMessage{[]byte(`{}`)}},
		store.Usage{USD: 4, Tokens: 10}))
	now, err := s.Begin(t.Context(), old.Session().ID, store.NoSettling)
	require.NoError(t, err)
	require.ErrorIs(t, old.Record(t.Context(), store.Usage{USD: 4, Tokens: 10}), store.ErrFenced)
	got := used(t, now)
	require.Equal(t, []float64{4, 10, 4}, []float64{
		got[workflow.SpanSession][workflow.UnitUSD], got[workflow.SpanSession][workflow.UnitTokens],
		got[workflow.SpanDay][workflow.UnitUSD],
	})
}

// allows returns the permission and extension of a limit from the person who wrote last in the session.
func allows(t *testing.T, s *store.Store, turn *store.Turn, u workflow.LimitUse) []store.Part {
	t.Helper()
	p := workflow.Permission{ID: store.NewToken(), What: workflow.PermitLimit, UserName: "ann"}
	require.NoError(t, s.Pool.QueryRow(t.Context(),
		`select id, message_ts, user_id from inbox where session_id = $1 order by id desc limit 1`,
		turn.Session().ID).
		Scan(&p.Message, &p.MessageTS, &p.User))
	return []store.Part{
		consent.Permission{Permission: p},
		consent.Extension{LimitUse: u, User: p.User, UserName: p.UserName, MessageTS: p.MessageTS},
	}
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	one := asked(t, s, "C1", "U1")
	other := asked(t, s, "C2", "U2")
	require.NoError(t, one.Record(t.Context(), store.Usage{USD: 30}))
	full := use(t, one, workflow.LimitOf(workflow.SpanDay, workflow.UnitUSD))
	require.True(t, full.Reached())
	require.True(t, use(t, other, workflow.LimitOf(workflow.SpanDay, workflow.UnitUSD)).Reached(),
		"it is everybody's")
	require.False(t, use(t, other, workflow.LimitOf(workflow.SpanSession, workflow.UnitUSD)).Reached())

	// Two people at the same moment allow as much again once, not twice.
	require.NoError(t, one.Record(t.Context(), allows(t, s, one, full)...))
	require.NoError(t, other.Record(t.Context(), allows(t, s, other, full)...))
	more := use(t, other, workflow.LimitOf(workflow.SpanDay, workflow.UnitUSD))
	require.Equal(t, []any{60.0, 1, false}, []any{more.Allowed, more.Number, more.Reached()})
	require.Equal(t, 1,
		storetest.CountRows(t, s, `select count(*) from extensions where user_name = 'ann' and amount = 30`))

	// The extension of a session is its own, and the extension of another day is over.
	_, err := s.Pool.Exec(t.Context(),
		`insert into inbox (session_id, event_id, kind, message_ts, user_id)
			values ($1, 'again', 'reply', '9.0', 'U1')`,
		one.Session().ID)
	require.NoError(t, err)
	require.NoError(t, one.Record(t.Context(),
		allows(t, s, one, use(t, one, workflow.LimitOf(workflow.SpanSession, workflow.UnitUSD)))...))
	require.Equal(t, []float64{10, 5}, []float64{
		use(t, one, workflow.LimitOf(workflow.SpanSession, workflow.UnitUSD)).Allowed,
		use(t, other, workflow.LimitOf(workflow.SpanSession, workflow.UnitUSD)).Allowed,
	})
	_, err = s.Pool.Exec(t.Context(), `update extensions set day = '2026-03-02' where day <> ''`)
	require.NoError(t, err)
	require.True(t, use(t, one, workflow.LimitOf(workflow.SpanDay, workflow.UnitUSD)).Reached())
	require.Equal(t, 10.0, use(t, one, workflow.LimitOf(workflow.SpanSession, workflow.UnitUSD)).Allowed)
}

func TestAWarningIsSaidOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	one := asked(t, s, "C1", "U1")
	other := asked(t, s, "C2", "U2")
	said := []workflow.Line{{Agent: "a", Text: "near"}}
	near := use(t, one, workflow.LimitOf(workflow.SpanDay, workflow.UnitUSD))
	require.False(t, near.Warned)
	require.NoError(t, one.Record(t.Context(), store.LimitWarning(near), store.Lines(said)))
	for _, turn := range []*store.Turn{one, other} {
		require.ErrorIs(t,
			turn.Record(t.Context(), store.LimitWarning(near), store.Lines(said)), store.ErrStale)
	}
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from lines where text = 'near'`))
	require.True(t, use(t, other, workflow.LimitOf(workflow.SpanDay, workflow.UnitUSD)).Warned)
	near.Number++ // more was allowed meanwhile
	require.NoError(t, other.Record(t.Context(), store.LimitWarning(near), store.Lines(said)))
	require.Equal(t, 2, storetest.CountRows(t, s, `select count(*) from lines where text = 'near'`))
}

func TestASessionRestsAtALimitUntilItIsOpen(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	limited := func() bool {
		at, err := turn.Limited(t.Context())
		require.NoError(t, err)
		return !at.IsZero()
	}
	yes, no := true, false
	require.False(t, limited())
	for _, end := range []store.Update{{Open: &yes}, {ClearStop: true, Open: &no}} {
		require.NoError(t, turn.Record(t.Context(), store.Update{Open: &no, Limited: true}))
		require.True(t, limited())
		require.NoError(t, turn.Record(t.Context()))
		require.True(t, limited())
		require.NoError(t, turn.Record(t.Context(), end))
		require.False(t, limited())
	}
}
