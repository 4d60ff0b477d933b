package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Check is what the program saw when a worker had it build and test.
type Check struct {
	Task  int64
	Red   []string // tests that failed
	Built bool
}

// Failed reports whether the test was among those that failed; a case of it counts.
func (c Check) Failed(test string) bool {
	for _, name := range c.Red {
		if name == test || strings.HasPrefix(name, test+"/") || strings.HasSuffix(name, " "+test) {
			return true
		}
	}
	return false
}

// A Command is one that an agent had run.
type Command struct {
	Task     int64 // 0: the orchestrator
	Command  string
	ExitCode int
	Output   string // its last lines
}

// Told is what the program tells the agents by itself. The key makes it one; By is who
// asked for it, empty where nobody did.
type Told struct{ Key, Text, By string }

// question keeps a question with the job that answers it when nobody does, or its answer.
func (t *Turn) question(ctx context.Context, tx pgx.Tx, f Fact) error {
	q := f.Question
	switch {
	case q == nil:
		return nil
	case q.ID != 0:
		_, err := tx.Exec(ctx, `update questions set answer = $2, answered_by = $3 where id = $1 and answer = ''`, q.ID, clean(q.Answer), f.By)
		return err
	}
	options, err := json.Marshal(q.Options)
	if err != nil {
		return err
	}
	open, err := json.Marshal(q.Open)
	if err != nil {
		return err
	}
	var due *time.Time
	if !q.Due.IsZero() {
		due = &q.Due
	}
	var id int64
	err = tx.QueryRow(ctx, `insert into questions (session_id, text, options, recommended, open, due_at) values ($1, $2, $3, $4, $5, $6) returning id`,
		t.id, clean(q.Text), []byte(options), clean(q.Recommended), []byte(open), due).Scan(&id)
	if err != nil || due == nil {
		return err
	}
	_, err = t.store.jobs.InsertTx(ctx, tx, DueJob{Session: t.id, Question: id}, &river.InsertOpts{ScheduledAt: *due})
	return err
}

// Questions are those that the session put to its thread, in order.
func (s *Store) Questions(ctx context.Context, session string) ([]workflow.Question, error) {
	rows, err := s.Pool.Query(ctx, `select id, session_id, text, options, recommended, open, due_at, answer from questions where session_id = $1 order by id`, session)
	if err != nil {
		return nil, fmt.Errorf("questions of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (workflow.Question, error) {
		var q workflow.Question
		var options, open []byte
		var due *time.Time
		if err := r.Scan(&q.ID, &q.Session, &q.Text, &options, &q.Recommended, &open, &due, &q.Answer); err != nil {
			return q, err
		}
		if due != nil {
			q.Due = *due
		}
		return q, errors.Join(json.Unmarshal(options, &q.Options), json.Unmarshal(open, &q.Open))
	})
}

// Waiting is the newest question that nobody answered; nil when there is none.
func (s *Store) Waiting(ctx context.Context, session string) (*workflow.Question, error) {
	all, err := s.Questions(ctx, session)
	if err != nil {
		return nil, err
	}
	for _, q := range slices.Backward(all) {
		if q.Answer == "" {
			return &q, nil
		}
	}
	return nil, nil
}

// A DueJob tells a session that a question has waited long enough.
type DueJob struct {
	Session  string `json:"session" river:"unique"`
	Question int64  `json:"question" river:"unique"`
}

// Kind names the job in the queue.
func (DueJob) Kind() string { return "due" }

// A DueWorker works DueJobs.
type DueWorker struct {
	river.WorkerDefaults[DueJob]
	Store *Store
}

