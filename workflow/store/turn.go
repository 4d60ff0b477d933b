package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Turn is the right to write in one session, until a later turn begins. It is safe for
// the concurrent use of the agents of that turn.
type Turn struct {
	store *Store
	id    string
	epoch int64
	job   int64 // that the turn runs under; 0: none

	mu      sync.Mutex
	session workflow.Session
	counted time.Time // until when its time at work was added up; zero: it is not at work
}

// A session that was cleaned away has its id behind the thread_ts (see retention.go).
const sessionColumns = `id, team, channel, split_part(thread_ts, ' ', 1), kind, phase, title, requester, repository, base_commit, branch, head,
	revision, epoch, open, spent_usd, created_at, updated_at, way, was, asked, may_ask, halted`

func scanSession(row pgx.Row) (workflow.Session, error) {
	var s workflow.Session
	err := row.Scan(&s.ID, &s.Thread.Team, &s.Thread.Channel, &s.Thread.TS, &s.Kind, &s.Phase, &s.Title, &s.Requester, &s.Repository,
		&s.BaseCommit, &s.Branch, &s.Head, &s.Revision, &s.Epoch, &s.Open, &s.SpentUSD, &s.Created, &s.Updated,
		&s.Way, &s.Was, &s.Asked, &s.MayAsk, &s.Halted)
	return s, err
}

// Begin starts a turn of the session and fences every earlier one. Under a job it does so
// only while the job is this worker's: one that was frozen, and given up for dead, has lost
// it, and must not fence whoever works instead.
func (s *Store) Begin(ctx context.Context, id string) (*Turn, error) {
	t := &Turn{store: s, id: id}
	err := s.transact(ctx, func(tx pgx.Tx) (err error) {
		// The session first, then the job, as by everybody who puts a job in.
		if t.session, err = scanSession(tx.QueryRow(ctx, `update sessions set epoch = epoch + 1 where id = $1 returning `+sessionColumns, id)); err != nil {
			return err
		}
		t.epoch = t.session.Epoch
		t.job, err = held(ctx, tx)
		//crash:turn_beginning
		return err
	})
	if errors.Is(err, ErrFenced) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("begin a turn of %s: %w", id, err)
	}
	return t, nil
}

// Session is the session as this turn last wrote or read it.
func (t *Turn) Session() workflow.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session
}

// A Reaction is shown on a message of the thread.
type Reaction struct{ Name, OnTS string }

// A Handled message was judged by the program. Agents see those that are for them.
type Handled struct {
	ID        int64
	ForAgents bool
	Shown     string // instead of the message's own text
	Held      bool   // it waits for somebody who may approve to pass it on
	Answers   bool   // it answers a question of the bot's
}

// A Fact is what one transaction records. All fields are optional.
type Fact struct {
	Handled    []Handled
	Task       int64 // whose transcript Items and Seen belong to; 0 for the orchestrator
	Items      []json.RawMessage
	Seen       int64 // the newest inbox row that the transcript now holds
	Lines      []workflow.Line
	Alone      bool // the lines make replies of their own
	Reactions  []Reaction
	Events     []workflow.Event
	Maybe      []workflow.Event        // after Events: those that the phase allows; several workers move one session
	Change     func(*workflow.Session) // of the session's own fields; not phase, epoch or spending
	SpentUSD   float64
	Tokens     int    // read and written by models
	Printed    int64  // bytes, by commands
	Disk       *int64 // bytes that the session's folder takes now; nil: nobody looked
	Limited    bool   // the session rests at a limit, until it is open again
	Extensions []workflow.Extension
	Decisions  []workflow.Decision
	Permission *workflow.Permission // that Approval, Allowance and Extensions are given by
	Adopts     []string             // ts of messages that Permission adopts, beside what it rests on
	Passed     []int64              // held messages that wait no longer
	Completed  []Completed          // messages whose event left a part out
	Earlier    []workflow.Said      // that agents are shown, from before the session
	Rested     bool                 // the thread rests: what was asked before is answered
	Report     *workflow.Report
	Approval   *workflow.Approval
	Tasks      []workflow.Task // inserted when ID is 0, otherwise what a task goes through is updated
	CallID     string          // the tool call that asked for inserted tasks
	Attempt    *workflow.Attempt
	Push       *workflow.Push
	Allowance  *workflow.Allowance // asked for without User, otherwise given
	Question   *workflow.Question  // inserted when ID is 0, otherwise answered by By
	Inquiry    *workflow.Inquiry   // inserted when ID is 0 and its key is new, otherwise answered or applied
	Check      *Check
	Snapshots  []Snapshot // of trees that this fact changed
	Command    *Command
	Told       []Told // for the agents, from the program
	// Attachments without a number are files that the thread holds; others were read.
	Attachments []workflow.Attachment
	Withdrawn   string // ts of a message whose files must not be used any more
	By          string
	ClearStop   bool
	// Open says whether the orchestrator has something to do; nil leaves it as it was.
	Open *bool

	worked  time.Duration
	warning *workflow.Use
}

