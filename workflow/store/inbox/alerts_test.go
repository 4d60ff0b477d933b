package inbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// posted returns an alert about a problem, at that second.
func posted(problem string, second int) workflow.IncomingEvent {
	ts := fmt.Sprintf("%d.000100", 1700000000+second)
	return workflow.IncomingEvent{
		EventID: "Ev" + ts + problem,
		Kind:    workflow.MessageAlert,
		Thread:  workflow.Thread{Team: "T1", Channel: "C1", TS: ts},
		TS:      ts,
		Text:    problem + "\nfix it, approve, stop",
		Value:   "Sentry",
		Alert:   &workflow.Alert{App: "Sentry", Title: problem, Fingerprint: problem, Repository: "shop"},
	}
}

func receive(t *testing.T, s *store.Store, in workflow.IncomingEvent) {
	t.Helper()
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
}

func said(t *testing.T, s *store.Store) (texts []string) {
	t.Helper()
	rows, err := s.Pool.Query(t.Context(), `select text from lines order by id`)
	require.NoError(t, err)
	texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return texts
}

func count(t *testing.T, s *store.Store, sql string) int {
	t.Helper()
	return storetest.CountRows(t, s, sql)
}

// A problem has one session: later alerts change one line that counts, and queue no turn.
// An alert that is delivered again, or that says that a problem is over, is not counted.
func TestOneSessionAProblem(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	receive(t, s, posted("it panics", 0))
	receive(t, s, posted("it panics", 0))
	require.Equal(t, 1, count(
		t, s,
		`select count(*) from sessions where repository = 'shop' and requester = '' and title = 'it panics'
			and not stop_asked`,
	))
	require.Empty(t, said(t, s))
	_, err := s.Pool.Exec(t.Context(), `delete from river_job`)
	require.NoError(t, err)
	for n := range 13 {
		receive(t, s, posted("it panics", n+1))
		receive(t, s, posted("it panics", n+1))
	}
	over := posted("it panics", 20)
	over.Alert.Resolved = true
	receive(t, s, over)
	require.Equal(t, 1, count(t, s, `select count(*) from sessions`))
	require.Equal(t, 1, count(t, s, `select count(*) from inbox`))
	require.Zero(t, count(t, s, `select count(*) from river_job where kind = 'turn'`),
		"no turn, so no model call")
	require.Equal(t, []string{"Seen 14 times, the last time at 22:13 UTC."}, said(t, s))

	// Once the line is in Slack, it is rewritten there.
	var id string
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select id from sessions`).Scan(&id))
	out := outbox.New(s.DB)
	p, err := out.Next(t.Context(), id)
	require.NoError(t, err)
	storetest.MarkPosted(t, s, p.Key, "7.1")
	receive(t, s, posted("it panics", 60))
	receive(t, s, posted("it panics", 61))
	p, err = out.Next(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "7.1", p.OnTS)
	require.NotEmpty(t, p.Rewrites)
	require.Equal(t, "[orchestrator] ◆ Seen 16 times, the last time at 22:14 UTC.", p.Text())

	receive(t, s, posted("something else", 90))
	require.Equal(t, 2, count(t, s, `select count(*) from sessions`))
}

// The count has a button that stands for the newest alert. What it begins is that alert's own session, once,
// and the alert counts no more.
func TestACountedAlertIsAnotherProblem(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	for n := range 4 {
		receive(t, s, posted("it panics", n))
	}
	var id string
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select id from sessions`).Scan(&id))
	require.Equal(t, 1, count(t, s, `select count(*) from buttons where action_id = 'not_same'`),
		"of a line that nobody saw, the newest alone")
	p, err := outbox.New(s.DB).Next(t.Context(), id)
	require.NoError(t, err)
	storetest.MarkPosted(t, s, p.Key, "7.1")
	require.Equal(t, inbox.NotSameLabel, p.Lines[0].Buttons[0].Label)
	turn, err := s.Begin(t.Context(), id, store.NoSettling)
	require.NoError(t, err)
	_, means, ok, err := turn.Button(t.Context(), workflow.ButtonNotSame, p.Lines[0].Buttons[0].Value)
	require.NoError(t, err)
	require.True(t, ok)
	alert, err := inbox.ReadCounted(means)
	require.NoError(t, err)
	require.Equal(t, posted("it panics", 3).TS, alert.TS)

	for _, user := range []string{"U1", "U2"} {
		require.NoError(t, turn.Record(t.Context(), inbox.SplitAlert{
			Alert:  alert,
			Thread: posted("it panics", 3).Thread,
			Press:  workflow.IncomingEvent{EventID: "P" + user, User: user, At: time.Now()},
			Agent:  "orchestrator",
		}))
	}
	require.Equal(t, 2, count(t, s, `select count(*) from sessions`))
	require.Equal(t, 1, count(t, s, `select count(*) from inbox where kind = 'sent' and user_id = 'U1'
		and value = 'Sentry' and text like 'it panics%'`))
	require.Equal(t, 1, count(t, s,
		`select count(*) from sessions where requester = 'U1' and repository = 'shop'
			and thread_ts = '`+alert.TS+`'`))
	require.Equal(t, 1, count(t, s, `select count(*) from river_job where kind = 'turn'
		and args ->> 'session' = (select id from sessions where requester = 'U1')`))
	require.Equal(t, "Seen 3 times, without the alert of 22:13 UTC, which is another problem.",
		said(t, s)[len(said(t, s))-1])
	there, known, err := inbox.OfSession(s.DB, id).ThreadOf(t.Context(), alert.TS)
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, posted("it panics", 3).Thread, there)

	receive(t, s, posted("it panics", 9))
	require.Equal(t, "Seen 4 times, the last time at 22:13 UTC.", said(t, s)[len(said(t, s))-1])
}