// Work puts the word into the session's inbox; the turn looks whether it still matters.
func (w *DueWorker) Work(ctx context.Context, j *river.Job[DueJob]) error {
	err := w.Store.transact(ctx, func(tx pgx.Tx) error {
		// The session's row first, as every inserter: a turn that completes meanwhile sees it.
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, j.Args.Session); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, value) values ($1, $2, $3, '', '', $4)
			on conflict do nothing`, j.Args.Session, fmt.Sprintf("due:%d", j.Args.Question), workflow.IncomingDue, strconv.FormatInt(j.Args.Question, 10))
		if err != nil {
			return err
		}
		return w.Store.queueTurn(ctx, tx, j.Args.Session)
	})
	if err != nil {
		return fmt.Errorf("question %d is due: %w", j.Args.Question, err)
	}
	return nil
}

// inquiry keeps an inquiry, its answer, or that it was acted on.
func (t *Turn) inquiry(ctx context.Context, tx pgx.Tx, f Fact) error {
	q := f.Inquiry
	if q == nil {
		return nil
	}
	if q.ID != 0 {
		_, err := tx.Exec(ctx, `update inquiries set answer = coalesce($2, answer), applied = applied or $3 where id = $1`, q.ID, raw(q.Answer), q.Applied)
		return err
	}
	_, err := tx.Exec(ctx, `insert into inquiries (session_id, kind, key, question, asked_by) values ($1, $2, $3, $4, $5) on conflict do nothing`,
		t.id, q.Kind, q.Key, clean(q.Question), q.By)
	return err
}

func raw(b json.RawMessage) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// Inquiries are the session's, in order.
func (s *Store) Inquiries(ctx context.Context, session string) ([]workflow.Inquiry, error) {
	rows, err := s.Pool.Query(ctx, `select id, session_id, kind, key, question, asked_by, answer, applied from inquiries where session_id = $1 order by id`, session)
	if err != nil {
		return nil, fmt.Errorf("inquiries of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (workflow.Inquiry, error) {
		var q workflow.Inquiry
		var answer []byte
		err := r.Scan(&q.ID, &q.Session, &q.Kind, &q.Key, &q.Question, &q.By, &answer, &q.Applied)
		q.Answer = answer
		return q, err
	})
}

func (t *Turn) check(ctx context.Context, tx pgx.Tx, f Fact) error {
	if f.Check == nil {
		return nil
	}
	red := make([]string, 0, len(f.Check.Red))
	for _, name := range f.Check.Red {
		red = append(red, clean(name))
	}
	_, err := tx.Exec(ctx, `insert into checks (task_id, red, built) values ($1, $2, $3)`, f.Check.Task, red, f.Check.Built)
	return err
}

// Checks are what the program saw of one task's tests while it was worked at, in order.
func (s *Store) Checks(ctx context.Context, task int64) ([]Check, error) {
	rows, err := s.Pool.Query(ctx, `select task_id as task, red, built from checks where task_id = $1 order by id`, task)
	if err != nil {
		return nil, fmt.Errorf("checks of task %d: %w", task, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Check])
}

func (t *Turn) command(ctx context.Context, tx pgx.Tx, f Fact) error {
	c := f.Command
	if c == nil {
		return nil
	}
	_, err := tx.Exec(ctx, `insert into commands (session_id, task_id, command, exit_code, output) values ($1, $2, $3, $4, $5)`,
		t.id, c.Task, clean(c.Command), c.ExitCode, clean(c.Output))
	return err
}

// Commands are those that agents of the session had run in its repository, in order.
func (s *Store) Commands(ctx context.Context, session string) ([]Command, error) {
	rows, err := s.Pool.Query(ctx, `select task_id as task, command, exit_code, output from commands where session_id = $1
		and at > coalesce((select max(at) from decisions where session_id = $1 and what = 'repository' and allowed), '-infinity') order by id`, session)
	if err != nil {
		return nil, fmt.Errorf("commands of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Command])
}

// told puts what the program says into the inbox, judged already, so that every agent
// reads it in its order.
func (t *Turn) told(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, told := range f.Told {
		_, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, handled_at, for_agents, shown)
			values ($1, $2, $3, '', $5, now(), true, $4) on conflict do nothing`, t.id, t.id+":"+told.Key, workflow.IncomingTold, clean(told.Text), told.By)
		if err != nil {
			return err
		}
	}
	return nil
}
