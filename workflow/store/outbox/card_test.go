package outbox_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// carded returns a store and the turn of a session at work, whose card waits to be posted.
func carded(t *testing.T) (*store.Store, *store.Turn) {
	t.Helper()
	s := storetest.Open(t)
	s.Cards = true
	turn := storetest.BeginTurn(t, s)
	record(t, turn, store.Update{Events: []workflow.Event{workflow.EventPlan}})
	require.Zero(t, storetest.CountRows(t, s, `select count(*) from cards`), "nothing may be written yet")
	record(t, turn, store.Update{Events: []workflow.Event{workflow.EventApprove}, Open: &yes}, store.Lines{{
		Agent: "orchestrator", Text: "Approved.",
	}})
	return s, turn
}

var yes, no = true, false

func record(t *testing.T, turn *store.Turn, parts ...store.Part) {
	t.Helper()
	require.NoError(t, turn.Record(t.Context(), parts...))
}

// shown posts everything that waits, and returns the card among it.
func shown(t *testing.T, s *store.Store, session string) (found *workflow.Card) {
	t.Helper()
	for {
		p, err := outbox.New(s.DB).Next(t.Context(), session)
		require.NoError(t, err)
		if p == nil {
			return found
		}
		if p.Card != nil {
			require.Nil(t, found, "one card a run")
			require.Empty(t, p.Lines)
			found = p.Card
		}
		_, err = outbox.New(s.DB).Posted(t.Context(), p.Key, "7."+p.Key)
		require.NoError(t, err)
	}
}

// soonDue makes cards due, as if the time that they wait for had passed.
func soonDue(t *testing.T, s *store.Store) {
	t.Helper()
	_, err := s.Pool.Exec(t.Context(),
		`update cards set due_at = due_at - interval '2 seconds', leased_until = leased_until - interval
			'30 seconds'`)
	require.NoError(t, err)
}

func nextCard(t *testing.T, s *store.Store) *workflow.Card {
	t.Helper()
	c, err := outbox.New(s.DB).NextCard(t.Context())
	require.NoError(t, err)
	return c
}

func TestACardFollowsItsRun(t *testing.T) {
	t.Parallel()
	s, turn := carded(t)
	id := turn.Session().ID
	soonDue(t, s)
	require.Nil(t, nextCard(t, s), "what was not posted yet is not drawn")
	first := shown(t, s, id)
	require.Equal(t, id+":card:1", first.Key)
	require.Equal(t, "At work", first.Headline())

	c := nextCard(t, s)
	require.Equal(t, "7."+first.Key, c.TS)
	require.Equal(t, c.Mark(), c.DrawnMark, "what was posted is known to be shown")
	require.NoError(t, outbox.New(s.DB).Drawn(t.Context(), c))
	require.Nil(t, nextCard(t, s))

	record(t, turn, progress.Task{
		Task: workflow.Task{
			Number:      1,
			Description: "secret plan",
			DisplayText: "fix it",
			Category:    "deep",
			Skill:       "tdd",
		},
		Call: "c1",
	})
	require.Nil(t, nextCard(t, s), "two seconds have to pass")
	record(t, turn, store.Usage{USD: 0.25})
	soonDue(t, s)
	c = nextCard(t, s)
	require.Equal(t, []workflow.CardTask{{
		Number: 1, Label: "[deep + tdd skill]", Title: "fix it", State: workflow.TaskOpen,
	}}, c.Tasks)
	require.Equal(t, "At work · $0.25 in this run", c.Headline())
	require.NotEqual(t, c.Mark(), c.DrawnMark)
	require.NotEmpty(t, c.Stop)
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from buttons where id = $1 and session_id = $2 and action_id = 'stop'`, c.Stop, id))

	// A recording made while the card is being drawn is drawn after that.
	record(t, turn, store.Update{Open: &no})
	soonDue(t, s)
	require.NoError(t, outbox.New(s.DB).Drawn(t.Context(), c))
	c = nextCard(t, s)
	require.Contains(t, c.Headline(), "Waiting for a reply in the thread")
	require.NoError(t, outbox.New(s.DB).Drawn(t.Context(), c))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from cards where due_at is null`),
		"time alone changes nothing of what rests")

	record(t, turn, store.Update{Events: []workflow.Event{workflow.EventClaim, workflow.EventProve}},
		store.Usage{USD: 1})
	soonDue(t, s)
	c = nextCard(t, s)
	require.True(t, c.Ended)
	require.Empty(t, c.Stop)
	require.Equal(t, "Done · 0 s · $1.25 in this run", c.Headline())
	require.NoError(t, outbox.New(s.DB).Drawn(t.Context(), c))

	// The next run has a card of its own, whose figures count from the beginning of that run.
	record(t, turn, store.Update{Events: []workflow.Event{workflow.EventRequest, workflow.EventPlan}},
		store.Usage{USD: 4})
	record(t, turn, progress.Task{
		Task: workflow.Task{Number: 2, DisplayText: "more", Category: "quick"},
		Call: "c2",
	})
	record(t, turn, store.Update{Events: []workflow.Event{workflow.EventApprove}, Open: &yes})
	c = shown(t, s, id)
	require.Equal(t, 2, c.Run)
	require.Equal(t, "At work", c.Headline())
	require.Equal(t,
		[]workflow.CardTask{{Number: 2, Label: "[quick]", Title: "more", State: workflow.TaskOpen}}, c.Tasks)
}

