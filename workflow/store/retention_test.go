package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

const day = 24 * time.Hour

var keep = store.Keep{Sessions: 90 * day, Waiting: 365 * day, Decided: 1000 * day}

// full is a session with a row in every table that knows it, as old as given and at rest.
func full(t *testing.T, s *store.Store, id, phase string, days int) {
	t.Helper()
	for _, sql := range []string{
		`insert into sessions (id, team, channel, thread_ts, phase, revision, updated_at) values ('%[1]s', 'T1', 'C1', '%[1]s.0', '%[2]s', 1, now() - '%[3]d days'::interval)`,
		`insert into inbox (session_id, event_id, kind, message_ts, user_id, handled_at) values ('%[1]s', 'Ev%[1]s', 'mention', '%[1]s.0', 'U1', now())`,
		`insert into transcript (session_id, seq, body) values ('%[1]s', 1, '{}'), ('%[1]s', 2, '{}')`,
		`insert into lines (session_id, agent, text) values ('%[1]s', 'a', 'one'), ('%[1]s', 'a', 'two')`,
		`insert into outbox (key, session_id, line_id, posted_at) select '%[1]s:' || id, '%[1]s', id, now() from lines where session_id = '%[1]s'`,
		`insert into buttons (id, session_id, action_id) values ('b%[1]s', '%[1]s', 'fix')`,
		`insert into workspaces (session_id, tree, pack) values ('%[1]s', 't', 'p')`,
		`insert into under_way (session_id, epoch, what) values ('%[1]s', 1, 'go test')`,
		`insert into attachments (session_id, number, message_ts, file_id, name) values ('%[1]s', 1, '1.1', 'F1', 'app.log')`,
		`insert into seats (session_id, repository, job_id) values ('%[1]s', 'shop', 0)`,
		`insert into cards (session_id, run, key, stop, began_ms, began_usd, began_task) values ('%[1]s', 1, '%[1]s:card:1', 'c%[1]s', 0, 0, 0)`,
		`insert into reports (session_id, revision, kind, body, text, hash, base_commit) values ('%[1]s', 1, 'root_cause', '{}', 'r', 'h', 'c')`,
		`insert into permissions (id, session_id, what, revision, message_id, message_ts, user_id) select 'p%[1]s', session_id, 'report', 1, id, message_ts, 'U1' from inbox where session_id = '%[1]s'`,
		`insert into approvals (id, session_id, revision, report_hash, base_commit, user_id, message_ts, permission_id) values ('a%[1]s', '%[1]s', 1, 'h', 'c', 'U1', '%[1]s.0', 'p%[1]s')`,
		`insert into decisions (session_id, what, allowed) values ('%[1]s', 'approve', true)`,
		`insert into allowances (id, session_id, approval_id, tree, names) values ('w%[1]s', '%[1]s', 'a%[1]s', 't', 'go.sum')`,
		`insert into audit (session_id, seq, what, name, content, hash) values ('%[1]s', 1, 'decision', '1', '{}', 'h')`,
		`insert into tasks (session_id, number, description, category) values ('%[1]s', 1, 'mend', 'quick')`,
		`insert into attempts (task_id, number, tree, held, summary) select id, 1, 't', true, 's' from tasks where session_id = '%[1]s'`,
		`insert into checks (task_id, red, built) select id, '{}', true from tasks where session_id = '%[1]s'`,
		`insert into pushes (session_id, commit_hash, tree, base_commit, branch) values ('%[1]s', 'c', 't', 'b', 'bobbin/x')`,
		`insert into questions (session_id, text, options, recommended, open) values ('%[1]s', 'q', '[]', 'r', '[]')`,
		`insert into inquiries (session_id, kind, key, question) values ('%[1]s', 'consult', 'k', 'q')`,
		`insert into spending (session_id, day, team, channel, person, usd) values ('%[1]s', '2026-03-02', 'T1', 'C1', 'U1', 1)`,
		`insert into extensions (name, subject, number, amount, session_id, user_id, user_name, message_ts, permission_id) values ('session_usd', '%[1]s', 1, 5, '%[1]s', 'U1', 'ann', '%[1]s.0', 'p%[1]s')`,
		`insert into limit_warnings (name, subject, number, session_id) values ('session_usd', '%[1]s', 0, '%[1]s')`,
		`insert into commands (session_id, command, exit_code, output) values ('%[1]s', 'go test', 0, 'ok')`,
	} {
		_, err := s.Pool.Exec(t.Context(), strings.NewReplacer("%[1]s", id, "%[2]s", phase, "%[3]d", fmt.Sprint(days)).Replace(sql))
		require.NoError(t, err, sql)
	}
}

