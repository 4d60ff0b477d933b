package view

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// Repositories returns the names of the repositories that sessions were about, in order.
func Repositories(ctx context.Context, db *database.DB) ([]string, error) {
	return texts(ctx, db, `select distinct repository from sessions where repository <> '' order by 1`)
}

// NewestIDs returns the ids of the sessions that changed last, the newest first.
func NewestIDs(ctx context.Context, db *database.DB, most int) ([]string, error) {
	return texts(ctx, db, `select id from sessions order by updated_at desc, id limit $1`, most)
}

func texts(ctx context.Context, db *database.DB, query string, args ...any) ([]string, error) {
	rows, err := db.Pool.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("names of sessions: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// People returns the names of the people who decided something in any session, as Slack gave them then, by
// their ids. The program looks a person up afresh before each decision, and stores no other names.
func People(ctx context.Context, db *database.DB) (map[string]string, error) {
	rows, err := db.Pool.Query(ctx, `select distinct on (user_id) user_id, user_name from (
			select user_id, user_name, at from permissions
			union all select user_id, user_name, at from endorsements
			union all select user_id, user_name, at from objections) x
		where user_name <> '' order by user_id, at desc`)
	if err != nil {
		return nil, fmt.Errorf("names of people: %w", err)
	}
	return textsByID(rows)
}

// textsByID returns rows of an id and a text as a map.
func textsByID(rows pgx.Rows) (map[string]string, error) {
	texts := map[string]string{}
	var id, text string
	_, err := pgx.ForEachRow(rows, []any{&id, &text}, func() error {
		texts[id] = text
		return nil
	})
	return texts, err
}

// Messages returns what people wrote, edited, pressed and sent in a session, in order.
func Messages(ctx context.Context, db *database.DB, session string) ([]Entry, error) {
	rows, err := db.Pool.Query(ctx, `select at, user_id, kind, case kind when 'action'
			then replace(action_id, '_', ' ') else text end
		from inbox where `+people+` order by at, id`, session)
	if err != nil {
		return nil, fmt.Errorf("messages of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (Entry, error) {
		e := Entry{Kind: Person}
		return e, r.Scan(&e.At, &e.Who, &e.Title, &e.Text)
	})
}

// FirstWords returns what the first message of each session says, by the session's id. It may be nothing but
// a mention of the bot.
func FirstWords(ctx context.Context, db *database.DB, sessions []string) (map[string]string, error) {
	rows, err := db.Pool.Query(ctx, `select distinct on (session_id) session_id, text from inbox
		where session_id = any($1) and kind in ('mention', 'reply', 'sent', 'form')
		order by session_id, id`, sessions)
	if err != nil {
		return nil, fmt.Errorf("first messages: %w", err)
	}
	return textsByID(rows)
}
