package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// logged is a log buffer that is safe for concurrent use.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestMigrationsRunTogetherAndAgain(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t, func(context.Context, string) error { return nil })
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		all.Go(func() {
			s, err := store.Open(t.Context(), url, storetest.Silent)
			if err != nil {
				errs[i] = err
				return
			}
			defer s.Close()
			errs[i] = s.Migrate(t.Context())
		})
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

func TestReceiveOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	in := storetest.Mention("Ev1", "total is off\nsecond line")
	for range 3 {
		require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
	}
	twin := in // the message event of the same message: another event id
	twin.EventID = "Ev2"
	twin.Kind = workflow.MessageReply
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), twin))

	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from inbox`))
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from sessions where title = 'total is off' and requester = 'U1'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from river_job where kind = 'turn'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from outbox where reaction = 'eyes'`))
}

func TestReceiveTogether(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	before := storetest.Reply("Ev1", "1.1", "who knows?")
	mention := storetest.Mention("Ev2", "total is off")
	mention.TS = "1.2"
	twin := mention // the message event of the same message
	twin.EventID = "Ev3"
	twin.Kind = workflow.MessageReply
	stop := storetest.Reply("Ev9", "1.9", "stop")
	all := []workflow.IncomingEvent{before, mention, twin}
	for n := range 5 {
		all = append(all,
			storetest.Reply(fmt.Sprint("Ev", n+4), fmt.Sprint("1.", n+4), fmt.Sprint("and ", n)))
	}
	all = append(all, all[4], stop) // one of them twice
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), all...))
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), all[1:]...)) // delivered again
	rows, err := s.Pool.Query(t.Context(), `select text from inbox order by id`)
	require.NoError(t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"total is off", "and 0", "and 1", "and 2", "and 3", "and 4", "stop"}, texts,
		"what was said before the mention belongs to no session")
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from sessions where title = 'total is off' and stop_asked`))
	require.Equal(t, 7, storetest.CountRows(t, s, `select count(*) from outbox where reaction = 'eyes'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from river_job where kind = 'turn'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from river_job where kind = 'react'`))
}

func TestReceiveManyAtOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	var all sync.WaitGroup
	errs := make([]error, 24)
	for i := range errs {
		all.Go(func() {
			in := storetest.Mention(fmt.Sprint("Ev", i/3), "off")
			in.TS = fmt.Sprintf("1.%d", i/3)
			errs[i] = storetest.Inbox(s).Receive(t.Context(), in)
		})
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, 8, storetest.CountRows(t, s, `select count(*) from inbox`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from sessions`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from river_job where kind = 'turn'`))
}

func TestWhatConcernsNoSessionIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), storetest.Reply("Ev1", "1.5", "fix it")))
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), workflow.IncomingEvent{
		EventID: "Ev2",
		Kind:    workflow.MessageAction,
		Thread:  storetest.Thread,
		TS:      "1.6",
		User:    "U1",
	}))
	require.Zero(t, storetest.CountRows(t, s, `select count(*) from inbox`))
	require.Zero(t, storetest.CountRows(t, s, `select count(*) from sessions`))
}

func TestTextThatPostgresCannotHold(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), storetest.Mention("Ev1", "a\x00b\xff")))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from inbox where text = 'ab�'`))
}