// counts are the rows of each table that belongs to sessions.
func counts(t *testing.T, s *store.Store) map[string]int {
	t.Helper()
	rows, err := s.Pool.Query(t.Context(), `with recursive below as (
			select 'sessions'::regclass::oid as id union select c.conrelid from pg_constraint c join below b on c.confrelid = b.id where c.contype = 'f')
		select id::regclass::text from below`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	n := map[string]int{}
	for _, table := range append(tables, "workspaces") {
		n[table] = number(t, s, `select count(*) from `+table)
	}
	return n
}

func TestASessionGoesInTwoSteps(t *testing.T) {
	t.Parallel()
	s := open(t)
	full(t, s, "s1", "done", 91)
	for table, n := range counts(t, s) {
		require.NotZero(t, n, "%s belongs to sessions: give it a row in this test, and a place among what is cleaned", table)
	}
	would, err := s.Cleanable(t.Context(), keep)
	require.NoError(t, err)
	done, err := s.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, store.Cleaned{Sessions: 1}, done)
	require.Equal(t, would, done)

	n := counts(t, s)
	for _, table := range []string{"inbox", "transcript", "lines", "outbox", "buttons", "workspaces", "seats", "cards", "under_way", "attachments"} {
		require.Zero(t, n[table], table)
		delete(n, table)
	}
	for table, n := range n {
		require.NotZero(t, n, "%s is what was decided: it stays", table)
	}
	at, err := s.ClearedAt(t.Context(), "s1")
	require.NoError(t, err)
	require.False(t, at.IsZero())

	_, err = s.Pool.Exec(t.Context(), `update sessions set updated_at = now() - '1001 days'::interval`)
	require.NoError(t, err)
	done, err = s.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, store.Cleaned{Records: 1}, done)
	for table, n := range counts(t, s) {
		require.Zero(t, n, table)
	}
}

func TestOnlyWhatHasRestedLongEnoughGoes(t *testing.T) {
	t.Parallel()
	s := open(t)
	for id, c := range map[string]struct {
		phase string
		days  int
	}{
		"done": {"done", 91}, "answered": {"answered", 91}, "stopped": {"stopped", 91}, "failed": {"failed", 91}, "paused": {"paused", 366}, "reported": {"reported", 366},
		"done-late": {"done", 89}, "paused-late": {"paused", 91}, "reported-late": {"reported", 364}, "working-late": {"working", 91},
	} {
		full(t, s, id, c.phase, c.days)
	}
	done, err := s.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, 6, done.Sessions)
	require.Zero(t, number(t, s, `select count(*) from sessions where (cleared_at is null) <> (id like '%-late')`))

	// Without limits nothing is ever old.
	_, err = s.Pool.Exec(t.Context(), `update sessions set updated_at = '1999-01-01'`)
	require.NoError(t, err)
	done, err = s.Clean(t.Context(), store.Keep{})
	require.NoError(t, err)
	require.Zero(t, done)
}

