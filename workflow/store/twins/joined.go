package twins

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/record"
)

// Named are the twins that the thread is told of.
type Named []Twin

// Stage is that of the work.
func (Named) Stage() record.Stage { return record.Work }

// Write keeps each once.
func (list Named) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	for _, t := range list {
		if _, err := tx.Exec(ctx, `insert into twins (session_id, twin, score) values ($1, $2, $3) on conflict do nothing`, r.Session, t.Session, t.Score); err != nil {
			return err
		}
	}
	return nil
}

// Joined says that the session is about the same as another, which goes on: the other thread
// is told so in one line, once, whoever joins how often.
type Joined struct {
	Twin, By string
	Line     outgoing.Line // for the other thread
}

// Stage is that of what people read.
func (Joined) Stage() record.Stage { return record.Thread }

// Write keeps who joined them, and the line with its posting. Two sessions that are joined to
// each other at the same moment may meet in a deadlock; one of them is written again then.
func (j Joined) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	tag, err := tx.Exec(ctx, `update twins set joined_by = $3, joined_at = now() where session_id = $1 and twin = $2`, r.Session, j.Twin, j.By)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("%s was never named as a twin of %s", j.Twin, r.Session)
	}
	key := j.Twin + ":joined:" + r.Session
	tag, err = tx.Exec(ctx, `with said as (insert into lines (session_id, agent, text) select $1, $2, $3
			where exists (select 1 from sessions where id = $1 and cleared_at is null) and not exists (select 1 from outbox where key = $4) returning id)
		insert into outbox (key, session_id, line_id) select $4, $1, id from said`, j.Twin, j.Line.Agent, database.CleanText(j.Line.Text), key)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return r.Queue.InsertPost(ctx, tx, j.Twin)
}

// Parted says that work goes on in the session's own thread again.
type Parted struct{}

// Stage is that of the work.
func (Parted) Stage() record.Stage { return record.Work }

// Write forgets what was joined.
func (Parted) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx, `update twins set joined_by = '', joined_at = null where session_id = $1`, r.Session)
	return err
}

// A Known twin is what is known of it now.
type Known struct {
	Session string
	Thread  workflow.Thread
	Title   string
	Phase   workflow.Phase
	Branch  string // that was pushed; empty: none
	Report  string // the newest, as its thread was shown it; empty: none
	Joined  bool   // work goes on there
}

const readKnown = `select s.id, s.team, s.channel, s.thread_ts, s.title, s.phase,
		case when exists (select 1 from pushes p where p.session_id = s.id and p.state = 'pushed') then s.branch else '' end,
		coalesce((select text from reports r where r.session_id = s.id order by revision desc limit 1), '')`

// Of are the twins that the thread was told of, as they are now; those that were cleaned away
// are left out.
func Of(ctx context.Context, db *database.DB, session string) ([]Known, error) {
	return read(ctx, db, readKnown+`, t.joined_at is not null from twins t join sessions s on s.id = t.twin
		where t.session_id = $1 and s.cleared_at is null order by t.score desc, s.id`, session)
}

// Look reads what is known of sessions, in their order, whoever was told of them.
func Look(ctx context.Context, db *database.DB, ids []string) ([]Known, error) {
	return read(ctx, db, readKnown+`, false from unnest($1::text[]) with ordinality as x (id, at) join sessions s on s.id = x.id
		where s.cleared_at is null order by x.at`, ids)
}

func read(ctx context.Context, db *database.DB, sql string, args ...any) ([]Known, error) {
	rows, err := db.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read twins: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k Known, err error) {
		err = row.Scan(&k.Session, &k.Thread.Team, &k.Thread.Channel, &k.Thread.TS, &k.Title, &k.Phase, &k.Branch, &k.Report, &k.Joined)
		return k, err
	})
	if err != nil {
		return nil, fmt.Errorf("read twins: %w", err)
	}
	return list, nil
}
