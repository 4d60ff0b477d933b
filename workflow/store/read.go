package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// Session reads one session.
func (s *Store) Session(ctx context.Context, id string) (workflow.Session, error) {
	return scanSession(s.Pool.QueryRow(ctx, `select `+sessionColumns+` from sessions where id = $1`, id))
}

// Sessions are the newest sessions.
func (s *Store) Sessions(ctx context.Context, limit int) ([]workflow.Session, error) {
	rows, err := s.Pool.Query(ctx, `select `+sessionColumns+` from sessions order by updated_at desc limit $1`, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (workflow.Session, error) { return scanSession(r) })
}

// A Pulse is what a running turn looks at while its agents are busy.
type Pulse struct {
	Mine      bool // no later turn has begun
	Stop      bool // a person said stop
	Unhandled bool // somebody wrote what was not judged yet
}

// Pulse looks once.
func (t *Turn) Pulse(ctx context.Context) (p Pulse, err error) {
	err = t.store.Pool.QueryRow(ctx, `select epoch = $2, stop_asked, exists (select 1 from inbox where session_id = $1 and handled_at is null)
		from sessions where id = $1`, t.id, t.epoch).Scan(&p.Mine, &p.Stop, &p.Unhandled)
	return p, err
}

const messageColumns = `id, session_id, event_id, kind, message_ts, user_id, user_team, text, shown, action_id, value, at`

func scanMessage(row pgx.CollectableRow) (workflow.Message, error) {
	var m workflow.Message
	err := row.Scan(&m.ID, &m.Session, &m.EventID, &m.Kind, &m.TS, &m.User, &m.UserTeam, &m.Text, &m.Shown, &m.ActionID, &m.Value, &m.At)
	return m, err
}

// Unhandled are the messages that the program has not judged yet, in order of arrival.
func (t *Turn) Unhandled(ctx context.Context) ([]workflow.Message, error) {
	return t.messages(ctx, `select `+messageColumns+` from inbox where session_id = $1 and handled_at is null order by id`, t.id)
}

// Unseen are the messages for agents that the transcript of task (0: the orchestrator)
// does not hold yet.
func (t *Turn) Unseen(ctx context.Context, task int64) ([]workflow.Message, error) {
	seen := `(select seen from sessions where id = $1)`
	if task != 0 {
		seen = `(select seen from tasks where id = $2)`
	}
	return t.messages(ctx, `select `+messageColumns+` from inbox where session_id = $1 and ($2::bigint is not null) and for_agents
		and id > `+seen+` order by id`, t.id, task)
}

// Original is the text that a message of this session had before the inbox row given;
// empty when there is none.
func (t *Turn) Original(ctx context.Context, ts string, before int64) (string, error) {
	var text string
	err := t.store.Pool.QueryRow(ctx, `select text from inbox where session_id = $1 and message_ts = $2 and id < $3
		and kind <> 'action' order by id desc limit 1`, t.id, ts, before).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return text, err
}

// ReadByAgents reports whether agents were given a message of the thread, before the inbox
// row given. What is not in the inbox is older than the session, and they read it with the
// thread.
func (t *Turn) ReadByAgents(ctx context.Context, ts string, before int64) (read bool, err error) {
	err = t.store.Pool.QueryRow(ctx, `select coalesce(bool_or(for_agents or exists (select 1 from permissions p where p.session_id = $1 and i.id = any(p.rests_on))), true)
		from inbox i where session_id = $1 and message_ts = $2 and id < $3 and kind in ('mention', 'reply', 'edit')`, t.id, ts, before).Scan(&read)
	return read, err
}

func (t *Turn) messages(ctx context.Context, sql string, args ...any) ([]workflow.Message, error) {
	rows, err := t.store.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("inbox of %s: %w", t.id, err)
	}
	list, err := pgx.CollectRows(rows, scanMessage)
	if err != nil {
		return nil, fmt.Errorf("inbox of %s: %w", t.id, err)
	}
	return list, nil
}

// Transcript is everything said to and by one agent of the session.
func (s *Store) Transcript(ctx context.Context, session string, task int64) ([]json.RawMessage, error) {
	rows, err := s.Pool.Query(ctx, `select body from transcript where session_id = $1 and task_id = $2 order by seq`, session, task)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (json.RawMessage, error) {
		var b []byte
		err := r.Scan(&b)
		return json.RawMessage(b), err
	})
}

// Report is one revision; revision 0 of a session is no report and found nowhere.
func (s *Store) Report(ctx context.Context, session string, revision int) (workflow.Report, error) {
	r := workflow.Report{Session: session, Revision: revision}
	var body []byte
	err := s.Pool.QueryRow(ctx, `select kind, body, text, base_commit, asked_by from reports where session_id = $1 and revision = $2`, session, revision).
		Scan(&r.Kind, &body, &r.Text, &r.BaseCommit, &r.AskedBy)
	r.Body = body
	return r, err
}

