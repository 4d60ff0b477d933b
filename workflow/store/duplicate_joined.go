package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// DuplicatesAnnounced is a Part: the duplicates of which the thread is told.
type DuplicatesAnnounced []Duplicate

// Stage implements record.Part.
func (DuplicatesAnnounced) Stage() record.Stage { return record.Work }

// Mask returns d: it has ids, and no text.
func (d DuplicatesAnnounced) Mask(func(string) string) record.Part { return d }

// Write stores each duplicate once.
func (d DuplicatesAnnounced) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	for _, t := range d {
		named := database.Row{"session_id": r.Session, "twin": t.Session, "score": t.Score}
		if _, err := database.InsertOnce(ctx, tx, "twins", named); err != nil {
			return err
		}
	}
	return nil
}

// JoinedDuplicate is a Part: the session is about the same as another one, where work goes on. The
// other thread is told so in one line, once, however often they are joined, and regardless of who joins them.
type JoinedDuplicate struct {
	Other, By string
	Line      workflow.Line // for the other thread
}

// Stage implements record.Part.
func (JoinedDuplicate) Stage() record.Stage { return record.Thread }

// Mask masks the line, which another thread is shown.
func (j JoinedDuplicate) Mask(mask func(string) string) record.Part {
	j.Line = j.Line.Mask(mask)
	return j
}

// Write stores who joined the sessions, and the line with its posting. Two sessions that are
// joined to each other at the same moment may deadlock; then one of them is written again.
func (j JoinedDuplicate) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	tag, err := tx.Exec(ctx,
		`update twins set joined_by = $3, joined_at = now() where session_id = $1 and twin = $2`,
		r.Session, j.Other, j.By)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("%s was never named as a duplicate of %s", j.Other, r.Session)
	}
	key := j.Other + ":joined:" + r.Session
	tag, err = tx.Exec(ctx,
		`with said as (insert into lines (session_id, agent, text, vouched) select $1, $2, $3, '{0}'
			where exists (select 1 from sessions where id = $1 and cleared_at is null)
				and not exists (select 1 from outbox where key = $4) returning id)
		insert into outbox (key, session_id, line_id) select $4, $1, id from said`, j.Other, j.Line.Agent,
		database.CleanText(j.Line.Text), key)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return r.Queue.InsertPost(ctx, tx, j.Other)
}

// UnjoinedDuplicate is a Part: it records that work goes on in the session's own thread again.
type UnjoinedDuplicate struct{}

// Stage implements record.Part.
func (UnjoinedDuplicate) Stage() record.Stage { return record.Work }

// Mask returns u, which has no text.
func (u UnjoinedDuplicate) Mask(func(string) string) record.Part { return u }

// Write marks the session's duplicates as not joined.
func (UnjoinedDuplicate) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`update twins set joined_by = '', joined_at = null where session_id = $1`, r.Session)
	return err
}

// A DuplicateState is the current state of a duplicate.
type DuplicateState struct {
	Session string
	Thread  workflow.Thread
	Title   string
	Phase   workflow.Phase
	Branch  string // the pushed branch; empty: none
	Report  string // the newest one, as its thread was shown it; empty: none
	Joined  bool   // the session was joined to it, and work goes on there
}

const selectDuplicateState = `select s.id, s.team, s.channel, split_part(s.thread_ts, ' ', 1),
		s.title, s.phase,
		case when exists (select 1 from pushes p where p.session_id = s.id
			and p.state = 'pushed') then s.branch else '' end,
		coalesce((select text from reports r where r.session_id = s.id order by revision desc limit 1), '')`

// ReadAnnouncedDuplicates returns the duplicates of which the thread was told, as they are now, without
// those that were cleaned away.
func ReadAnnouncedDuplicates(ctx context.Context, db *database.DB, session string) ([]DuplicateState, error) {
	return readDuplicates(ctx, db,
		selectDuplicateState+`, t.joined_at is not null from twins t join sessions s on s.id = t.twin
		where t.session_id = $1 and s.cleared_at is null order by t.score desc, s.id`, session)
}

// ReadDuplicateStates returns what is known of the sessions with these ids,
// in their order, without those that were cleaned away.
func ReadDuplicateStates(ctx context.Context, db *database.DB, ids []string) ([]DuplicateState, error) {
	return readDuplicates(ctx, db, selectDuplicateState+
		`, false from unnest($1::text[]) with ordinality as x (id, at) join sessions s on s.id = x.id
		where s.cleared_at is null order by x.at`, ids)
}

func readDuplicates(ctx context.Context, db *database.DB, sql string, args ...any) ([]DuplicateState, error) {
	rows, err := db.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read duplicates: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k DuplicateState, err error) {
		err = row.Scan(&k.Session, &k.Thread.Team, &k.Thread.Channel, &k.Thread.TS, &k.Title, &k.Phase,
			&k.Branch, &k.Report, &k.Joined)
		return k, err
	})
	if err != nil {
		return nil, fmt.Errorf("read duplicates: %w", err)
	}
	return list, nil
}
