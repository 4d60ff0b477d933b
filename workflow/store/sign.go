package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Sign is a Part: a message that says that the bot is at work on something, until the answer is there. It
// is recorded before any model is asked, and is no line of the session: nothing of it stays in the thread or
// on the session's page. A sign that was not posted when the answer came never is.
//
// The sign of an inquiry stands until the inquiry is answered or stopped. Any other stands until the session
// says something or rests; while one of them stands, no other is recorded.
type Sign struct {
	Of   string // what the bot is at work on: the key of an inquiry, or any other natural key
	Line workflow.Line
}

func (Sign) Stage() record.Stage { return record.Thread }

// Mask masks the line.
func (s Sign) Mask(mask func(string) string) record.Part {
	s.Line = s.Line.Mask(mask)
	return s
}

// Write inserts the outbox row, unless a sign stands already. The session's Store has to show signs.
func (s Sign) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	line, err := jsonOf(s.Line, true)
	if err != nil {
		return err
	}
	// The job first, then the outbox row: a poster locks them in this order, too.
	if err := r.Queue.InsertPost(ctx, tx, r.Session); err != nil {
		return err
	}
	var stands bool
	err = tx.QueryRow(ctx, `select exists (select 1 from (`+standingSigns+`) o where not o.asked)
			and not exists (select 1 from inquiries where session_id = $1 and key = $2)`,
		r.Session, s.Of).Scan(&stands)
	if err != nil || stands {
		return err
	}
	_, err = database.InsertOnce(ctx, tx, "outbox", database.Row{
		"key": signKey(r.Session, s.Of), "session_id": r.Session, "alone": true, "sign": line,
	})
	return err
}

func signKey(session, of string) string { return session + ":sign:" + of }

// standingSigns selects the signs of session $1 that were not ended. asked: it is the sign of an inquiry,
// which waits for its answer if waits is true.
const standingSigns = `select o.id, o.key, q.id is not null as asked,
		q.id is not null and q.answer is null and not q.stopped as waits
	from outbox o left join inquiries q
		on q.session_id = o.session_id and o.key = o.session_id || ':sign:' || q.key
	where o.session_id = $1 and o.sign is not null
		and not exists (select 1 from outbox e where e.ends = o.key)`

// endingSigns is the part of every recording that ends the signs that are over. It comes after the lines of
// the recording.
type endingSigns struct{ *Turn }

func (endingSigns) Stage() record.Stage { return record.Thread }

// Mask returns e, which has no text.
func (e endingSigns) Mask(func(string) string) record.Part { return e }

func (e endingSigns) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if !e.store.Signs {
		return nil
	}
	rows, err := tx.Query(ctx, `select s.id from (`+standingSigns+`) s where case
		when s.asked then not s.waits
		else not (select open from sessions where id = $1)
			or exists (select 1 from outbox l
				where l.session_id = $1 and l.line_id is not null and l.id > s.id) end`,
		r.Session)
	if err != nil {
		return err
	}
	over, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(over) == 0 {
		return err
	}
	// The job first, then the outbox rows: a poster locks them in this order, too.
	if err := r.Queue.InsertPost(ctx, tx, r.Session); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `select 1 from outbox where id = any($1) order by id for update`, over)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx,
		`delete from outbox where id = any($1) and (batch is null or refused is not null)`, over)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `insert into outbox (key, session_id, alone, ends, channel, thread_ts)
		select key || ':end', session_id, true, key, channel, thread_ts from outbox
		where id = any($1) order by id
		on conflict do nothing`, over)
	return err
}
