package retention_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/retention"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

const day = 24 * time.Hour

var keep = retention.Policy{Sessions: 90 * day, Waiting: 365 * day, Decided: 1000 * day}

// counts returns the number of rows in each table that belongs to sessions.
func counts(t *testing.T, s *store.Store) map[string]int {
	t.Helper()
	rows, err := s.Pool.Query(t.Context(), `with recursive below as (
			select 'sessions'::regclass::oid as id union select c.conrelid from pg_constraint c
				join below b on c.confrelid = b.id where c.contype = 'f')
		select id::regclass::text from below`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	n := map[string]int{}
	for _, table := range append(tables, "workspaces") {
		n[table] = storetest.CountRows(t, s, `select count(*) from `+table)
	}
	return n
}

func TestASessionGoesInTwoSteps(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	storetest.FillSession(t, s, "s1", "done", 91)
	for table, n := range counts(t, s) {
		require.NotZero(t, n, "%s belongs to sessions: give it a row in storetest.FillSession, "+
			"and a place among what is cleaned", table)
	}
	would, err := retention.CountCleanable(t.Context(), s.DB, keep)
	require.NoError(t, err)
	done, err := retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, retention.Removed{Sessions: 1}, done)
	require.Equal(t, would, done)

	n := counts(t, s)
	for _, table := range []string{
		"inbox", "transcript", "lines", "outbox", "buttons", "workspaces", "seats", "cards", "under_way",
		"tried_hunks", "lookbacks", "lookback_tries", "pictures", "picture_pages", "agent_usage",
		"report_words", "alerts", "twins", "pauses_told", "attachments", "amendments", "branch_conflicts",
		"repositories_read",
	} {
		require.Zero(t, n[table], table)
		delete(n, table)
	}
	for table, n := range n {
		require.NotZero(t, n, "%s is what was decided: it stays", table)
	}
	at, err := retention.ClearedAt(t.Context(), s.DB, "s1")
	require.NoError(t, err)
	require.False(t, at.IsZero())

	_, err = s.Pool.Exec(t.Context(), `update sessions set updated_at = now() - '1001 days'::interval`)
	require.NoError(t, err)
	done, err = retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, retention.Removed{Records: 1}, done)
	for table, n := range counts(t, s) {
		require.Zero(t, n, table)
	}
}

func TestOnlyWhatHasRestedLongEnoughGoes(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	for id, c := range map[string]struct {
		phase string
		days  int
	}{
		"done":          {"done", 91},
		"answered":      {"answered", 91},
		"stopped":       {"stopped", 91},
		"failed":        {"failed", 91},
		"paused":        {"paused", 366},
		"reported":      {"reported", 366},
		"done-late":     {"done", 89},
		"paused-late":   {"paused", 91},
		"reported-late": {"reported", 364},
		"working-late":  {"working", 91},
	} {
		storetest.FillSession(t, s, id, c.phase, c.days)
	}
	done, err := retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, 6, done.Sessions)
	require.Zero(t, storetest.CountRows(t, s,
		`select count(*) from sessions where (cleared_at is null) <> (id like '%-late')`))

	// Without limits nothing is ever old.
	_, err = s.Pool.Exec(t.Context(), `update sessions set updated_at = '1999-01-01'`)
	require.NoError(t, err)
	done, err = retention.Clean(t.Context(), s.DB, retention.Policy{})
	require.NoError(t, err)
	require.Zero(t, done)
}

// The session of a thread stays while a part of it does: without it, nothing that people write reaches the
// part. The same session goes as soon as the part has rested long enough.
func TestAPartKeepsItsThread(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	storetest.FillSession(t, s, "own", "done", 91)
	storetest.FillSession(t, s, "part", "reported", 91)
	_, err := s.Pool.Exec(t.Context(), `update sessions set part_of = 'own' where id = 'part'`)
	require.NoError(t, err)
	done, err := retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Zero(t, done)
	_, err = s.Pool.Exec(t.Context(), `update sessions set phase = 'done' where id = 'part'`)
	require.NoError(t, err)
	done, err = retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, 2, done.Sessions)
}

// A session with something left to do stays, however old. The same session goes as soon as nothing is left.
func TestWhatIsStillToBeDoneKeepsASession(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	for id, left := range map[string][2]string{
		"m": {
			`update inbox set handled_at = null where session_id = 'm'`,
			`update inbox set handled_at = now()`,
		},
		"j": {
			`insert into river_job (kind, args, state, max_attempts, queue)
				values ('turn', '{"session": "j"}', 'available', 5, 'default')`,
			`update river_job set state = 'completed', finalized_at = now()`,
		},
	} {
		storetest.FillSession(t, s, id, "done", 91)
		_, err := s.Pool.Exec(t.Context(), left[0])
		require.NoError(t, err)
		done, err := retention.Clean(t.Context(), s.DB, keep)
		require.NoError(t, err)
		require.Zero(t, done.Sessions, id)
		_, err = s.Pool.Exec(t.Context(), left[1])
		require.NoError(t, err)
		done, err = retention.Clean(t.Context(), s.DB, keep)
		require.NoError(t, err)
		require.Equal(t, 1, done.Sessions, id)
	}
}