// Record writes the fact, or nothing. It fails with ErrFenced when a later turn has
// begun, with ErrStale when the fact holds an approval that no longer counts, and with
// ErrNotApproved when it holds a push that is not what was approved. While Postgres is away
// it tries again; a fact whose commit was cut off is found by its number.
func (t *Turn) Record(ctx context.Context, f Fact) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, before, now := t.session, int64(-1), time.Now()
	f.worked = t.worked(now)
	err := t.store.transact(ctx, func(tx pgx.Tx) error {
		recorded, err := t.lock(ctx, tx)
		if err != nil {
			return err
		}
		if before >= 0 && recorded > before { // an earlier try got through after all
			next, err = scanSession(tx.QueryRow(ctx, `select `+sessionColumns+` from sessions where id = $1`, t.id))
			return err
		}
		before = recorded
		if next, err = t.advance(ctx, tx, f); err != nil {
			return err
		}
		//crash:fact_begun
		return t.write(ctx, tx, f)
	})
	if err != nil {
		if errors.Is(err, ErrFenced) || errors.Is(err, ErrStale) || errors.Is(err, ErrNotApproved) {
			return err
		}
		return fmt.Errorf("record in %s: %w", t.id, err)
	}
	//crash:fact_recorded
	t.session = next
	if !t.counted.IsZero() {
		t.counted = now
	}
	return nil
}

// lock takes the session's row under this turn's epoch, and says how many facts it holds.
func (t *Turn) lock(ctx context.Context, tx pgx.Tx) (recorded int64, err error) {
	err = tx.QueryRow(ctx, `select recorded from sessions where id = $1 and epoch = $2 for update`, t.id, t.epoch).Scan(&recorded)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, ErrFenced
	}
	return recorded, err
}

// write puts every part of the fact into its table.
func (t *Turn) write(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, step := range []func(context.Context, pgx.Tx, Fact) error{
		t.spending, t.warning, t.handled, t.earlier, t.transcript, t.rest, t.decisions, t.report, t.permission, t.extensions, t.approval, t.tasks, t.attempt, t.push, t.allowance,
		t.question, t.inquiry, t.check, t.command, t.snapshots, t.told, t.attachments, t.settle, t.lines, t.card, t.reactions,
	} {
		if err := step(ctx, tx, f); err != nil {
			return err
		}
	}
	return nil
}

// advance writes the session's own fields, and that it got somewhere.
func (t *Turn) advance(ctx context.Context, tx pgx.Tx, f Fact) (workflow.Session, error) {
	s, err := scanSession(tx.QueryRow(ctx, `select `+sessionColumns+` from sessions where id = $1`, t.id))
	if err != nil {
		return s, err
	}
	if f.Change != nil {
		f.Change(&s)
	}
	for _, e := range f.Events {
		if err := s.Happen(e); err != nil {
			return s, err
		}
	}
	for _, e := range f.Maybe {
		_ = s.Happen(e)
	}
	if f.Report != nil {
		s.Revision = f.Report.Revision
	}
	if f.Approval != nil || f.Permission != nil && f.Permission.What == workflow.PermitResume {
		s.Halted = ""
	}
	s.SpentUSD += f.SpentUSD
	_, err = tx.Exec(ctx, `update sessions set kind = $2, phase = $3, title = $4, repository = $5, base_commit = $6, branch = $7, head = $8,
			revision = $9, spent_usd = $10, stop_asked = stop_asked and not $11, open = coalesce($12, open), way = $13, was = $14, asked = $15,
			may_ask = $16, halted = $17, crashes = 0, recorded = recorded + 1, updated_at = now() where id = $1`,
		t.id, s.Kind, s.Phase, s.Title, s.Repository, s.BaseCommit, s.Branch, s.Head, s.Revision, s.SpentUSD, f.ClearStop, f.Open,
		s.Way, s.Was, s.Asked, s.MayAsk, s.Halted)
	if f.Open != nil {
		s.Open = *f.Open
	}
	return s, err
}

