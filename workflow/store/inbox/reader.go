package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A Reader reads the messages of one session.
type Reader struct {
	db      *database.DB
	session string
}

// OfSession returns a reader of that session's messages.
func OfSession(db *database.DB, session string) Reader { return Reader{db: db, session: session} }

const messageColumns = `id, session_id, event_id, kind, message_ts, user_id, user_team, text, shown, ` +
	`action_id, value, at`

func scanMessage(row pgx.CollectableRow) (workflow.Message, error) {
	var m workflow.Message
	err := row.Scan(&m.ID, &m.Session, &m.EventID, &m.Kind, &m.TS, &m.User, &m.UserTeam, &m.Text,
		&m.AgentText, &m.ActionID, &m.Value, &m.At)
	return m, err
}

func (r Reader) readMessages(ctx context.Context, sql string, args ...any) ([]workflow.Message, error) {
	rows, err := r.db.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("inbox of %s: %w", r.session, err)
	}
	list, err := pgx.CollectRows(rows, scanMessage)
	if err != nil {
		return nil, fmt.Errorf("inbox of %s: %w", r.session, err)
	}
	return list, nil
}

// Unhandled returns the messages that the program has not judged yet, in order of arrival.
func (r Reader) Unhandled(ctx context.Context) ([]workflow.Message, error) {
	return r.readMessages(ctx, `select `+
		messageColumns+` from inbox where session_id = $1 and handled_at is null order by id`, r.session)
}

// Unseen returns the messages for agents that the transcript
// of the task (0: of the orchestrator) does not hold yet.
func (r Reader) Unseen(ctx context.Context, task int64) ([]workflow.Message, error) {
	seen := `(select seen from sessions where id = $1)`
	if task != 0 {
		seen = `(select seen from tasks where id = $2)`
	}
	return r.readMessages(ctx, `select `+messageColumns+
		` from inbox where session_id = $1 and ($2::bigint = 0 or for_task in (0, $2)) and for_agents
		and id > `+seen+` order by id`, r.session, task)
}

// Original returns the text that a message of this session had
// before the given inbox row, or an empty string if there is none.
func (r Reader) Original(ctx context.Context, ts string, before int64) (string, error) {
	var text string
	err := r.db.Pool.QueryRow(ctx,
		`select text from inbox where session_id = $1 and message_ts = $2 and id < $3
		and kind not in ('action', 'reacted') order by id desc limit 1`, r.session, ts, before).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return text, err
}

// Written returns the message with that ts as it first came in. written is false if it is not in the inbox,
// or is no message of a person.
func (r Reader) Written(ctx context.Context, ts string) (m workflow.Message, written bool, err error) {
	list, err := r.readMessages(ctx,
		`select `+messageColumns+` from inbox where session_id = $1 and message_ts = $2
		and kind in ('mention', 'reply') order by id limit 1`, r.session, ts)
	if err != nil || len(list) == 0 {
		return m, false, err
	}
	return list[0], true, nil
}

// NewestWordings returns the messages of people in the thread as they read now, without those that were
// deleted.
func (r Reader) NewestWordings(ctx context.Context) ([]workflow.Message, error) {
	return r.readMessages(ctx, `select `+messageColumns+` from (select distinct on (message_ts) * from inbox
			where session_id = $1 and kind in ('mention', 'reply', 'edit', 'delete')
			order by message_ts, id desc) newest
		where kind <> 'delete' order by id`, r.session)
}

// ReadByAgents reports whether agents were given a message of the thread
// before the given inbox row. It returns true for a message that is not in the
// inbox: it is older than the session, and agents read it with the thread.
func (r Reader) ReadByAgents(ctx context.Context, ts string, before int64) (read bool, err error) {
	err = r.db.Pool.QueryRow(ctx,
		`select coalesce(bool_or(for_agents or exists (select 1 from permissions p where p.session_id = $1
		and i.id = any(p.rests_on))), true)
		from inbox i where session_id = $1 and message_ts = $2 and id < $3
			and kind in ('mention', 'reply', 'edit')`,
		r.session, ts, before).Scan(&read)
	return read, err
}

// IsNewest reports whether nothing came to the session after a message or a press of that user at ts.
func (r Reader) IsNewest(ctx context.Context, user, ts string) (newest bool, err error) {
	err = r.db.Pool.QueryRow(ctx, `select user_id = $2 and message_ts = $3 from inbox where session_id = $1
		order by id desc limit 1`, r.session, user, ts).Scan(&newest)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return newest, err
}

// Taken reports whether a message was given to the agents before the inbox row given.
func (r Reader) Taken(ctx context.Context, ts string, before int64) (taken bool, err error) {
	err = r.db.Pool.QueryRow(ctx,
		`select exists (select 1 from inbox where session_id = $1 and message_ts = $2 and id < $3
			and for_agents)`,
		r.session, ts, before).Scan(&taken)
	return taken, err
}