func TestALaterTurnFencesTheEarlier(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	first := storetest.BeginTurn(t, s)
	second, err := s.Begin(t.Context(), first.Session().ID, store.NoSettling)
	require.NoError(t, err)

	line := store.Lines{{Agent: "orchestrator", Text: "hello"}}
	require.ErrorIs(t, first.Record(t.Context(), line), store.ErrFenced)
	pulse, err := first.Status(t.Context())
	require.NoError(t, err)
	require.False(t, pulse.Current)
	require.NoError(t, second.Record(t.Context(), line))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from lines`))
}

func TestAFactIsOneTransaction(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	err := turn.Record(t.Context(),
		progress.Transcript{Items: []json.RawMessage{json.RawMessage(`{"role":"user"}`)}},
		consent.Approval{ID: "a", Revision: 1, ReportHash: "no such report"},
		store.Lines{{Agent: "orchestrator", Text: "x"}},
	)
	require.ErrorIs(t, err, store.ErrStale)
	require.Zero(t, storetest.CountRows(t, s, `select count(*) from transcript`))
	require.Zero(t, storetest.CountRows(t, s, `select count(*) from lines`))
	require.Zero(t, storetest.CountRows(t, s, `select count(*) from outbox where reaction = ''`))
	require.Zero(t, storetest.CountRows(t, s,
		`select count(*) from river_job where kind = 'post' and args->>'session' = 'x'`))

	err = turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventProve}})
	require.ErrorContains(t, err, "cannot take the event")
	require.Equal(t, workflow.PhaseExploring, turn.Session().Phase)
}

func TestSessionKnowsItsNewestReport(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	require.Empty(t, turn.Session().ReportKind)
	for n, kind := range []string{workflow.ReportRequest, workflow.ReportPlan} {
		report := workflow.Report{
			Revision:   n + 1,
			Kind:       kind,
			Body:       []byte(`{}`),
			Text:       kind,
			BaseCommit: "c0ffee",
		}
		require.NoError(t, turn.Record(t.Context(), consent.Report(report)))
		again, err := s.Session(t.Context(), turn.Session().ID)
		require.NoError(t, err)
		later, err := s.Begin(t.Context(), turn.Session().ID, store.NoSettling)
		require.NoError(t, err)
		require.Equal(t, []string{kind, kind, kind},
			[]string{turn.Session().ReportKind, again.ReportKind, later.Session().ReportKind})
		turn = later
	}
}

func TestApprovalIsCompareAndSet(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	one := storetest.RecordReport(t, turn, 1, "first")
	two := storetest.RecordReport(t, turn, 2, "second")

	require.ErrorIs(t, turn.Record(t.Context(), storetest.Approval(one, "a")...), store.ErrStale,
		"an old revision")
	forged := two
	forged.Text = "something else"
	require.ErrorIs(t, turn.Record(t.Context(), storetest.Approval(forged, "b")...),
		store.ErrStale, "another text")

	var all sync.WaitGroup
	won := make([]bool, 20)
	for i := range won {
		all.Go(func() {
			won[i] = turn.Record(t.Context(), storetest.Approval(two, fmt.Sprint("c", i))...) == nil
		})
	}
	all.Wait()
	n := 0
	for _, w := range won {
		if w {
			n++
		}
	}
	require.Equal(t, 1, n, "many at once make one approval")
	got, err := s.Approval(t.Context(), turn.Session().ID, 2)
	require.NoError(t, err)
	require.Equal(t, "only the guard", got.Scope)
	require.Equal(t, two.Hash(), got.ReportHash)
	none, err := s.Approval(t.Context(), turn.Session().ID, 1)
	require.NoError(t, err)
	require.Nil(t, none)
}

func TestLinesAreCoalescedInOrderAndPostedOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	id := turn.Session().ID
	say := func(alone bool, buttons []workflow.Button, texts ...string) {
		for _, text := range texts {
			line := workflow.Line{Agent: "deep", Text: text, Buttons: buttons}
			if alone {
				require.NoError(t, turn.Record(t.Context(), store.Replies{line}))
			} else {
				require.NoError(t, turn.Record(t.Context(), store.Lines{line}))
			}
		}
	}
	say(false, nil, "one", "two")
	say(true, []workflow.Button{
		{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "opaque", Means: "scope"},
	}, "report")
	say(false, nil, "three")

	next := func() *workflow.Posting {
		p, err := outbox.New(s.DB).Next(t.Context(), id)
		require.NoError(t, err)
		return p
	}
	p := next()
	require.Equal(t, "[deep] one\n[deep] two", p.Text())
	require.False(t, p.Tried)
	say(false, nil, "four")
	again := next()
	require.Equal(t, p.Key, again.Key)
	require.Equal(t, p.Text(), again.Text(), "a batch that was tried stays as it was")
	require.True(t, again.Tried)
	storetest.MarkPosted(t, s, p.Key, "9.1")

	p = next()
	require.Equal(t, "[deep] report", p.Text())
	require.Equal(t, storetest.Thread, p.Thread)
	require.Equal(t, []workflow.Button{{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "opaque"}},
		p.Lines[0].Buttons, "what it means is not sent")
	require.NoError(t, outbox.New(s.DB).Refused(t.Context(), p.Key, "channel_not_found"))

	require.Equal(t, "[deep] three\n[deep] four", next().Text())
	storetest.MarkPosted(t, s, next().Key, "9.2")
	require.Nil(t, next())

	_, means, ok, err := turn.Button(t.Context(), workflow.ButtonFix, "opaque")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "scope", means)
	for action, value := range map[workflow.ActionID]string{
		workflow.ButtonFix: "forged", workflow.ButtonPush: "opaque",
	} {
		_, _, ok, err = turn.Button(t.Context(), action, value)
		require.NoError(t, err)
		require.False(t, ok, "%s of %s", value, action)
	}
}

// A model may write a NUL, which Postgres takes in no text. What a button means is
// still an option of its question.
func TestAButtonMayMeanAnything(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginSettling(t, s, func(parts []store.Part) store.Settlement {
		if !slices.ContainsFunc(parts, func(p store.Part) bool {
			_, answers := p.(progress.Answer)
			return answers
		}) {
			return store.Settlement{}
		}
		return store.Settlement{Settle: func(open []store.OpenMessage) (settled []store.SettledMessage) {
			for _, m := range open {
				settled = append(settled, store.SettledMessage{
					ID:   m.ID,
					Note: string(m.Buttons[0].ActionID) + ": " + m.Means,
				})
			}
			return settled
		}}
	})
	const option = "a\x00b\xff"
	require.NoError(t, turn.Record(t.Context(), progress.Question{
		Text:        "Which\x00?",
		Recommended: option,
		Options:     []string{option, "c"},
	}, store.Lines{{Agent: "orchestrator", Text: "Which\x00?", Buttons: []workflow.Button{
		{ActionID: workflow.ButtonOption, Label: option, Value: "opaque", Means: option},
	}}}))
	_, means, ok, err := turn.Button(t.Context(), workflow.ButtonOption, "opaque")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "ab\uFFFD", means)
	q, err := s.Waiting(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	require.Equal(t, []string{means, "c"}, q.Options)
	require.NoError(t, turn.Record(t.Context(), progress.Answer{
		Question: q.ID,
		Text:     means,
		Note:     "ann: ab",
	}), "the buttons are taken away")
	require.Equal(t, 1,
		storetest.CountRows(t, s, `select count(*) from outbox where settled = 'option: ' || $1`, means))
}

func TestMessagesReachEachAgentOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	id := turn.Session().ID
	require.NoError(t, storetest.Inbox(s).Receive(ctx, storetest.Reply("Ev2", "1.1", "also for coupons")))

	unhandled, err := turn.Inbox().Unhandled(ctx)
	require.NoError(t, err)
	require.Len(t, unhandled, 2)
	unseen, err := turn.Inbox().Unseen(ctx, 0)
	require.NoError(t, err)
	require.Empty(t, unseen, "nobody judged them yet")

	require.NoError(t,
		turn.Record(ctx, inbox.Handled{ID: unhandled[0].ID, ForAgents: true}, store.Update{Open: ptr(true)}))
	require.True(t, turn.Session().Open)
	unseen, err = turn.Inbox().Unseen(ctx, 0)
	require.NoError(t, err)
	require.Len(t, unseen, 1)
	require.NoError(t, turn.Record(ctx, progress.Transcript{
		Items: []json.RawMessage{json.RawMessage(`{"b": 1,  "a":2}`)},
		Seen:  unseen[0].ID,
	}))

	require.NoError(t, turn.Record(ctx, progress.Task{
		Task: workflow.Task{Number: 1, Description: "fix", Category: workflow.CategoryDeep},
		Call: "call1",
	}))
	tasks, err := s.Tasks(ctx, id, "call1")
	require.NoError(t, err)
	require.Len(t, tasks, 1)
	k := tasks[0]
	unseen, err = turn.Inbox().Unseen(ctx, k.ID)
	require.NoError(t, err)
	require.Empty(t, unseen, "a worker begins with what the orchestrator knew")

	require.NoError(t, turn.Record(ctx,
		inbox.Handled{ID: unhandled[1].ID, ForAgents: true, AgentText: "told"}))
	for _, task := range []int64{0, k.ID} {
		unseen, err = turn.Inbox().Unseen(ctx, task)
		require.NoError(t, err)
		require.Len(t, unseen, 1)
		require.Equal(t, "told", unseen[0].AgentText)
		require.NoError(t, turn.Record(ctx, progress.Transcript{Task: task, Seen: unseen[0].ID}))
		unseen, err = turn.Inbox().Unseen(ctx, task)
		require.NoError(t, err)
		require.Empty(t, unseen)
	}
	items, err := s.Transcript(ctx, id, 0)
	require.NoError(t, err)
	require.Equal(t, `{"b": 1,  "a":2}`, string(items[0]), "byte for byte, for the endpoint's prefix cache")
	before, err := turn.Inbox().Original(ctx, "1.1", 1<<62)
	require.NoError(t, err)
	require.Equal(t, "also for coupons", before)
}

func TestAStopIsSeenByTheRunningTurn(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	pulse, err := turn.Status(t.Context())
	require.NoError(t, err)
	require.False(t, pulse.StopRequested)
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), storetest.Reply("Ev2", "1.1", "stop")))
	pulse, err = turn.Status(t.Context())
	require.NoError(t, err)
	require.True(t, pulse.StopRequested)
	require.True(t, pulse.Unhandled)
	require.NoError(t,
		turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventStop}, ClearStop: true}))
	pulse, err = turn.Status(t.Context())
	require.NoError(t, err)
	require.False(t, pulse.StopRequested)
}

// "no wait" may be a stop when it is received, and is none if nothing runs. Once it was judged, it interrupts
// nothing that comes after it. While another message waits to be judged, that may be the stop.
func TestWhatWasNoStopEndsWhenItIsJudged(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	in := storetest.Inbox(s)
	turn := storetest.BeginTurn(t, s)
	require.NoError(t, in.Receive(t.Context(), storetest.Reply("Ev2", "1.1", "no wait")))
	require.NoError(t, in.Receive(t.Context(), storetest.Reply("Ev3", "1.2", "no wait")))
	unread, err := turn.Inbox().Unhandled(t.Context())
	require.NoError(t, err)
	for i, m := range unread {
		pulse, err := turn.Status(t.Context())
		require.NoError(t, err)
		require.True(t, pulse.StopRequested, "before message %d of %d", i+1, len(unread))
		require.NoError(t, turn.Record(t.Context(), inbox.Handled{ID: m.ID, ForAgents: true}))
	}
	pulse, err := turn.Status(t.Context())
	require.NoError(t, err)
	require.False(t, pulse.StopRequested)
}

func TestTheDeadsJobsAreTakenOver(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	storetest.BeginTurn(t, s)
	ctx := t.Context()
	_, err := s.Pool.Exec(ctx,
		`update river_job set state = 'running', attempted_at = now() - interval '1 minute', attempted_by =
			array['dead'], attempt = 1 where kind = 'turn'`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	r := replica(s, "alive")
	go func() { done <- r.Run(ctx) }()
	require.Eventually(t, func() bool {
		return storetest.CountRows(t, s,
			`select count(*) from river_job where kind = 'turn' and state = 'available'`) == 1 &&
			storetest.CountRows(t, s,
				`select count(*) from river_job where kind = 'turn' and state = 'discarded'`) == 1
	}, time.Minute, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-done)
	require.Zero(t, storetest.CountRows(t, s, `select count(*) from replicas`))
}

func ptr[T any](v T) *T { return &v }

// The deletion of a message in the thread stops nothing; the deletion of the request does.
func TestOnlyTheRequestTakenAwayAsksForAStop(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	in := storetest.Mention("Ev1", "look")
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
	gone := in
	gone.Kind = workflow.MessageDelete
	gone.Text = ""
	for i, c := range []struct {
		ts    string
		stops int
	}{{in.Thread.TS + "9", 0}, {in.Thread.TS, 1}} {
		gone.EventID = fmt.Sprint("Gone", i)
		gone.TS = c.ts
		require.NoError(t, storetest.Inbox(s).Receive(t.Context(), gone))
		require.Equal(t, c.stops, storetest.CountRows(t, s, `select count(*) from sessions where stop_asked`))
	}
}