func (t *Turn) handled(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, h := range f.Handled {
		_, err := tx.Exec(ctx, `update inbox set handled_at = now(), for_agents = $2, shown = $3, held = $4, answers = $5 where id = $1`,
			h.ID, h.ForAgents, clean(h.Shown), h.Held, h.Answers)
		if err != nil {
			return err
		}
	}
	for _, m := range f.Completed {
		if _, err := tx.Exec(ctx, `update inbox set text = $2 where id = $1`, m.ID, clean(m.Text)); err != nil {
			return err
		}
	}
	if len(f.Passed) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `update inbox set held = false where session_id = $1 and id = any($2)`, t.id, f.Passed)
	return err
}

// A Completed message is one as the thread has it: what was shared with it came in no event.
type Completed struct {
	ID   int64
	Text string
}

// delivers: a push went out.
func (f Fact) delivers() bool { return slices.Contains(f.Events, workflow.EventProve) }

// rests: what was asked before is answered, or somebody stopped it.
func (f Fact) rests() bool { return f.Rested || slices.Contains(f.Events, workflow.EventStop) }

// permitted is the id of the permission that the fact's words are given by; null where
// there is none, which the schema refuses.
func (f Fact) permitted() *string {
	if f.Permission == nil {
		return nil
	}
	return &f.Permission.ID
}

func (t *Turn) transcript(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, item := range f.Items {
		_, err := tx.Exec(ctx, `insert into transcript (session_id, task_id, seq, body)
			values ($1, $2, (select coalesce(max(seq), 0) + 1 from transcript where session_id = $1 and task_id = $2), $3)`,
			t.id, f.Task, []byte(item))
		if err != nil {
			return err
		}
	}
	if f.Seen == 0 {
		return nil
	}
	if f.Task == 0 {
		_, err := tx.Exec(ctx, `update sessions set seen = greatest(seen, $2) where id = $1`, t.id, f.Seen)
		return err
	}
	_, err := tx.Exec(ctx, `update tasks set seen = greatest(seen, $2) where id = $1`, f.Task, f.Seen)
	return err
}