// The thread is asked whether a merged pull request works, and told of a revert,
// also long after the last turn.
func TestNewsOfAPullRequestKeepsASession(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	storetest.FillSession(t, s, "s1", "done", 91)
	storetest.FillSession(t, s, "s2", "stopped", 91)
	_, err := s.Pool.Exec(t.Context(),
		`update pull_requests set news_at = now() - '1 hour'::interval where session_id = 's1'`)
	require.NoError(t, err)
	would, err := retention.CountCleanable(t.Context(), s.DB, keep)
	require.NoError(t, err)
	done, err := retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, retention.Removed{Sessions: 1}, done)
	require.Equal(t, would, done)
	require.Equal(t, 1,
		storetest.CountRows(t, s, `select count(*) from sessions where id = 's1' and cleared_at is null`))

	_, err = s.Pool.Exec(t.Context(), `update pull_requests set news_at = now() - '91 days'::interval`)
	require.NoError(t, err)
	done, err = retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, retention.Removed{Sessions: 1}, done)
}

// The problem of an alert that began no session goes when it is old. One that has a session goes with it.
func TestAlertsWithoutASessionGo(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	storetest.FillSession(t, s, "s1", "done", 1)
	_, err := s.Pool.Exec(t.Context(),
		`insert into alerts (team, channel, fingerprint, app, title, last_ts, at) values
		('T1', 'C1', 'old', 'Sentry', 'it panics', '1.0', now() - '91 days'::interval), ('T1', 'C1', 'new',
			'Sentry', 'it panics', '1.0', now() - '89 days'::interval)`)
	require.NoError(t, err)
	_, err = s.Pool.Exec(t.Context(),
		`update alerts set at = now() - '91 days'::interval where session_id = 's1'`)
	require.NoError(t, err)
	would, err := retention.CountCleanable(t.Context(), s.DB, keep)
	require.NoError(t, err)
	done, err := retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, retention.Removed{Alerts: 1}, done)
	require.Equal(t, would, done)
	require.Equal(t, 2,
		storetest.CountRows(t, s, `select count(*) from alerts where fingerprint in ('new', 's1')`))
}

func TestOneReplicaCleansAndWaitsForNobody(t *testing.T) {
	t.Parallel()
	s := storetest.OpenPatient(t)
	storetest.FillSession(t, s, "s1", "done", 91)
	storetest.FillSession(t, s, "s2", "done", 92)
	hold := func(sql string) (release func()) {
		tx, err := s.Pool.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), sql)
		require.NoError(t, err)
		return func() { require.NoError(t, tx.Rollback(t.Context())) }
	}
	release := hold(`select pg_advisory_xact_lock(1651466852)`) // another replica cleans
	done, err := retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Zero(t, done)
	release()

	// another transaction writes in the oldest session
	release = hold(`select 1 from sessions where id = 's2' for update`)
	done, err = retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, 1, done.Sessions)
	release()
	done, err = retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, 1, done.Sessions)
}

func TestAThreadWhoseSessionIsGoneBeginsAnew(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	old := storetest.BeginTurn(t, s).Session().ID
	for _, sql := range []string{
		`update sessions set phase = 'done', updated_at = now() - '91 days'::interval`,
		`update inbox set handled_at = now()`,
		`update river_job set state = 'completed', finalized_at = now() - '91 days'::interval`,
	} {
		_, err := s.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	done, err := retention.Clean(t.Context(), s.DB, keep)
	require.NoError(t, err)
	require.Equal(t, retention.Removed{Sessions: 1, Jobs: done.Jobs}, done)
	require.NotZero(t, done.Jobs)

	// there is no session for it
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), storetest.Reply("Ev2", "1.5", "thanks")))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from sessions`))
	again := storetest.Mention("Ev3", "it is back")
	again.TS = "1.6"
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), again))
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from sessions where id <> $1 and thread_ts = '1.0' and title = 'it is back'`, old))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from inbox`))
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from river_job where kind = 'turn' and state = 'available'`))
}

// A mention that comes while its session is being cleaned away begins a new session.
func TestAMentionIsNotLostToTheCleaning(t *testing.T) {
	t.Parallel()
	s := storetest.OpenPatient(t)
	storetest.FillSession(t, s, "s1", "done", 91)
	tx, err := s.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context()) //nolint:errcheck // committed below
	_, err = tx.Exec(t.Context(), `select 1 from sessions for update`)
	require.NoError(t, err)
	received := make(chan error, 1)
	go func() {
		in := storetest.Mention("Ev9", "it is back")
		in.Thread = workflow.Thread{Team: "T1", Channel: "C1", TS: "s1.0"}
		received <- storetest.Inbox(s).Receive(t.Context(), in)
	}()
	require.Eventually(t, func() bool { // it has found the old session, and waits for its row
		return storetest.CountRows(
			t, s,
			`select count(*) from pg_stat_activity where datname = current_database()
				and wait_event_type = 'Lock'`,
		) == 1
	}, time.Minute, 5*time.Millisecond)
	_, err = tx.Exec(t.Context(),
		`update sessions set cleared_at = now(), thread_ts = thread_ts || ' ' || id`)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-received)
	require.Equal(t, 1, storetest.CountRows(
		t, s,
		`select count(*) from sessions x join inbox i on i.session_id = x.id where x.cleared_at is null
			and i.event_id = 'Ev9'`,
	))
}