// A card shows how long its tasks take, and what has been running for long, in steps of workflow.CardTick.
func TestACardTellsHowLongThingsTake(t *testing.T) {
	t.Parallel()
	s, turn := carded(t)
	id := turn.Session().ID
	for n, state := range []workflow.TaskState{
		workflow.TaskWorking, workflow.TaskDone, workflow.TaskDone, workflow.TaskOpen,
	} {
		record(t, turn, progress.Task{
			Task: workflow.Task{Number: n + 1, DisplayText: "fix it", Category: "quick"},
			Call: "c",
		})
		tasks, err := s.Tasks(t.Context(), id, "")
		require.NoError(t, err)
		task := tasks[n]
		task.State = state
		record(t, turn, progress.Task{Task: task}, progress.Transcript{
			Task:  task.ID,
			Items: []json.RawMessage{[]byte(`{}`), []byte(`{}`)},
		})
	}
	_, err := s.Pool.Exec(t.Context(),
		`update transcript t set at = now() - case k.number when 1 then interval '100 seconds'
		when 2 then interval '600.4 seconds' else interval '59 seconds' end
		from tasks k where t.task_id = k.id and t.seq = 1`)
	require.NoError(t, err)
	for _, what := range []string{"go test ./...", "ls"} {
		end, err := turn.UnderWay(t.Context(), what)
		require.NoError(t, err)
		defer func() { _ = end(t.Context()) }()
	}
	c := shown(t, s, id)
	require.Empty(t, c.Running, "what began just now is not worth a word")
	require.Equal(t, []time.Duration{90 * time.Second, 10 * time.Minute, 0, 0},
		[]time.Duration{c.Tasks[0].Took, c.Tasks[1].Took, c.Tasks[2].Took, c.Tasks[3].Took})
	mark := c.Mark()
	_, err = s.Pool.Exec(t.Context(),
		`update under_way set since = now() - interval '50 seconds' where what like 'go%'`)
	require.NoError(t, err)
	soonDue(t, s)
	c = nextCard(t, s)
	require.Equal(t, "go test ./... 45s", c.Running+" "+c.Ran.String())
	require.NotEqual(t, mark, c.Mark())

	run, err := turn.NoteRunning(t.Context(), "tests on main", 80*time.Second)
	require.NoError(t, err)
	require.NoError(t, run.Update(t.Context(), "tests on main: 2 of about 3 tests"))
	require.NoError(t, outbox.New(s.DB).Drawn(t.Context(), c))
	_, err = s.Pool.Exec(t.Context(), `update cards set due_at = now()`)
	require.NoError(t, err)
	c = nextCard(t, s)
	require.Equal(t, "tests on main: 2 of about 3 tests 1m15s", c.Running+" "+c.Ran.String())
	require.NoError(t, run.End(t.Context()))
	require.Equal(t, 2, storetest.CountRows(t, s, `select count(*) from under_way`))
}