func (t *Turn) decisions(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, d := range f.Decisions {
		var id int64
		err := tx.QueryRow(ctx, `insert into decisions (session_id, what, allowed, reason, user_id, message_ts, revision)
			values ($1, $2, $3, $4, $5, $6, $7) returning id`,
			t.id, d.What, d.Allowed, clean(d.Reason), d.User, d.MessageTS, d.Revision).Scan(&id)
		if err == nil {
			err = t.audit(ctx, tx, "decision", strconv.FormatInt(id, 10))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Turn) report(ctx context.Context, tx pgx.Tx, f Fact) error {
	if f.Report == nil {
		return nil
	}
	r := *f.Report
	r.Text = clean(r.Text) // the hash is of what is kept and shown
	_, err := tx.Exec(ctx, `insert into reports (session_id, revision, kind, body, text, hash, base_commit, asked_by) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		t.id, r.Revision, r.Kind, []byte(r.Body), r.Text, r.Hash(), r.BaseCommit, r.AskedBy)
	if err != nil {
		return err
	}
	return t.audit(ctx, tx, "report", strconv.Itoa(r.Revision))
}

// approval is the compare-and-set: it writes a row only while the session waits on
// exactly this revision and nobody's approval stands for it. One that was given by asking
// also has to rest on all that was written: nothing is unjudged, and nothing for the agents
// unread.
func (t *Turn) approval(ctx context.Context, tx pgx.Tx, f Fact) error {
	a := f.Approval
	if a == nil {
		return nil
	}
	tag, err := tx.Exec(ctx, `insert into approvals (id, session_id, revision, report_hash, base_commit, user_id, user_name, scope, message_ts, permission_id)
		select $1, r.session_id, r.revision, r.hash, r.base_commit, $4, $5, $6, $7, $9
		from reports r join sessions s on s.id = r.session_id
		where r.session_id = $2 and r.revision = $3 and s.revision = $3 and r.hash = $8 and r.base_commit = s.base_commit
			and not ($10 and exists (select 1 from inbox i where i.session_id = s.id and i.user_id <> '' and i.kind <> 'delete'
				and (i.handled_at is null or i.for_agents and i.id > s.seen)))
		on conflict do nothing`,
		a.ID, t.id, a.Revision, a.User, a.UserName, clean(a.Scope), a.MessageTS, a.ReportHash, f.permitted(), f.Permission != nil && len(f.Permission.RestsOn) > 0)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return ErrStale
	}
	return t.audit(ctx, tx, "approval", a.ID)
}

func (t *Turn) tasks(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, k := range f.Tasks {
		var err error
		if k.ID == 0 {
			_, err = tx.Exec(ctx, `insert into tasks (session_id, number, description, category, skill, after, state, call_id, seen, plan, failures, apart, shown)
				values ($1, $2, $3, $4, $5, $6, $7, $8, (select seen from sessions where id = $1), $9, $10, $11, $12)`,
				t.id, k.Number, clean(k.Description), k.Category, k.Skill, ints(k.After), workflow.TaskOpen, f.CallID, k.Plan, k.Failures, k.Apart, clean(k.Shown))
		} else {
			_, err = tx.Exec(ctx, `update tasks set state = $2, summary = $3, failures = $4, start_tree = $5, tree = $6 where id = $1`,
				k.ID, k.State, clean(k.Summary), k.Failures, k.StartTree, k.Tree)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func ints(list []int) []int {
	if list == nil {
		return []int{}
	}
	return list
}

func (t *Turn) attempt(ctx context.Context, tx pgx.Tx, f Fact) error {
	a := f.Attempt
	if a == nil {
		return nil
	}
	_, err := tx.Exec(ctx, `insert into attempts (task_id, number, tree, held, summary, diff) values ($1, $2, $3, $4, $5, $6)`,
		a.Task, a.Number, a.Tree, a.Held, clean(a.Summary), clean(a.Diff))
	return err
}

// push writes the intent only while it is what its approval is of: the newest revision of
// the report, with the hash that it has, on the base that the session has, and with the
// further word where these files need one; and only while nobody's stop stands. How a push
// went is told of an intent alone.
func (t *Turn) push(ctx context.Context, tx pgx.Tx, f Fact) error {
	p := f.Push
	if p == nil {
		return nil
	}
	sql := `update pushes set state = $7, reason = $8
		where session_id = $1 and commit_hash = $2 and tree = $3 and base_commit = $4 and branch = $5 and approval_id = $6`
	if p.State == workflow.PushIntended {
		sql = `insert into pushes (session_id, commit_hash, tree, base_commit, branch, approval_id, report_hash, state, reason)
			select s.id, $2, $3, a.base_commit, s.branch, a.id, a.report_hash, $7, $8
			from sessions s join approvals a on a.session_id = s.id and a.revision = s.revision and a.base_commit = s.base_commit
				join reports r on r.session_id = a.session_id and r.revision = a.revision and r.hash = a.report_hash and r.base_commit = a.base_commit
			where s.id = $1 and s.base_commit = $4 and s.branch = $5 and a.id = $6 and s.halted = '' and (a.permission_id is not null or a.inherited)
				and not exists (select 1 from allowances w where w.approval_id = a.id and w.tree = $3 and w.user_id = '')
				and not exists (select 1 from pushes p where p.approval_id = a.id and p.state = 'pushed')
			on conflict (session_id, commit_hash) do update set state = excluded.state, reason = excluded.reason
			where pushes.tree = excluded.tree and pushes.approval_id = excluded.approval_id and pushes.branch = excluded.branch`
	}
	tag, err := tx.Exec(ctx, sql, t.id, p.Commit, p.Tree, p.BaseCommit, p.Branch, p.Approval, p.State, clean(p.Reason))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return ErrNotApproved
	}
	return t.audit(ctx, tx, "push", p.Commit)
}

// allowance keeps that a word was asked for, or that it was given: while it is the newest
// that was asked for, under the approval of the newest report, and once.
func (t *Turn) allowance(ctx context.Context, tx pgx.Tx, f Fact) error {
	w := f.Allowance
	if w == nil {
		return nil
	}
	// What was asked for before, of the same files, is the newest question again.
	sql, args := `insert into allowances (id, session_id, approval_id, tree, names) values ($2, $1, $3, $4, $5)
			on conflict (session_id, approval_id, tree) do update set asked_at = now(), names = excluded.names where allowances.id = excluded.id and allowances.user_id = ''`,
		[]any{t.id, w.ID, w.Approval, w.Tree, clean(w.Names)}
	if w.User != "" {
		sql, args = `update allowances w set user_id = $3, user_name = $4, message_ts = $5, permission_id = $6, allowed_at = now()
			from sessions s join approvals a on a.session_id = s.id and a.revision = s.revision and a.base_commit = s.base_commit
			where w.id = $2 and w.session_id = $1 and s.id = $1 and a.id = w.approval_id and w.user_id = ''
				and not exists (select 1 from allowances later where later.session_id = $1 and later.asked_at > w.asked_at)`,
			[]any{t.id, w.ID, w.User, w.UserName, w.MessageTS, f.permitted()}
	}
	tag, err := tx.Exec(ctx, sql, args...)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return ErrStale
	}
	return t.audit(ctx, tx, "allowance", w.ID)
}

func (t *Turn) lines(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, l := range f.Lines {
		if err := t.line(ctx, tx, l, f.Alone); err != nil {
			return err
		}
	}
	if len(f.Lines) == 0 {
		return nil
	}
	return t.store.queuePosting(ctx, tx, t.id)
}

// line keeps what was said, what its buttons stand for, and that it has to be posted.
func (t *Turn) line(ctx context.Context, tx pgx.Tx, l workflow.Line, alone bool) error {
	var id int64
	code, err := jsonOf(l.Code, l.Code != nil)
	if err != nil {
		return err
	}
	err = tx.QueryRow(ctx, `insert into lines (session_id, agent, text, calls, code) values ($1, $2, $3, $4, $5) returning id`, t.id, l.Agent, clean(l.Text), called(l), code).Scan(&id)
	if err != nil {
		return err
	}
	buttons, err := jsonOf(l.Buttons, len(l.Buttons) > 0)
	if err != nil {
		return err
	}
	for _, b := range l.Buttons {
		_, err := tx.Exec(ctx, `insert into buttons (id, session_id, action_id, revision, means)
			values ($1, $2, $3, (select revision from sessions where id = $2), $4)`, b.Value, t.id, b.ActionID, b.Means)
		if err != nil {
			return err
		}
	}
	files, err := jsonOf(l.Files, len(l.Files) > 0)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `insert into outbox (key, session_id, line_id, buttons, alone, files) values ($1, $2, $3, $4, $5, $6)`,
		fmt.Sprintf("%s:%d", t.id, id), t.id, id, buttons, alone || len(buttons) > 0 || len(files) > 0, files)
	return err
}

// jsonOf is what a column holds; null where there is nothing.
func jsonOf(v any, there bool) ([]byte, error) {
	if !there {
		return nil, nil
	}
	return json.Marshal(v)
}

func (t *Turn) reactions(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, r := range f.Reactions {
		_, err := tx.Exec(ctx, `insert into outbox (key, session_id, reaction, on_ts) values ($1, $2, $3, $4) on conflict do nothing`,
			t.id+":"+r.Name+":"+r.OnTS, t.id, r.Name, r.OnTS)
		if err != nil {
			return err
		}
	}
	if len(f.Reactions) == 0 {
		return nil
	}
	return t.store.queueReaction(ctx, tx, t.id)
}