// ReportShown is the ts of the message in which people read a revision, empty before it is
// in Slack. underWay: it is being posted, and may be there already.
func (s *Store) ReportShown(ctx context.Context, session string, revision int) (ts string, underWay bool, err error) {
	err = s.Pool.QueryRow(ctx, `select coalesce(o.ts, ''), o.tried_at is not null and o.posted_at is null and o.refused is null
		from reports r join lines l on l.session_id = r.session_id and l.text = r.text join outbox o on o.line_id = l.id
		where r.session_id = $1 and r.revision = $2 order by o.id limit 1`, session, revision).Scan(&ts, &underWay)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return ts, underWay, err
}

// Shown is the ts of the message in which people read a text of the bot's, empty before it
// is in Slack. underWay: it is being posted, and may be there already.
func (s *Store) Shown(ctx context.Context, session, text string) (ts string, underWay bool, err error) {
	err = s.Pool.QueryRow(ctx, `select coalesce(o.ts, ''), o.tried_at is not null and o.posted_at is null and o.refused is null
		from lines l join outbox o on o.line_id = l.id where l.session_id = $1 and l.text = $2 order by o.id limit 1`, session, clean(text)).Scan(&ts, &underWay)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return ts, underWay, err
}

// Allowance is the word that was asked for, or given, last under the approval; nil when
// there is none. A tree, where given, keeps that one.
func (s *Store) Allowance(ctx context.Context, approval, tree string) (*workflow.Allowance, error) {
	var w workflow.Allowance
	err := s.Pool.QueryRow(ctx, `select id, approval_id, tree, names, user_id, user_name, message_ts from allowances
		where approval_id = $1 and ($2 = '' or tree = $2) order by asked_at desc, id limit 1`, approval, tree).
		Scan(&w.ID, &w.Approval, &w.Tree, &w.Names, &w.User, &w.UserName, &w.MessageTS)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &w, err
}

// Approval is the word given on one revision; nil when there is none.
func (s *Store) Approval(ctx context.Context, session string, revision int) (*workflow.Approval, error) {
	a := workflow.Approval{Session: session, Revision: revision}
	err := s.Pool.QueryRow(ctx, `select id, coalesce(permission_id, ''), report_hash, base_commit, user_id, user_name, scope, message_ts, at
		from approvals where session_id = $1 and revision = $2`, session, revision).
		Scan(&a.ID, &a.Permission, &a.ReportHash, &a.BaseCommit, &a.User, &a.UserName, &a.Scope, &a.MessageTS, &a.At)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &a, err
}

// Button is what a button of this session stands for: the revision it was shown with and
// what it means. The value of one is worth nothing under another action.
func (t *Turn) Button(ctx context.Context, action, value string) (revision int, means string, ok bool, err error) {
	err = t.store.Pool.QueryRow(ctx, `select revision, means from buttons where id = $1 and session_id = $2 and action_id = $3`, value, t.id, action).Scan(&revision, &means)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, "", false, nil
	}
	return revision, means, err == nil, err
}

// Tasks are the session's tasks in order; callID, where given, keeps those of one tool call.
func (s *Store) Tasks(ctx context.Context, session, callID string) ([]workflow.Task, error) {
	rows, err := s.Pool.Query(ctx, `select id, session_id as session, number, description, shown, category, skill, after, state, summary,
			plan, failures, start_tree, tree, apart
		from tasks where session_id = $1 and ($2 = '' or call_id = $2) order by number`, session, callID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Task])
}

// Attempts are the attempts at one task, in order.
func (s *Store) Attempts(ctx context.Context, task int64) ([]workflow.Attempt, error) {
	rows, err := s.Pool.Query(ctx, `select task_id as task, number, tree, held, summary, diff from attempts where task_id = $1 order by number`, task)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Attempt])
}

// Pushes are the session's pushes, oldest first.
func (s *Store) Pushes(ctx context.Context, session string) ([]workflow.Push, error) {
	rows, err := s.Pool.Query(ctx, `select commit_hash as commit, tree, base_commit, branch, coalesce(approval_id, '') as approval,
			coalesce(report_hash, '') as report_hash, state, reason
		from pushes where session_id = $1 order by at`, session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Push])
}

// Decisions are everything that was allowed or refused in the session, in order.
func (s *Store) Decisions(ctx context.Context, session string) ([]workflow.Decision, error) {
	rows, err := s.Pool.Query(ctx, `select what, allowed, reason, user_id as "user", message_ts, revision
		from decisions where session_id = $1 order by id`, session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Decision])
}

// A Said is a line with the time it was said at.
type Said struct {
	Agent string
	Text  string
	At    time.Time
}

// Lines are what was said in the session, in order.
func (s *Store) Lines(ctx context.Context, session string) ([]Said, error) {
	rows, err := s.Pool.Query(ctx, `select agent, text, at from lines where session_id = $1 order by id`, session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Said])
}