// A session that something is left to do for stays, however old; the same session goes as
// soon as nothing is left.
func TestWhatIsStillToBeDoneKeepsASession(t *testing.T) {
	t.Parallel()
	s := open(t)
	for id, left := range map[string][2]string{
		"m": {`update inbox set handled_at = null where session_id = 'm'`, `update inbox set handled_at = now()`},
		"j": {
			`insert into river_job (kind, args, state, max_attempts, queue) values ('turn', '{"session": "j"}', 'available', 5, 'default')`,
			`update river_job set state = 'completed', finalized_at = now()`,
		},
	} {
		full(t, s, id, "done", 91)
		_, err := s.Pool.Exec(t.Context(), left[0])
		require.NoError(t, err)
		done, err := s.Clean(t.Context(), keep)
		require.NoError(t, err)
		require.Zero(t, done.Sessions, id)
		_, err = s.Pool.Exec(t.Context(), left[1])
		require.NoError(t, err)
		done, err = s.Clean(t.Context(), keep)
		require.NoError(t, err)
		require.Equal(t, 1, done.Sessions, id)
	}
}

func TestOneReplicaCleansAndWaitsForNobody(t *testing.T) {
	t.Parallel()
	s := open(t)
	full(t, s, "s1", "done", 91)
	full(t, s, "s2", "done", 92)
	hold := func(sql string) (release func()) {
		tx, err := s.Pool.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), sql)
		require.NoError(t, err)
		return func() { require.NoError(t, tx.Rollback(t.Context())) }
	}
	release := hold(`select pg_advisory_xact_lock(1651466852)`) // another replica cleans
	done, err := s.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Zero(t, done)
	release()

	release = hold(`select 1 from sessions where id = 's2' for update`) // somebody writes in the oldest
	done, err = s.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, 1, done.Sessions)
	release()
	done, err = s.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, 1, done.Sessions)
}

func TestAThreadWhoseSessionIsGoneBeginsAnew(t *testing.T) {
	t.Parallel()
	s := open(t)
	old := begun(t, s).Session().ID
	for _, sql := range []string{
		`update sessions set phase = 'done', updated_at = now() - '91 days'::interval`,
		`update inbox set handled_at = now()`, `update river_job set state = 'completed', finalized_at = now() - '91 days'::interval`,
	} {
		_, err := s.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	done, err := s.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, store.Cleaned{Sessions: 1, Jobs: done.Jobs}, done)
	require.NotZero(t, done.Jobs)

	require.NoError(t, s.Receive(t.Context(), reply("Ev2", "1.5", "thanks"))) // to nobody
	require.Equal(t, 1, number(t, s, `select count(*) from sessions`))
	again := mention("Ev3", "it is back")
	again.TS = "1.6"
	require.NoError(t, s.Receive(t.Context(), again))
	require.Equal(t, 1, number(t, s, `select count(*) from sessions where id <> $1 and thread_ts = '1.0' and title = 'it is back'`, old))
	require.Equal(t, 1, number(t, s, `select count(*) from inbox`))
	require.Equal(t, 1, number(t, s, `select count(*) from river_job where kind = 'turn' and state = 'available'`))
}

// A mention that comes while its session is being cleaned away begins the next one.
func TestAMentionIsNotLostToTheCleaning(t *testing.T) {
	t.Parallel()
	s := open(t)
	full(t, s, "s1", "done", 91)
	tx, err := s.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context()) //nolint:errcheck // committed below
	_, err = tx.Exec(t.Context(), `select 1 from sessions for update`)
	require.NoError(t, err)
	received := make(chan error, 1)
	go func() {
		in := mention("Ev9", "it is back")
		in.Thread = workflow.Thread{Team: "T1", Channel: "C1", TS: "s1.0"}
		received <- s.Receive(t.Context(), in)
	}()
	require.Eventually(t, func() bool { // it has found the old session, and waits for its row
		return number(t, s, `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`) == 1
	}, time.Minute, 5*time.Millisecond)
	_, err = tx.Exec(t.Context(), `update sessions set cleared_at = now(), thread_ts = thread_ts || ' ' || id`)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-received)
	require.Equal(t, 1, number(t, s, `select count(*) from sessions x join inbox i on i.session_id = x.id where x.cleared_at is null and i.event_id = 'Ev9'`))
}