// Given returns the newest text that agents were given of each message with one of those ts, as Slack wrote
// it: as a message of the thread or as one from before the session. The text is empty for a message that came
// in and was not given to them: it was not judged yet, it is held back, or it is for somebody else. A message
// that never came in is not in the map.
func (r Reader) Given(ctx context.Context, ts []string) (map[string]string, error) {
	rows, err := r.db.Pool.Query(ctx, `select message_ts, coalesce((array_agg(text order by id desc)
			filter (where for_agents or kind = 'earlier'))[1], '')
		from inbox where session_id = $1 and message_ts = any($2)
			and kind in ('mention', 'reply', 'edit', 'delete', 'sent', 'alert', 'earlier')
		group by message_ts`, r.session, ts)
	if err != nil {
		return nil, fmt.Errorf("what agents of %s were given: %w", r.session, err)
	}
	given := map[string]string{}
	var of, text string
	_, err = pgx.ForEachRow(rows, []any{&of, &text}, func() error {
		given[of] = text
		return nil
	})
	return given, err
}

// Noted reports whether agents were told an AgentNote with that key.
func (r Reader) Noted(ctx context.Context, key string) (noted bool, err error) {
	err = r.db.Pool.QueryRow(ctx,
		`select exists (select 1 from inbox where session_id = $1 and event_id = $2)`,
		r.session, r.session+":"+key).Scan(&noted)
	return noted, err
}

