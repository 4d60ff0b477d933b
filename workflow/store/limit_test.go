package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

var everyLimit = workflow.Limits{
	workflow.LimitSessionUSD: 5, workflow.LimitSessionTokens: 1000, workflow.LimitSessionCommands: 3, workflow.LimitSessionMinutes: 10,
	workflow.LimitSessionOutput: 2, workflow.LimitSessionDisk: 4,
	workflow.LimitPersonDayUSD: 10, workflow.LimitChannelDayUSD: 20, workflow.LimitDayUSD: 30,
	workflow.LimitPersonDayTokens: 1100, workflow.LimitChannelDayTokens: 1200, workflow.LimitDayTokens: 1300,
	workflow.LimitPersonDayMinutes: 11, workflow.LimitChannelDayMinutes: 12, workflow.LimitDayMinutes: 13,
}

// asked begins a session of that person in that channel.
func asked(t *testing.T, s *store.Store, channel, person string) *store.Turn {
	t.Helper()
	in := mention("Ev-"+channel+person, "look")
	in.Thread.Channel, in.Thread.TS, in.User = channel, "1."+person, person
	in.TS = in.Thread.TS
	require.NoError(t, s.Receive(t.Context(), in))
	var id string
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select id from sessions where channel = $1 and requester = $2`, channel, person).Scan(&id))
	turn, err := s.Begin(t.Context(), id)
	require.NoError(t, err)
	return turn
}

// used is what each limit says was used.
func used(t *testing.T, turn *store.Turn) map[workflow.Limit]float64 {
	t.Helper()
	uses, err := turn.Uses(t.Context(), everyLimit)
	require.NoError(t, err)
	require.Len(t, uses, len(everyLimit))
	got := map[workflow.Limit]float64{}
	for _, u := range uses {
		got[u.Limit] = u.Used
	}
	return got
}

func use(t *testing.T, turn *store.Turn, limit workflow.Limit) workflow.Use {
	t.Helper()
	uses, err := turn.Uses(t.Context(), workflow.Limits{limit: everyLimit[limit], "nothing": 0})
	require.NoError(t, err)
	require.Len(t, uses, 1, "only what has a limit")
	return uses[0]
}

func TestWhatIsUsedAddsUpUnderEachLimit(t *testing.T) {
	t.Parallel()
	s := open(t)
	one, two, other := asked(t, s, "C1", "U1"), asked(t, s, "C2", "U1"), asked(t, s, "C1", "U2")
	require.NoError(t, one.Record(t.Context(), store.Fact{SpentUSD: 1.5, Tokens: 700, Command: &store.Command{Command: "go test"}}))
	require.NoError(t, one.Record(t.Context(), store.Fact{SpentUSD: 0.5, Tokens: 50}))
	require.NoError(t, two.Record(t.Context(), store.Fact{SpentUSD: 4, Printed: 5 << 20}))
	require.NoError(t, other.Record(t.Context(), store.Fact{SpentUSD: 8, Tokens: 80}))
	_, err := s.Pool.Exec(t.Context(), `update spending set worked_ms = case person when 'U2' then 90000 else 70000 end`)
	require.NoError(t, err)
	require.Equal(t, map[workflow.Limit]float64{
		workflow.LimitSessionUSD: 2, workflow.LimitSessionTokens: 750, workflow.LimitSessionCommands: 1, workflow.LimitSessionMinutes: 0,
		workflow.LimitSessionOutput: 0, workflow.LimitSessionDisk: 0,
		workflow.LimitPersonDayUSD: 6, workflow.LimitChannelDayUSD: 10, workflow.LimitDayUSD: 14,
		workflow.LimitPersonDayTokens: 750, workflow.LimitChannelDayTokens: 830, workflow.LimitDayTokens: 830,
		workflow.LimitPersonDayMinutes: 2, workflow.LimitChannelDayMinutes: 2, workflow.LimitDayMinutes: 3,
	}, used(t, one))

	// The day is the database's: what was spent on another one counts for the session only.
	_, err = s.Pool.Exec(t.Context(), `update spending set day = day - 1`)
	require.NoError(t, err)
	require.NoError(t, one.Record(t.Context(), store.Fact{SpentUSD: 1}))
	got := used(t, one)
	require.Equal(t, []float64{3, 1, 1, 1}, []float64{
		got[workflow.LimitSessionUSD], got[workflow.LimitPersonDayUSD], got[workflow.LimitChannelDayUSD], got[workflow.LimitDayUSD],
	})
	day := use(t, one, workflow.LimitDayUSD)
	require.Regexp(t, `^\d{4}-\d\d-\d\d$`, day.Day)
	require.Positive(t, day.Left)
	require.LessOrEqual(t, day.Left, 24*time.Hour)
}

// What was printed adds up; the disk is what it takes now, with what is kept of it in the
// database.
func TestOutputAndDisk(t *testing.T) {
	t.Parallel()
	s := open(t)
	turn := begun(t, s)
	mb := func(n int64) *int64 { n <<= 20; return &n }
	figures := func() []float64 {
		return []float64{use(t, turn, workflow.LimitSessionOutput).Used, use(t, turn, workflow.LimitSessionDisk).Used}
	}
	require.NoError(t, turn.Record(t.Context(), store.Fact{Printed: 1 << 20, Disk: mb(3)}))
	require.NoError(t, turn.Record(t.Context(), store.Fact{Printed: 1 << 19}))
	require.Equal(t, []float64{1.5, 3}, figures())
	require.NoError(t, turn.Record(t.Context(), store.Fact{Disk: mb(2), Snapshots: []store.Snapshot{{Tree: "a", Pack: make([]byte, 1<<20)}, {Task: 1, Tree: "b", Pack: make([]byte, 1<<20)}}}))
	require.Equal(t, []float64{1.5, 4}, figures())
	require.True(t, use(t, turn, workflow.LimitSessionDisk).Reached())
	require.NoError(t, turn.Record(t.Context(), store.Fact{Disk: mb(0), Snapshots: []store.Snapshot{{Tree: "c", Pack: []byte{}}}}))
	require.Equal(t, []float64{1.5, 1}, figures())
}

// Time at work counts while a turn is at it, and not between turns.
func TestTimeAtWork(t *testing.T) {
	t.Parallel()
	s := open(t)
	turn := begun(t, s)
	require.NoError(t, turn.Record(t.Context(), store.Fact{}))
	require.Zero(t, number(t, s, `select worked_ms from sessions`), "it waited for its place")
	turn.Work()
	for number(t, s, `select worked_ms from sessions`) < 3 {
		require.NoError(t, turn.Record(t.Context(), store.Fact{}))
		_, err := s.Pool.Exec(t.Context(), `select pg_sleep(0.002)`)
		require.NoError(t, err)
	}
	before := number(t, s, `select worked_ms from sessions`)
	require.Equal(t, before, number(t, s, `select coalesce(sum(worked_ms), 0)::bigint from spending`), "and on this day, without money")
	later, err := s.Begin(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	require.NoError(t, later.Record(t.Context(), store.Fact{}))
	require.Equal(t, before, number(t, s, `select worked_ms from sessions`), "nobody was at work")
	_, err = s.Pool.Exec(t.Context(), `update sessions set worked_ms = 10 * 60000`)
	require.NoError(t, err)
	require.True(t, use(t, later, workflow.LimitSessionMinutes).Reached())
}

// What was used is there for a later turn, and a turn that was fenced off adds nothing.
func TestUseIsKeptOverTurns(t *testing.T) {
	t.Parallel()
	s := open(t)
	old := begun(t, s)
	require.NoError(t, old.Record(t.Context(), store.Fact{SpentUSD: 4, Tokens: 10, Items: []json.RawMessage{[]byte(`{}`)}}))
	now, err := s.Begin(t.Context(), old.Session().ID)
	require.NoError(t, err)
	require.ErrorIs(t, old.Record(t.Context(), store.Fact{SpentUSD: 4, Tokens: 10}), store.ErrFenced)
	got := used(t, now)
	require.Equal(t, []float64{4, 10, 4}, []float64{got[workflow.LimitSessionUSD], got[workflow.LimitSessionTokens], got[workflow.LimitDayUSD]})
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	s := open(t)
	one, other := asked(t, s, "C1", "U1"), asked(t, s, "C2", "U2")
	require.NoError(t, one.Record(t.Context(), store.Fact{SpentUSD: 30}))
	full := use(t, one, workflow.LimitDayUSD)
	require.True(t, full.Reached())
	require.True(t, use(t, other, workflow.LimitDayUSD).Reached(), "it is everybody's")
	require.False(t, use(t, other, workflow.LimitSessionUSD).Reached())

	// Two people at the same moment allow as much again, not twice as much.
	allow := store.Fact{Extensions: []workflow.Extension{{Use: full, User: "U1", UserName: "ann", MessageTS: "1.2"}}}
	require.NoError(t, one.Record(t.Context(), allow))
	require.NoError(t, other.Record(t.Context(), allow))
	more := use(t, other, workflow.LimitDayUSD)
	require.Equal(t, []any{60.0, 1, false}, []any{more.Allowed, more.Number, more.Reached()})
	require.Equal(t, 1, number(t, s, `select count(*) from extensions where user_name = 'ann' and amount = 30`))

	// A session's is its own, and another day's is over.
	require.NoError(t, one.Record(t.Context(), store.Fact{Extensions: []workflow.Extension{{Use: use(t, one, workflow.LimitSessionUSD), User: "U1"}}}))
	require.Equal(t, []float64{10, 5}, []float64{use(t, one, workflow.LimitSessionUSD).Allowed, use(t, other, workflow.LimitSessionUSD).Allowed})
	_, err := s.Pool.Exec(t.Context(), `update extensions set day = '2026-03-02' where day <> ''`)
	require.NoError(t, err)
	require.True(t, use(t, one, workflow.LimitDayUSD).Reached())
	require.Equal(t, 10.0, use(t, one, workflow.LimitSessionUSD).Allowed)
}

func TestAWarningIsSaidOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	one, other := asked(t, s, "C1", "U1"), asked(t, s, "C2", "U2")
	said := []workflow.Line{{Agent: "a", Text: "near"}}
	near := use(t, one, workflow.LimitDayUSD)
	require.False(t, near.Warned)
	for _, turn := range []*store.Turn{one, one, other} {
		require.NoError(t, turn.Warn(t.Context(), near, said))
	}
	require.Equal(t, 1, number(t, s, `select count(*) from lines where text = 'near'`))
	require.True(t, use(t, other, workflow.LimitDayUSD).Warned)
	near.Number++ // more was allowed meanwhile
	require.NoError(t, other.Warn(t.Context(), near, said))
	require.Equal(t, 2, number(t, s, `select count(*) from lines where text = 'near'`))
}

func TestASessionRestsAtALimitUntilItIsOpen(t *testing.T) {
	t.Parallel()
	s := open(t)
	turn := begun(t, s)
	limited := func() bool {
		at, err := turn.Limited(t.Context())
		require.NoError(t, err)
		return !at.IsZero()
	}
	yes, no := true, false
	require.False(t, limited())
	for _, end := range []store.Fact{{Open: &yes}, {ClearStop: true, Open: &no}} {
		require.NoError(t, turn.Record(t.Context(), store.Fact{Limited: true, Open: &no}))
		require.True(t, limited())
		require.NoError(t, turn.Record(t.Context(), store.Fact{}))
		require.True(t, limited())
		require.NoError(t, turn.Record(t.Context(), end))
		require.False(t, limited())
	}
}
