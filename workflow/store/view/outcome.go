package view

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// An Outcome is what came of a session so far, beside its pushes and its report.
type Outcome struct {
	Worked    time.Duration // how long the session was at work
	Approvals []Approved
	Objected  []workflow.Objection // what people objected, and nobody took back or overruled
	Pulls     []Pull
	Told      []Told
	Newest    string   // the newest line of the thread, without those that only report progress
	Others    []string // ids of the sessions of the thread's other repositories, the thread's own first
}

// An Approved is the word of one person for a revision, or for exactly the files of a push.
type Approved struct {
	User, UserName string
	Revision       int
	Scope          string // what it was limited to; empty: nothing
	Push           bool   // it is for the files of a push
	At             time.Time
}

// A Pull is a pull request of the session.
type Pull struct {
	Repository, Branch string
	Number             int64
	URL, Title, State  string
	Reason             string // why the host refused it
	Aside              bool   // it is of a backport, not of the session's own branch
}

// Told is what the thread was told of a push: the text of the result, and the numbers of the lines that the
// program vouches for.
type Told struct {
	At      time.Time
	Text    string
	Vouched []int
}

// ReadOutcome returns what came of a session.
func ReadOutcome(ctx context.Context, db *database.DB, session string) (o Outcome, err error) {
	err = pgx.BeginTxFunc(ctx, db.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, read := range []func(context.Context, pgx.Tx, string) error{
			o.readSession, o.readApprovals, o.readObjections, o.readPulls, o.readTold, o.readOthers,
		} {
			if err := read(ctx, tx, session); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Outcome{}, fmt.Errorf("what came of %s: %w", session, err)
	}
	return o, nil
}

func (o *Outcome) readSession(ctx context.Context, tx pgx.Tx, session string) error {
	var ms int64
	err := tx.QueryRow(ctx, `select s.worked_ms,
			coalesce((select l.text from lines l where l.session_id = s.id
				and not exists (select 1 from outbox o where o.line_id = l.id and o.progress)
				order by l.id desc limit 1), '')
		from sessions s where s.id = $1`, session).Scan(&ms, &o.Newest)
	o.Worked = time.Duration(ms) * time.Millisecond
	return err
}

// readApprovals reads the words of people that counted when the change was pushed, or count now. An approval
// from before each word had a row stands for the word of its author.
func (o *Outcome) readApprovals(ctx context.Context, tx pgx.Tx, session string) (err error) {
	rows, err := tx.Query(ctx, `select user_id, user_name, revision, scope, subject <> '' as push, at
		from endorsements where session_id = $1 and ended in ('', 'used')
			and (subject = '' or starts_with(subject, 'tree '))
		union all
		select user_id, user_name, revision, scope, false, at from approvals a where session_id = $1
			and not exists (select 1 from endorsements e where e.session_id = $1
				and e.revision = a.revision and e.subject = '')
		order by at, user_name`, session)
	if err != nil {
		return err
	}
	o.Approvals, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Approved])
	return err
}

func (o *Outcome) readObjections(ctx context.Context, tx pgx.Tx, session string) error {
	rows, err := tx.Query(ctx, `select user_id, user_name, words from objections
		where session_id = $1 and settled = '' order by at, id`, session)
	if err != nil {
		return err
	}
	o.Objected, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (x workflow.Objection, err error) {
		err = r.Scan(&x.User, &x.UserName, &x.Words)
		return x, err
	})
	return err
}

func (o *Outcome) readPulls(ctx context.Context, tx pgx.Tx, session string) error {
	rows, err := tx.Query(ctx, `select p.repository, p.branch, p.number, p.url, p.title, p.state, p.reason,
			p.branch <> s.branch
		from pull_requests p join sessions s on s.id = p.session_id where p.session_id = $1
		order by p.branch <> s.branch, p.at`, session)
	if err != nil {
		return err
	}
	o.Pulls, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Pull])
	return err
}

// readTold reads the lines below which the diff of a push can be shown.
func (o *Outcome) readTold(ctx context.Context, tx pgx.Tx, session string) error {
	shows, err := json.Marshal([]map[string]any{{"ActionID": workflow.ButtonShowDiff}})
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `select distinct on (l.id) l.at, l.text, l.vouched from lines l
			join outbox o on o.line_id = l.id
		where l.session_id = $1 and o.buttons::jsonb @> $2::jsonb order by l.id`, session, shows)
	if err != nil {
		return err
	}
	o.Told, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Told])
	return err
}

func (o *Outcome) readOthers(ctx context.Context, tx pgx.Tx, session string) error {
	rows, err := tx.Query(ctx, `select id from sessions where id in (`+record.OthersInThread+`)
		order by part_of is not null, created_at, id`, session)
	if err != nil {
		return err
	}
	o.Others, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return err
}

// Places returns which of the places in code exist that the lines of a session name, in which commits.
func Places(ctx context.Context, db *database.DB, session string) ([]workflow.Code, error) {
	rows, err := db.Pool.Query(ctx,
		`select code from lines where session_id = $1 and code is not null order by id`, session)
	if err != nil {
		return nil, fmt.Errorf("places in the lines of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (c workflow.Code, err error) {
		var raw []byte
		if err := r.Scan(&raw); err != nil {
			return c, err
		}
		return c, json.Unmarshal(raw, &c)
	})
}