// An alert in the session's own thread cannot have a session of its own, so there is no button.
func TestAnAlertInTheThreadHasNoButton(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	receive(t, s, posted("it panics", 0))
	again := posted("it panics", 1)
	again.Thread.TS = posted("it panics", 0).TS
	receive(t, s, again)
	require.Equal(t, []string{"Seen 2 times, the last time at 22:13 UTC."}, said(t, s))
	require.Zero(t, count(t, s, `select count(*) from buttons`))
}

// The control: without the check for an earlier delivery, the alert is counted twice.
func TestControlAnAlertThatIsDeliveredAgainCounts(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	receive(t, s, posted("it panics", 0))
	for range 2 {
		require.NoError(t, s.Transact(t.Context(), func(tx pgx.Tx) error {
			_, err := inbox.Counter{
				Queue: s.Queue,
				Twice: true,
			}.Count(context.Background(), tx, posted("it panics", 0))
			return err
		}))
	}
	require.Equal(t, 3, count(t, s, `select seen from alerts`))
}

// While the pull request of a fix is open, the alert is expected, and only counted. It came again after the
// fix only when that was merged.
func TestAnAlertBeforeTheMerge(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	exec := func(sql string) {
		_, err := s.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	receive(t, s, posted("it panics", 0))
	exec(`update sessions set phase = 'done', open = false, branch = 'bobbin/x'`)
	exec(
		`insert into pull_requests (repository, branch, session_id, head, base, title, body, state) select
			'shop', 'bobbin/x', id, 'c1', 'main', '', '', 'open' from sessions`)
	exec(
		`insert into pull_requests (repository, branch, session_id, head, base, title, body, state) select
			'shop', 'bobbin/x-backport-1.1', id, 'c2', '1.1', '', '', 'merged' from sessions`)
	for n, state := range []string{"intended", "open", "closed", "reverted"} {
		exec(`update pull_requests set state = '` + state + `' where branch = 'bobbin/x'`)
		receive(t, s, posted("it panics", n+1))
		require.Equal(t, []string{fmt.Sprintf("Seen %d times, the last time at 22:13 UTC.", n+2)}, said(t, s))
	}
	exec(`update pull_requests set state = 'merged' where branch = 'bobbin/x'`)
	receive(t, s, posted("it panics", 9))
	require.Equal(t, []string{
		"Seen 6 times, the last time at 22:13 UTC.",
		"Again after the fix: the same alert came at 22:13 UTC. Nothing is begun by it; " +
			"write here to have it looked into.",
	}, said(t, s))
}

// A pushed fix stays done: one line says that the alert came again after it.
func TestAgainAfterTheFix(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	receive(t, s, posted("it panics", 0))
	_, err := s.Pool.Exec(t.Context(),
		`update sessions set phase = 'done', open = false; delete from river_job`)
	require.NoError(t, err)
	for n := range 5 {
		receive(t, s, posted("it panics", n+1))
	}
	require.Equal(t, []string{
		"Again after the push: the same alert came at 22:13 UTC. Nothing is begun by it; " +
			"write here to have it looked into.",
		"Seen 6 times, the last time at 22:13 UTC.",
	}, said(t, s))
	require.Equal(t, 1, count(t, s, `select count(*) from sessions where phase = 'done' and not open`))
	require.Zero(t, count(t, s, `select count(*) from river_job where kind = 'turn'`))
}

// A storm of five hundred alerts begins no more sessions than the limit, and says so in one
// line. Without the limit it would begin one for each problem.
func TestAStormIsBounded(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	for n := range 500 {
		receive(t, s, posted(fmt.Sprintf("problem %d", n%100), n))
	}
	require.Equal(t, inbox.MostAnHour, count(t, s, `select count(*) from sessions`))
	require.Equal(t, inbox.MostAnHour, count(t, s, `select count(*) from inbox`))
	require.Equal(t, 500, count(t, s, `select sum(seen) from alerts`))
	require.Equal(t, 1, count(t, s, `select count(*) from lines where text like 'More problems came%'`))
	require.Equal(t, inbox.MostAnHour+1, count(t, s, `select count(*) from lines`))

	require.NoError(t, s.Transact(t.Context(), func(tx pgx.Tx) error {
		begins, err := inbox.Counter{
			Queue:     s.Queue,
			Unlimited: true,
		}.Count(context.Background(), tx, posted("problem 50", 600))
		require.True(t, begins, "the control")
		return err
	}))
	// In the next hour a problem that comes again begins a session.
	_, err := s.Pool.Exec(t.Context(), `update alerts set begun_at = begun_at - interval '1 hour'`)
	require.NoError(t, err)
	receive(t, s, posted("problem 99", 700))
	require.Equal(t, inbox.MostAnHour+1, count(t, s, `select count(*) from sessions`))
}
