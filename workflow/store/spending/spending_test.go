package spending_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/quota"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/spending"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// everyLimit has every limit, with another figure for each span of a unit.
var everyLimit = limitsOf(map[quota.Span][]float64{
	quota.OfSession:    {5, 1000, 3, 10, 2, 4},
	quota.OfPersonDay:  {10, 1100, 4, 11, 3, 5},
	quota.OfChannelDay: {20, 1200, 5, 12, 4, 6},
	quota.OfDay:        {30, 1300, 6, 13, 5, 7},
})

// limitsOf returns the table with the figures of each span, in the order of quota.Units.
func limitsOf(figures map[quota.Span][]float64) quota.Limits {
	all := quota.Limits{}
	for span, list := range figures {
		all[span] = map[quota.Unit]float64{}
		for i, unit := range quota.Units {
			all[span][unit] = list[i]
		}
	}
	return all
}

// asked begins a session of that person in that channel, and returns its first turn.
func asked(t *testing.T, s *store.Store, channel, person string) *store.Turn {
	t.Helper()
	in := storetest.Mention("Ev-"+channel+person, "look")
	in.Thread.Channel, in.Thread.TS, in.User = channel, "1."+person, person
	in.TS = in.Thread.TS
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
	var id string
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select id from sessions where channel = $1 and requester = $2`, channel, person).Scan(&id))
	turn, err := s.Begin(t.Context(), id)
	require.NoError(t, err)
	return turn
}

// used returns what was used under each limit.
func used(t *testing.T, turn *store.Turn) quota.Limits {
	t.Helper()
	uses, err := turn.Uses(t.Context(), everyLimit)
	require.NoError(t, err)
	require.Len(t, uses, len(quota.Spans)*len(quota.Units))
	got := quota.Limits{}
	for _, u := range uses {
		span, unit := u.Limit.Parts()
		if got[span] == nil {
			got[span] = map[quota.Unit]float64{}
		}
		got[span][unit] = u.Used
	}
	return got
}

func use(t *testing.T, turn *store.Turn, limit quota.Limit) quota.Use {
	t.Helper()
	span, unit := limit.Parts()
	uses, err := turn.Uses(t.Context(), quota.Limits{span: {unit: everyLimit[span][unit]}, "nothing": {quota.USD: 0}})
	require.NoError(t, err)
	require.Len(t, uses, 1, "only what has a limit")
	return uses[0]
}

func mb(n int64) *int64 { n <<= 20; return &n }

func TestWhatIsUsedAddsUpUnderEachLimit(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	one, two, other := asked(t, s, "C1", "U1"), asked(t, s, "C2", "U1"), asked(t, s, "C1", "U2")
	require.NoError(t, one.Record(t.Context(), spending.Usage{USD: 1.5, Tokens: 700, Disk: mb(3)}, progress.Command{Command: "go test"}))
	require.NoError(t, one.Record(t.Context(), spending.Usage{USD: 0.5, Tokens: 50}))
	require.NoError(t, two.Record(t.Context(), spending.Usage{USD: 4, Printed: 5 << 20}))
	require.NoError(t, other.Record(t.Context(), spending.Usage{USD: 8, Tokens: 80, Printed: 1 << 20}, progress.Command{Command: "go test"}))
	require.NoError(t, other.Record(t.Context(), spending.Usage{Disk: mb(4)}, progress.Command{Command: "go vet"}, progress.Snapshot{Tree: "a", Pack: make([]byte, 1<<20)}))
	_, err := s.Pool.Exec(t.Context(), `update spending set worked_ms = case person when 'U2' then 90000 else 70000 end`)
	require.NoError(t, err)
	require.Equal(t, limitsOf(map[quota.Span][]float64{
		quota.OfSession:    {2, 750, 1, 0, 0, 3},
		quota.OfPersonDay:  {6, 750, 1, 2, 5, 3},
		quota.OfChannelDay: {10, 830, 3, 2, 1, 8},
		quota.OfDay:        {14, 830, 3, 3, 6, 8},
	}), used(t, one))

	// The day is the database's: what was spent on another day counts for the session only.
	_, err = s.Pool.Exec(t.Context(), `update spending set day = day - 1`)
	require.NoError(t, err)
	require.NoError(t, one.Record(t.Context(), spending.Usage{USD: 1}))
	got := used(t, one)
	require.Equal(t, []float64{0, 0}, []float64{got[quota.OfDay][quota.Commands], got[quota.OfDay][quota.Output]})
	require.Equal(t, 3.0, got[quota.OfDay][quota.Disk], "of those that were at work today")
	require.Equal(t, []float64{3, 1, 1, 1}, []float64{
		got[quota.OfSession][quota.USD], got[quota.OfPersonDay][quota.USD], got[quota.OfChannelDay][quota.USD], got[quota.OfDay][quota.USD],
	})
	day := use(t, one, quota.LimitOf(quota.OfDay, quota.USD))
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
		return []float64{use(t, turn, quota.LimitOf(quota.OfSession, quota.Output)).Used, use(t, turn, quota.LimitOf(quota.OfSession, quota.Disk)).Used}
	}
	require.NoError(t, turn.Record(t.Context(), spending.Usage{Printed: 1 << 20, Disk: mb(3)}))
	require.NoError(t, turn.Record(t.Context(), spending.Usage{Printed: 1 << 19}))
	require.Equal(t, []float64{1.5, 3}, figures())
	require.NoError(t, turn.Record(t.Context(), spending.Usage{Disk: mb(2)}, progress.Snapshot{Tree: "a", Pack: make([]byte, 1<<20)}, progress.Snapshot{Task: 1, Tree: "b", Pack: make([]byte, 1<<20)}))
	require.Equal(t, []float64{1.5, 4}, figures())
	require.True(t, use(t, turn, quota.LimitOf(quota.OfSession, quota.Disk)).Reached())
	require.NoError(t, turn.Record(t.Context(), spending.Usage{Disk: mb(0)}, progress.Snapshot{Tree: "c", Pack: []byte{}}))
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
	require.Equal(t, before, storetest.CountRows(t, s, `select coalesce(sum(worked_ms), 0)::bigint from spending`), "and on this day, without money")
	later, err := s.Begin(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	require.NoError(t, later.Record(t.Context()))
	require.Equal(t, before, storetest.CountRows(t, s, `select worked_ms from sessions`), "nobody was at work")
	_, err = s.Pool.Exec(t.Context(), `update sessions set worked_ms = 10 * 60000`)
	require.NoError(t, err)
	require.True(t, use(t, later, quota.LimitOf(quota.OfSession, quota.Minutes)).Reached())
}

// A later turn reads what was used before, and a fenced turn adds nothing.
func TestUseIsKeptOverTurns(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	old := storetest.BeginTurn(t, s)
	require.NoError(t, old.Record(t.Context(), progress.Transcript{Items: []json.RawMessage{[]byte(`{}`)}}, spending.Usage{USD: 4, Tokens: 10}))
	now, err := s.Begin(t.Context(), old.Session().ID)
	require.NoError(t, err)
	require.ErrorIs(t, old.Record(t.Context(), spending.Usage{USD: 4, Tokens: 10}), store.ErrFenced)
	got := used(t, now)
	require.Equal(t, []float64{4, 10, 4}, []float64{got[quota.OfSession][quota.USD], got[quota.OfSession][quota.Tokens], got[quota.OfDay][quota.USD]})
}

// allows returns the permission and extension of a limit from the person who wrote last in the session.
func allows(t *testing.T, s *store.Store, turn *store.Turn, u quota.Use) []store.Part {
	t.Helper()
	p := permit.Permission{ID: store.NewToken(), What: permit.Limit, UserName: "ann"}
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select id, message_ts, user_id from inbox where session_id = $1 order by id desc limit 1`, turn.Session().ID).
		Scan(&p.Message, &p.MessageTS, &p.User))
	return []store.Part{consent.Permission{Permission: p}, consent.Extension{Use: u, User: p.User, UserName: p.UserName, MessageTS: p.MessageTS}}
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	one, other := asked(t, s, "C1", "U1"), asked(t, s, "C2", "U2")
	require.NoError(t, one.Record(t.Context(), spending.Usage{USD: 30}))
	full := use(t, one, quota.LimitOf(quota.OfDay, quota.USD))
	require.True(t, full.Reached())
	require.True(t, use(t, other, quota.LimitOf(quota.OfDay, quota.USD)).Reached(), "it is everybody's")
	require.False(t, use(t, other, quota.LimitOf(quota.OfSession, quota.USD)).Reached())

	// Two people at the same moment allow as much again once, not twice.
	require.NoError(t, one.Record(t.Context(), allows(t, s, one, full)...))
	require.NoError(t, other.Record(t.Context(), allows(t, s, other, full)...))
	more := use(t, other, quota.LimitOf(quota.OfDay, quota.USD))
	require.Equal(t, []any{60.0, 1, false}, []any{more.Allowed, more.Number, more.Reached()})
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from extensions where user_name = 'ann' and amount = 30`))

	// The extension of a session is its own, and the extension of another day is over.
	_, err := s.Pool.Exec(t.Context(), `insert into inbox (session_id, event_id, kind, message_ts, user_id) values ($1, 'again', 'reply', '9.0', 'U1')`, one.Session().ID)
	require.NoError(t, err)
	require.NoError(t, one.Record(t.Context(), allows(t, s, one, use(t, one, quota.LimitOf(quota.OfSession, quota.USD)))...))
	require.Equal(t, []float64{10, 5}, []float64{use(t, one, quota.LimitOf(quota.OfSession, quota.USD)).Allowed, use(t, other, quota.LimitOf(quota.OfSession, quota.USD)).Allowed})
	_, err = s.Pool.Exec(t.Context(), `update extensions set day = '2026-03-02' where day <> ''`)
	require.NoError(t, err)
	require.True(t, use(t, one, quota.LimitOf(quota.OfDay, quota.USD)).Reached())
	require.Equal(t, 10.0, use(t, one, quota.LimitOf(quota.OfSession, quota.USD)).Allowed)
}

func TestAWarningIsSaidOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	one, other := asked(t, s, "C1", "U1"), asked(t, s, "C2", "U2")
	said := []outgoing.Line{{Agent: "a", Text: "near"}}
	near := use(t, one, quota.LimitOf(quota.OfDay, quota.USD))
	require.False(t, near.Warned)
	require.NoError(t, one.Record(t.Context(), spending.Warning(near), store.Lines(said)))
	for _, turn := range []*store.Turn{one, other} {
		require.ErrorIs(t, turn.Record(t.Context(), spending.Warning(near), store.Lines(said)), store.ErrStale)
	}
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from lines where text = 'near'`))
	require.True(t, use(t, other, quota.LimitOf(quota.OfDay, quota.USD)).Warned)
	near.Number++ // more was allowed meanwhile
	require.NoError(t, other.Record(t.Context(), spending.Warning(near), store.Lines(said)))
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
