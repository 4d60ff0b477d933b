// Package storetest opens stores for tests, each on a private, migrated
// database, and fills them with the fixtures of most store tests: a thread,
// a request in it, an approved report, a session with a row in every table.
package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/migrations"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
)

// Silent is a log that discards everything.
var Silent = slog.New(slog.DiscardHandler)

// Migrate migrates the database at url to the newest schema.
// It prepares the databases of package postgrestest.
func Migrate(ctx context.Context, url string) error {
	s, err := store.Open(ctx, url, Silent)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Migrate(ctx)
}

// Open opens a store on a private, migrated database.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenLogged(t, Silent)
}

// OpenLogged opens a store that logs to log.
func OpenLogged(t testing.TB, log *slog.Logger) *store.Store {
	t.Helper()
	return open(t, postgrestest.Database(t, Migrate), log)
}

// OpenPatient opens a store whose transactions may be idle for any time. It is for tests that hold a
// transaction open while they wait for something else, which may take long on a busy machine.
func OpenPatient(t testing.TB) *store.Store {
	t.Helper()
	return open(t, patient(t, postgrestest.Database(t, Migrate)), Silent)
}

// patient returns the address with the setting that transactions may be idle for any time.
func patient(t testing.TB, address string) string {
	u, err := url.Parse(address)
	require.NoError(t, err)
	q := u.Query()
	q.Set("idle_in_transaction_session_timeout", "0")
	u.RawQuery = q.Encode()
	return u.String()
}

// OpenAt opens a store on a private database that has the schema of
// an earlier migration and no queue. Migrate brings it up to date.
func OpenAt(t testing.TB, version int64) *store.Store {
	t.Helper()
	s := open(t, patient(t, postgrestest.Database(t, nil)), Silent)
	db := stdlib.OpenDBFromPool(s.Pool)
	defer db.Close()
	schema, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	require.NoError(t, err)
	_, err = schema.UpTo(t.Context(), version)
	require.NoError(t, err)
	return s
}

func open(t testing.TB, url string, log *slog.Logger) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url, log)
	require.NoError(t, err)
	// A connection costs more than the statements of most tests, so what comes in uses
	// the connections of the rest.
	s.Arrivals.Close()
	s.Arrivals = s.Pool
	t.Cleanup(s.Close)
	return s
}

// Thread is the thread of Mention and Reply.
var Thread = workflow.Thread{Team: "T1", Channel: "C1", TS: "1.0"}

// Mention returns the request of U1 that begins the thread.
func Mention(event, text string) workflow.IncomingEvent {
	return workflow.IncomingEvent{
		EventID: event,
		Kind:    workflow.MessageMention,
		Thread:  Thread,
		TS:      "1.0",
		User:    "U1",
		Text:    text,
	}
}

// Reply returns a message of U2 in the thread.
func Reply(event, ts, text string) workflow.IncomingEvent {
	return workflow.IncomingEvent{
		EventID: event,
		Kind:    workflow.MessageReply,
		Thread:  Thread,
		TS:      ts,
		User:    "U2",
		Text:    text,
	}
}

// Inbox returns the store's inbox.
func Inbox(s *store.Store) *inbox.Inbox { return inbox.New(s.DB, s.Queue) }

// BeginTurn makes a session with one request, and begins its first turn.
func BeginTurn(t *testing.T, s *store.Store) *store.Turn {
	t.Helper()
	return BeginSettling(t, s, store.NoSettling)
}