// NoteKeys returns the keys of the AgentNotes that begin with prefix, in the order in which they were
// written.
func (r Reader) NoteKeys(ctx context.Context, prefix string) ([]string, error) {
	rows, err := r.db.Pool.Query(ctx, `select substr(event_id, length($1) + 2) from inbox
		where session_id = $1 and kind = 'told' and starts_with(event_id, $1 || ':' || $2) order by id`,
		r.session, prefix)
	if err != nil {
		return nil, fmt.Errorf("notes of %s: %w", r.session, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// AppCalled reports whether an app has mentioned the bot in the thread's channel before that row.
func (r Reader) AppCalled(ctx context.Context, app string, before int64) (called bool, err error) {
	err = r.db.Pool.QueryRow(ctx,
		`select exists (select 1 from sessions own
			join sessions s on s.team = own.team and s.channel = own.channel
			join inbox i on i.session_id = s.id
			where own.id = $1 and i.kind = 'mention' and i.value = $2 and i.id < $3)`,
		r.session, app, before).Scan(&called)
	return called, err
}

// OthersWrote reports whether a person other than user wrote in the thread between two messages. If user is
// empty, everybody counts. Of a message that was read after it was edited, there is only the edit.
func (r Reader) OthersWrote(ctx context.Context, user, after, before string) (wrote bool, err error) {
	err = r.db.Pool.QueryRow(ctx,
		`select exists (select 1 from inbox where session_id = $1 and user_id not in ($2, '')
		and kind in ('mention', 'reply', 'edit')
		and message_ts > $3 and message_ts < $4)`, r.session, user, after, before).Scan(&wrote)
	return wrote, err
}

// WrittenBetween returns what people wrote in the thread between two messages, in order of arrival.
func (r Reader) WrittenBetween(ctx context.Context, after, before string) ([]workflow.Message, error) {
	return r.readMessages(ctx, `select `+messageColumns+` from inbox
		where session_id = $1 and user_id <> '' and kind in ('mention', 'reply', 'edit')
			and message_ts > $2 and message_ts < $3
		order by id`, r.session, after, before)
}

// A ReadMessage is a message that agents were shown, or an
// answer or a button press of which they were told.
type ReadMessage struct {
	workflow.Message
	Rested  bool  // the thread has rested since
	Answers bool  // it answers a question of the bot
	Changed bool  // it was edited or deleted since
	Task    int64 // as in Handled
}

// Read returns what agents were shown since the newest push, or since the beginning, in order of
// arrival: what people wrote, changed, answered and pressed, and the messages from before the
// session. It leaves out what the program told agents by itself, unless a person asked for it.
func (r Reader) Read(ctx context.Context) ([]ReadMessage, error) {
	rows, err := r.db.Pool.Query(ctx, `select `+messageColumns+`, id <= s.rested, answers,
			exists (select 1 from inbox d where d.session_id = i.session_id and d.message_ts = i.message_ts
				and d.id > i.id and d.kind in ('edit', 'delete')), for_task
		from inbox i, lateral (select rested, delivered from sessions where id = i.session_id) s
		where session_id = $1 and id > s.delivered and (for_agents or kind = 'earlier')
			and kind not in ('delete', 'due') and (user_id <> '' or kind <> 'told')
		order by i.id`, r.session)
	if err != nil {
		return nil, fmt.Errorf("what agents of %s were shown: %w", r.session, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (x ReadMessage, err error) {
		m := &x.Message
		err = row.Scan(&m.ID, &m.Session, &m.EventID, &m.Kind, &m.TS, &m.User, &m.UserTeam, &m.Text,
			&m.AgentText, &m.ActionID, &m.Value, &m.At,
			&x.Rested, &x.Answers, &x.Changed, &x.Task)
		return x, err
	})
}

// A TypedMessage is a message that a person typed in the thread, as it still stands there.
type TypedMessage struct {
	workflow.Message
	Pushed bool // agents had been shown it when a push last went out
}

// Typed returns the messages that people typed in the thread and neither edited nor deleted since, in order
// of arrival. It leaves out what apps posted, also for people, and what somebody else sent to the bot.
func (r Reader) Typed(ctx context.Context) ([]TypedMessage, error) {
	rows, err := r.db.Pool.Query(ctx, `select `+messageColumns+`, id <= (select delivered from sessions
			where id = i.session_id)
		from inbox i where session_id = $1 and user_id <> '' and value = '' and kind in ('mention', 'reply')
			and not exists (select 1 from inbox d where d.session_id = i.session_id
				and d.message_ts = i.message_ts and d.kind in ('edit', 'delete'))
		order by i.id`, r.session)
	if err != nil {
		return nil, fmt.Errorf("what was typed in %s: %w", r.session, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (x TypedMessage, err error) {
		m := &x.Message
		err = row.Scan(&m.ID, &m.Session, &m.EventID, &m.Kind, &m.TS, &m.User, &m.UserTeam, &m.Text,
			&m.AgentText, &m.ActionID, &m.Value, &m.At, &x.Pushed)
		return x, err
	})
}

// ReadElsewhere reports whether agents were given what others wrote elsewhere since the newest push, or since
// the beginning: at a link, at a git host, in a tracker, or in answers of a source.
func (r Reader) ReadElsewhere(ctx context.Context) (found bool, err error) {
	err = r.db.Pool.QueryRow(ctx, `select exists (select 1 from inbox i join sessions s on s.id = i.session_id
		where i.session_id = $1 and i.id > s.delivered and i.kind = 'told' and i.event_id not like '%:-'
			and (starts_with(i.event_id, $1 || ':' || $2) or starts_with(i.event_id, $1 || ':' || $3)
				or starts_with(i.event_id, $1 || ':' || $4) or starts_with(i.event_id, $1 || ':' || $5)))`,
		r.session, workflow.KeyOfLink, workflow.KeyOfReference, workflow.KeyOfTicket,
		workflow.KeyOfSource).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("what agents of %s read elsewhere: %w", r.session, err)
	}
	return found, nil
}

// Held returns the messages that wait for a person who may approve, in order.
func (r Reader) Held(ctx context.Context) ([]workflow.Message, error) {
	return r.readMessages(ctx,
		`select `+messageColumns+` from inbox where session_id = $1 and held order by id`, r.session)
}

// Offered returns the held messages for which a message above
// ts in the thread has a button to pass them on.
func (r Reader) Offered(ctx context.Context, ts string) ([]int64, error) {
	rows, err := r.db.Pool.Query(ctx, `select distinct i.id from inbox i
		join buttons b on b.session_id = i.session_id and b.action_id = $3 and b.means = i.id::text
		join outbox o on o.session_id = i.session_id and o.buttons::jsonb -> 0 ->> 'Value' = b.id
		where i.session_id = $1 and i.held and o.ts < $2 and i.message_ts < $2 order by i.id`, r.session, ts,
		workflow.ButtonPassOn)
	if err != nil {
		return nil, fmt.Errorf("what %s offers: %w", r.session, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// DeliveredTS returns the ts of the newest message that agents had
// been shown at the last push, or an empty string before any push.
func (r Reader) DeliveredTS(ctx context.Context) (ts string, err error) {
	err = r.db.Pool.QueryRow(ctx,
		`select coalesce(max(message_ts), '') from inbox i join sessions s on s.id = i.session_id
		where s.id = $1 and i.id <= s.delivered and i.kind in ('mention', 'reply', 'edit')`,
		r.session).Scan(&ts)
	return ts, err
}

// Adopted returns the ts of the messages that the message of that inbox row adopts or passes on.
func (r Reader) Adopted(ctx context.Context, row int64) ([]string, error) {
	rows, err := r.db.Pool.Query(ctx,
		`select distinct m.message_ts from permissions p join inbox m on m.id = any(p.rests_on)
		where p.session_id = $1 and p.message_id = $2 and p.what = 'adopt' order by 1`, r.session, row)
	if err != nil {
		return nil, fmt.Errorf("what row %d of %s adopts: %w", row, r.session, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
