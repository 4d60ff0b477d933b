package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

const aWhile = 10 * time.Minute

// atWorkFor returns the turn of a session that has something
// to do, and whose thread was quiet for that long.
func atWorkFor(t *testing.T, s *store.Store, quiet time.Duration) *store.Turn {
	t.Helper()
	ctx := t.Context()
	open := true
	in := workflow.IncomingEvent{
		EventID: "Ev1",
		Kind:    workflow.MessageMention,
		Thread:  workflow.Thread{Team: "T1", Channel: "C1", TS: "1.0"},
		TS:      "1.0",
		User:    "U1",
		Text:    "it fails",
	}
	require.NoError(t, storetest.Inbox(s).Receive(ctx, in))
	list, err := s.Sessions(ctx, 1)
	require.NoError(t, err)
	turn, err := s.Begin(ctx, list[0].ID, store.NoSettling)
	require.NoError(t, err)
	require.NoError(t, turn.Record(ctx, inbox.Handled{ID: 1, ForAgents: true}, store.Update{Open: &open},
		store.Lines{{Agent: "deep", Text: "looking"}}))
	passed(t, s, quiet)
	return turn
}

// passed makes all lines and messages older by d.
func passed(t *testing.T, s *store.Store, d time.Duration) {
	t.Helper()
	for _, table := range []string{"lines", "inbox"} {
		_, err := s.Pool.Exec(t.Context(), `update `+table+` set at = at - $1::interval`, d)
		require.NoError(t, err)
	}
}

func silentOnes(t *testing.T, s *store.Store) int {
	t.Helper()
	ids, err := store.ListSilent(t.Context(), s.DB, aWhile)
	require.NoError(t, err)
	return len(ids)
}

func TestOnlyThreadsAtWorkAreSilent(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := atWorkFor(t, s, aWhile-time.Minute)
	require.Zero(t, silentOnes(t, s), "not yet")
	passed(t, s, 2*time.Minute)
	require.Equal(t, 1, silentOnes(t, s))

	for _, waits := range []store.Update{
		{Events: []workflow.Event{workflow.EventReport}, Open: new(bool)},
		{Events: []workflow.Event{workflow.EventPause}, Open: new(bool)},
		{Events: []workflow.Event{workflow.EventStop}, Open: new(bool)},
	} {
		require.NoError(t, turn.Record(ctx, waits))
		require.Zero(t, silentOnes(t, s), "it waits for people: %v", waits.Events)
	}
	open := true
	require.NoError(t,
		turn.Record(ctx, store.Update{Events: []workflow.Event{workflow.EventRequest}, Open: &open}))
	require.Equal(t, 1, silentOnes(t, s))
	require.NoError(t, storetest.Inbox(s).Receive(ctx, workflow.IncomingEvent{
		EventID: "Ev2",
		Kind:    workflow.MessageReply,
		Thread:  turn.Session().Thread,
		TS:      "2.0",
		User:    "U1",
		Text:    "well?",
	}))
	require.Zero(t, silentOnes(t, s), "somebody spoke")
	passed(t, s, aWhile)
	_, err := s.Pool.Exec(ctx,
		`update river_job set state = 'completed', finalized_at = now() where kind = 'turn'`)
	require.NoError(t, err)
	require.Zero(t, silentOnes(t, s), "nobody works on it: it is woken first")
}

// speakers returns how often a silence is broken by four replicas that look at the same moment.
func speakers(t *testing.T, unguarded bool) int {
	s := storetest.OpenPatient(t) // the first transaction waits for the other three
	turn := atWorkFor(t, s, aWhile)
	end, err := turn.UnderWay(t.Context(), "go test ./...")
	require.NoError(t, err)
	breaker := store.NewSilenceNotifier(s)
	breaker.WithoutLock(unguarded)
	var said atomic.Int32
	var all, met sync.WaitGroup
	met.Add(4)
	for range 4 {
		all.Go(func() {
			var once sync.Once
			defer once.Do(met.Done)
			broke, err := breaker.Notify(t.Context(), turn.Session().ID, aWhile,
				func(x store.SilentSession) workflow.Line {
					once.Do(met.Done)
					met.Wait() // all replicas that got past the lock are here before one of them goes on
					if len(x.Commands) == 1 && x.Commands[0].What == "go test ./..." {
						return workflow.Line{Agent: "orchestrator", Text: "Still at work"}
					}
					return workflow.Line{}
				})
			if err == nil && broke {
				said.Add(1)
			}
		})
	}
	all.Wait()
	require.Zero(t, silentOnes(t, s))
	n := 0
	require.NoError(t, s.Pool.QueryRow(
		t.Context(),
		`select count(*) from lines l join outbox o on o.line_id = l.id where l.text = 'Still at work'`,
	).Scan(&n))
	require.Equal(t, int(said.Load()), n)
	require.NoError(t, end(t.Context()))
	passed(t, s, aWhile)
	require.Equal(t, 1, silentOnes(t, s), "once in each such time")
	return n
}

func TestASilenceIsBrokenOnce(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1, speakers(t, false))
}

// The control: without the lock, more than one of them speaks.
func TestASilenceBrokenByAllIsFoundOut(t *testing.T) {
	t.Parallel()
	require.Greater(t, speakers(t, true), 1)
}