// BeginSettling is like BeginTurn; settles decides which messages lose their buttons.
func BeginSettling(t *testing.T, s *store.Store, settles store.SettleRule) *store.Turn {
	t.Helper()
	require.NoError(t, Inbox(s).Receive(t.Context(), Mention("Ev1", "total is off")))
	list, err := s.Sessions(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	turn, err := s.Begin(t.Context(), list[0].ID, settles)
	require.NoError(t, err)
	return turn
}

// CountRows returns the single number that a query returns.
func CountRows(t *testing.T, s *store.Store, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, s.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// RecordReport records a revision of the report in the session of the turn.
func RecordReport(t *testing.T, turn *store.Turn, revision int, text string) workflow.Report {
	t.Helper()
	r := workflow.Report{
		Session:    turn.Session().ID,
		Revision:   revision,
		Kind:       "root_cause",
		Body:       json.RawMessage(`{}`),
		Text:       text,
		BaseCommit: "c0ffee",
	}
	require.NoError(t, turn.Record(t.Context(),
		store.Update{
			Change: func(s *workflow.Session) { s.BaseCommit = "c0ffee" },
			Events: []workflow.Event{workflow.EventReport},
		},
		consent.Report(r),
	))
	return r
}

// Permission returns a permission of ann, made from the message with which the session began.
func Permission(id string, what workflow.PermissionKind, revision int) *workflow.Permission {
	return &workflow.Permission{
		ID:        id,
		What:      what,
		Revision:  revision,
		Message:   1,
		MessageTS: "1.0",
		User:      "U1",
		UserName:  "ann",
	}
}

// Approval returns ann's approval of a report, with the permission that gives it.
func Approval(r workflow.Report, id string) []store.Part {
	return []store.Part{
		store.Update{
			Change: func(s *workflow.Session) { s.Branch = "bobbin/x" },
			Events: []workflow.Event{workflow.EventApprove},
		},
		consent.Permission{Permission: *Permission("p"+id, workflow.PermitReport, r.Revision)},
		consent.Approval{
			ID:         id,
			Revision:   r.Revision,
			ReportHash: r.Hash(),
			User:       "U1",
			UserName:   "ann",
			Scope:      "only the guard",
			MessageTS:  "1.0",
		},
	}
}

// Moving orders the move of the turn's session to the channel C2, by the message with which it began, and
// returns the key of the posting that begins the new thread.
func Moving(t *testing.T, turn *store.Turn) (key string) {
	t.Helper()
	s := turn.Session()
	m := workflow.Move{
		Number: len(s.Left) + 1, From: s.Thread, Channel: "C2", Name: "payments", UserName: "ann",
		Link: "https://acme.slack.com/archives/C2/p" + workflow.LinkTS, Text: "This goes on from C1.",
	}
	require.NoError(t, turn.Record(t.Context(),
		consent.Permission{Permission: *Permission(fmt.Sprint("m", m.Number), workflow.PermitMove, 0)},
		store.MoveOrder{
			Move: m, Begin: workflow.Line{Agent: "orchestrator", Text: m.Text},
			Leave: workflow.Line{Agent: "orchestrator", Text: m.WhereItGoesOn()},
		}))
	return fmt.Sprintf("%s:move:%d", s.ID, m.Number)
}

// MarkPosted stores that a posting is in Slack at ts. The test fails if another ts was stored before.
func MarkPosted(t *testing.T, s *store.Store, key, ts string) {
	t.Helper()
	stands, err := outbox.New(s.DB).Posted(t.Context(), key, ts)
	require.NoError(t, err)
	require.Equal(t, ts, stands)
}

// sessionRows inserts one row in every table that refers to sessions. %[1]s is the session's id, %[2]s its
// phase, and %[3]d its age in days.
var sessionRows = []string{
	`insert into sessions (id, team, channel, thread_ts, phase, revision, updated_at)
		values ('%[1]s', 'T1', 'C1', '%[1]s.0', '%[2]s', 1, now() - '%[3]d days'::interval)`,
	`insert into inbox (session_id, event_id, kind, message_ts, user_id, handled_at)
		values ('%[1]s', 'Ev%[1]s', 'mention', '%[1]s.0', 'U1', now())`,
	`insert into agent_usage (session_id, task_id, calls, usd) values ('%[1]s', 0, 1, 1)`,
	`insert into transcript (session_id, seq, body) values ('%[1]s', 1, '{}'), ('%[1]s', 2, '{}')`,
	`insert into lines (session_id, agent, text) values ('%[1]s', 'a', 'one'), ('%[1]s', 'a', 'two')`,
	`insert into outbox (key, session_id, line_id, posted_at) select '%[1]s:' || id, '%[1]s', id, now()
		from lines where session_id = '%[1]s'`,
	`insert into buttons (id, session_id, action_id) values ('b%[1]s', '%[1]s', 'fix')`,
	`insert into workspaces (session_id, tree, pack) values ('%[1]s', 't', 'p')`,
	`insert into repositories_read (session_id, repository, branch, commit_hash)
			values ('%[1]s', 'api', 'main', 'c')`,
	`insert into tried_hunks (session_id, base, tree, hunks) values ('%[1]s', 'b', 't', '[]')`,
	`insert into alerts (team, channel, fingerprint, session_id, app, title, last_ts)
		values ('T1', 'C1', '%[1]s', '%[1]s', 'Sentry', 'it panics', '1.0')`,
	`insert into report_words (session_id, repository, words)
		values ('%[1]s', 'shop', 'the total is off')`,
	`insert into twins (session_id, twin, score) values ('%[1]s', '%[1]s', 1)`,
	`insert into lookbacks (session_id, key, repository, base, probe)
		values ('%[1]s', 'push:c', 'shop', 'b', '{}')`,
	`insert into lookback_tries (lookback_id, commit_hash, nth, answer, took_ms) select id, 'c', 1, 'red',
		1 from lookbacks where session_id = '%[1]s'`,
	`insert into pictures (session_id, key, repository, base, commit_hash, changed)
		values ('%[1]s', 'push:c', 'shop', 'b', 'c', '{a.css}')`,
	`insert into picture_pages (picture_id, number, page, places, after, after_kind) select id, 1,
		'a.html', 0, 'x', 'png' from pictures where session_id = '%[1]s'`,
	`insert into under_way (session_id, epoch, what) values ('%[1]s', 1, 'go test')`,
	`insert into attachments (session_id, number, message_ts, file_id, name)
		values ('%[1]s', 1, '1.1', 'F1', 'app.log')`,
	`insert into seats (session_id, repository, job_id) values ('%[1]s', 'shop', 0)`,
	`insert into cards (session_id, run, key, stop, began_ms, began_usd, began_task)
		values ('%[1]s', 1, '%[1]s:card:1', 'c%[1]s', 0, 0, 0)`,
	`insert into reports (session_id, revision, kind, body, text, hash, base_commit)
		values ('%[1]s', 1, 'root_cause', '{}', 'r', 'h', 'c')`,
	`insert into amendments (session_id, revision, message_id, message_ts, user_id, text) select
		session_id, 1, id, message_ts, 'U1', 'only with three lines' from inbox
		where session_id = '%[1]s'`,
	`insert into permissions (id, session_id, what, revision, message_id, message_ts, user_id) select
		'p%[1]s', session_id, 'report', 1, id, message_ts, 'U1' from inbox where session_id = '%[1]s'`,
	`insert into permissions (id, session_id, what, revision, message_id, message_ts, user_id) select
		'k%[1]s', session_id, 'backport', 1, id, message_ts, 'U1' from inbox where session_id = '%[1]s'`,
	`insert into backports (repository, branch, session_id, wanted, pushed, base_commit, revision,
		permission_id, user_id, user_name, message_ts)
		values ('shop', 'bobbin/%[1]s-backport-1.4', '%[1]s', '1.4', 'c', 'b', 1, 'k%[1]s', 'U1', 'ann',
			'%[1]s.0')`,
	`insert into endorsements (permission_id, session_id, revision, report_hash, base_commit, user_id,
		message_ts) values ('p%[1]s', '%[1]s', 1, 'h', 'c', 'U1', '%[1]s.0')`,
	`insert into permissions (id, session_id, what, revision, message_id, message_ts, user_id) select
		'f%[1]s', session_id, 'file', 1, id, message_ts, 'U1' from inbox where session_id = '%[1]s'`,
	`insert into tickets (session_id, key, mark, repository, place, title, body, permission_id, user_id,
		message_ts, state) values ('%[1]s', 'issue:revision:1', 'm%[1]s', 'shop', 'p', 't', 'b', 'f%[1]s',
			'U1', '%[1]s.0', 'filed')`,
	`insert into disclosures (id, session_id, repository, tree, title, summary, shown)
		values ('d%[1]s', '%[1]s', 'shop', 't', 'title', 'summary', 'question')`,
	`insert into moves (session_id, number, key, team, channel, thread_ts, to_channel, to_name, link, text,
		revision, state) values ('%[1]s', 1, '%[1]s:move:1', 'T1', 'C1', '%[1]s.0', 'C2', 'payments', 'l',
			'x', 1, 'offered')`,
	`insert into approvals (id, session_id, revision, report_hash, base_commit, user_id, message_ts,
		permission_id) values ('a%[1]s', '%[1]s', 1, 'h', 'c', 'U1', '%[1]s.0', 'p%[1]s')`,
	`insert into decisions (session_id, what, allowed) values ('%[1]s', 'approve', true)`,
	`insert into allowances (id, session_id, approval_id, tree, names)
		values ('w%[1]s', '%[1]s', 'a%[1]s', 't', 'go.sum')`,
	`insert into ci_proofs (repository, commit_hash, session_id, allowance_id, branch, base_commit, base,
		state) values ('shop', 'c%[1]s', '%[1]s', 'w%[1]s', 'bobbin/x', 'b', 'main', 'passed')`,
	`insert into branch_conflicts (repository, branch, session_id, base, head, state, files)
		values ('shop', 'bobbin/%[1]s', '%[1]s', 'main', 'c', 'conflicts', '{a.go}')`,
	`insert into base_merges (session_id, revision, repository, branch, ours, base, theirs, common)
		values ('%[1]s', 1, 'shop', 'bobbin/%[1]s', 'c', 'main', 'd', 'b')`,
	`insert into objections (session_id, approval_id, message_id, message_ts, user_id, how, words,
		settled, allowance_id)
		select session_id, 'a%[1]s', id, message_ts, 'U2', 'message', 'wrong file', 'overruled', 'w%[1]s'
			from inbox where session_id = '%[1]s'`,
	`insert into removals (hash, session_id, approval_id, hunks, with_tree, without_tree)
		values ('r%[1]s', '%[1]s', 'a%[1]s', '[]', 't', 'u')`,
	`insert into audit (session_id, seq, what, name, content, hash)
		values ('%[1]s', 1, 'decision', '1', '{}', 'h')`,
	`insert into tasks (session_id, number, description, category) values ('%[1]s', 1, 'fix', 'quick')`,
	`insert into attempts (task_id, number, tree, held, summary) select id, 1, 't', true, 's' from tasks
		where session_id = '%[1]s'`,
	`insert into checks (task_id, red, built) select id, '{}', true from tasks
		where session_id = '%[1]s'`,
	`insert into pushes (session_id, commit_hash, tree, base_commit, branch)
		values ('%[1]s', 'c', 't', 'b', 'bobbin/x')`,
	`insert into pull_requests (repository, branch, session_id, head, base, title, body, state, news_at)
		values ('shop', 'bobbin/%[1]s', '%[1]s', 'c', 'main', 't', 'b', 'merged', now() -
			'%[3]d days'::interval)`,
	`insert into pull_request_papers (repository, branch, what, names)
		values ('shop', 'bobbin/%[1]s', 'labels', '{bug}')`,
	`insert into questions (session_id, text, options, recommended, open)
		values ('%[1]s', 'q', '[]', 'r', '[]')`,
	`insert into inquiries (session_id, kind, key, question) values ('%[1]s', 'consult', 'k', 'q')`,
	`insert into spending (session_id, day, team, channel, person, usd)
		values ('%[1]s', '2026-03-02', 'T1', 'C1', 'U1', 1)`,
	`insert into extensions (name, subject, number, amount, session_id, user_id, user_name, message_ts,
		permission_id) values ('session_usd', '%[1]s', 1, 5, '%[1]s', 'U1', 'ann', '%[1]s.0', 'p%[1]s')`,
	`insert into pauses_told (session_id, scope, name, at) values ('%[1]s', 'all', '', now())`,
	`insert into limit_warnings (name, subject, number, session_id)
		values ('session_usd', '%[1]s', 0, '%[1]s')`,
	`insert into commands (session_id, command, exit_code, output) values ('%[1]s', 'go test', 0, 'ok')`,
}

// FillSession makes a session at rest, that many days old,
// with a row in every table that refers to sessions.
func FillSession(t *testing.T, s *store.Store, id, phase string, days int) {
	t.Helper()
	for _, sql := range sessionRows {
		_, err := s.Pool.Exec(t.Context(),
			strings.NewReplacer("%[1]s", id, "%[2]s", phase, "%[3]d", fmt.Sprint(days)).Replace(sql))
		require.NoError(t, err, sql)
	}
}