// A drawing that ends after the card was leased again may be older than the
// other drawing, so the card is drawn again. A drawer that died is replaced.
func TestALateDrawingIsMadeGood(t *testing.T) {
	t.Parallel()
	s, turn := carded(t)
	shown(t, s, turn.Session().ID)
	soonDue(t, s)
	frozen := nextCard(t, s)
	require.NotNil(t, frozen)
	require.Nil(t, nextCard(t, s), "one at a time")
	soonDue(t, s)
	other := nextCard(t, s)
	require.NotNil(t, other, "its lease has run out")
	require.NoError(t, outbox.New(s.DB).Drawn(t.Context(), other))
	require.NoError(t, outbox.New(s.DB).Drawn(t.Context(), frozen))
	again := nextCard(t, s)
	require.NotNil(t, again)
	require.Empty(t, again.DrawnMark)

	require.NoError(t, outbox.New(s.DB).CardLater(t.Context(), again, time.Hour))
	require.Nil(t, nextCard(t, s))
	record(t, turn, store.Usage{USD: 1})
	soonDue(t, s)
	again = nextCard(t, s)
	require.NoError(t, outbox.New(s.DB).CardGone(t.Context(), again, "message_not_found"))
	record(t, turn, store.Usage{USD: 1})
	soonDue(t, s)
	require.Nil(t, nextCard(t, s), "somebody took it away; it is not put back")
}

// What could not be drawn while the bot was out of the channel is drawn after the next message in the thread.
func TestACardIsDrawnAgainWhenTheBotIsBack(t *testing.T) {
	t.Parallel()
	s, turn := carded(t)
	shown(t, s, turn.Session().ID)
	for n, code := range []string{"not_in_channel", "is_inactive"} {
		record(t, turn, store.Usage{USD: 1})
		soonDue(t, s)
		require.NoError(t, outbox.New(s.DB).CardGone(t.Context(), nextCard(t, s), code))
		record(t, turn, store.Usage{USD: 1})
		soonDue(t, s)
		require.Nil(t, nextCard(t, s))
		ts := fmt.Sprintf("170000002%d.000100", n)
		in := workflow.IncomingEvent{
			EventID: "Ev" + ts,
			Kind:    workflow.MessageReply,
			Thread:  turn.Session().Thread,
			TS:      ts,
			User:    "U1",
			Text:    "back",
		}
		require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
		c := nextCard(t, s)
		require.NotNil(t, c, code)
		require.Empty(t, c.DrawnMark)
		require.NoError(t, outbox.New(s.DB).Drawn(t.Context(), c))
	}
}

// With many sessions at work each card is drawn less often, and
// none is left out: the card that has waited longest comes first.
func TestWhoWaitedLongestIsDrawnFirst(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	for i, id := range []string{"s1", "s2", "s3"} {
		storetest.FillSession(t, s, id, "working", 0)
		_, err := s.Pool.Exec(t.Context(),
			`update cards set due_at = now() - $2 * interval '1 second' where session_id = $1`, id,
			[]int{5, 9, 1}[i])
		require.NoError(t, err)
		_, err = s.Pool.Exec(t.Context(),
			`insert into outbox (key, session_id, card, posted_at, ts)
				values ($1 || ':card:1', $1, 1, now(), '7.7')`,
			id)
		require.NoError(t, err)
	}
	var order []string
	for c := nextCard(t, s); c != nil; c = nextCard(t, s) {
		order = append(order, c.Session)
	}
	require.Equal(t, []string{"s2", "s1", "s3"}, order)
}

// After a posting that was cut off, the card's message may show older words.
func TestACardThatWasTriedIsDrawnAgain(t *testing.T) {
	t.Parallel()
	s, turn := carded(t)
	id := turn.Session().ID
	for {
		p, err := outbox.New(s.DB).Next(t.Context(), id)
		require.NoError(t, err)
		if p.Card != nil {
			break
		}
		_, err = outbox.New(s.DB).Posted(t.Context(), p.Key, "1.1")
		require.NoError(t, err)
	}
	require.NotNil(t, shown(t, s, id), "the outbox gives it out again, as tried")
	soonDue(t, s)
	require.Empty(t, nextCard(t, s).DrawnMark)
}

func TestWithoutCardsThereAreNone(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	record(t, turn, store.Update{Events: []workflow.Event{workflow.EventPlan, workflow.EventApprove}})
	require.Zero(t, storetest.CountRows(t, s, `select count(*) from cards`))
}

func TestOneOfTwoPostersStands(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	p, err := outbox.New(s.DB).Reactions().Next(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	storetest.MarkPosted(t, s, p.Key, "1.1")
	storetest.MarkPosted(t, s, p.Key, "1.1")
	stands, err := outbox.New(s.DB).Posted(t.Context(), p.Key, "1.2")
	require.NoError(t, err)
	require.Equal(t, "1.1", stands)
}
