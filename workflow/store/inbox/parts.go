package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A thread has a session of its own, and a part for each further repository that its change takes. A part is
// a session with a report, an approval, a branch and a push of its own. What people write in the thread is
// stored in the thread's own session and in each of its parts, and package judge decides in each of them
// whom it is for. A press belongs to the session whose button it is.

// A ThreadPart is a session among those of a thread.
type ThreadPart struct {
	Session    string
	Repository string
	Own        bool // the thread's own session
}

// Parts returns the thread's own session and its parts, oldest first. If there are no parts, it returns nil.
func (r Reader) Parts(ctx context.Context) ([]ThreadPart, error) {
	rows, err := r.db.Pool.Query(ctx, `select p.id as session, p.repository, p.part_of is null as own
		from sessions s join sessions p on coalesce(s.part_of, s.id) in (p.id, p.part_of)
		where s.id = $1 and p.cleared_at is null
			and exists (select 1 from sessions where part_of = coalesce(s.part_of, s.id))
		order by own desc, p.created_at, p.id`, r.session)
	if err != nil {
		return nil, fmt.Errorf("parts of %s: %w", r.session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[ThreadPart])
}

// NewPart is a Part: a repository gets a part in the session's thread, unless it has one. It begins with the
// messages that agents of the thread's own session were given, and with Found, which the program tells its
// agents. What was written by then and is not judged yet is judged in both. Of a part itself, NewPart does
// nothing.
type NewPart struct {
	Repository string
	Found      string // what is known of it
}

// Stage implements record.Part.
func (NewPart) Stage() record.Stage { return record.Thread }

// Mask masks what agents are told.
func (n NewPart) Mask(mask func(string) string) record.Part {
	n.Found = mask(n.Found)
	return n
}

// Write inserts the session, once, and a turn that begins it.
func (n NewPart) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	id := newID()
	tag, err := tx.Exec(ctx, `insert into sessions (id, team, channel, thread_ts, requester, title, kind,
			repository, repositories_before, part_of, part_after, open)
		select $2, team, channel, thread_ts || ' ' || $3, requester, title, kind, $3,
			array_remove(repositories_before, $3) || repository, id,
			(select coalesce(max(message_ts), '') from inbox where session_id = $1
				and kind in ('mention', 'reply', 'sent', 'alert')), true
		from sessions where id = $1 and part_of is null and cleared_at is null
		on conflict (team, channel, thread_ts) do nothing`, r.Session, id, n.Repository)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if _, err := tx.Exec(ctx, `update sessions set has_parts = true where id = $1`, r.Session); err != nil {
		return err
	}
	failpoint.Crash("part_begun")
	if _, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, user_team,
			text, action_id, value, at, handled_at, for_agents, shown)
		select $2, event_id || ':' || $2, kind, message_ts, user_id, user_team, text, action_id, value, at,
			now(), for_agents, shown
		from inbox where session_id = $1 and kind in ('mention', 'reply', 'sent', 'alert', 'earlier', 'edit')
			and (for_agents or kind = 'earlier')
		order by id`, r.Session, id); err != nil {
		return err
	}
	// Whoever writes "fix it in site" and "site: only the heading" does not wait for the first to be judged.
	if _, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, user_team,
			text, action_id, value, at)
		select $2, event_id || ':' || $2, kind, message_ts, user_id, user_team, text, action_id, value, at
		from inbox i where session_id = $1 and handled_at is null
			and (kind in ('mention', 'reply') or kind in ('edit', 'delete') and exists (
				select 1 from inbox m where m.session_id in ($1, $2) and m.message_ts = i.message_ts
					and m.id < i.id and (m.handled_at is null or m.session_id = $2)))
		order by id`, r.Session, id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `insert into attachments (session_id, number, message_ts, file_id, name, kind,
			mode, size, url)
		select $2, number, message_ts, file_id, name, kind, mode, size, url from attachments
		where session_id = $1`, r.Session, id); err != nil {
		return err
	}
	part := &record.Recording{Session: id, Queue: r.Queue}
	if err := (AgentNote{Key: "part", Text: n.Found}).Write(ctx, tx, part); err != nil {
		return err
	}
	return r.Queue.InsertTurn(ctx, tx, id)
}

// tellParts stores messages of the thread in its parts, too, and asks those to stop that are told to. A part
// gets what was written after it began, and the edits and deletions of the messages that it has.
func (i *Inbox) tellParts(
	ctx context.Context, tx pgx.Tx, session string, list []workflow.IncomingEvent,
) error {
	rows, err := tx.Query(ctx, `select id, part_after from sessions
		where part_of = $1 and cleared_at is null order by id for update`, session)
	if err != nil {
		return err
	}
	type part struct{ ID, After string }
	parts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[part])
	if err != nil {
		return err
	}
	for _, p := range parts {
		var copies []workflow.IncomingEvent
		for _, in := range list {
			takes, err := takesCopy(ctx, tx, p.ID, p.After, in)
			if err != nil {
				return err
			}
			if takes {
				in.EventID += ":" + p.ID
				copies = append(copies, in)
			}
		}
		if err := i.storeCopies(ctx, tx, p.ID, copies); err != nil {
			return err
		}
	}
	return nil
}

// takesCopy reports whether a part of the thread gets a copy of the event.
func takesCopy(
	ctx context.Context, tx pgx.Tx, part, after string, in workflow.IncomingEvent,
) (takes bool, err error) {
	switch in.Kind {
	case workflow.MessageMention, workflow.MessageReply:
		return in.TS > after, nil
	case workflow.MessageEdit, workflow.MessageDelete:
		err = tx.QueryRow(ctx,
			`select exists (select 1 from inbox where session_id = $1 and message_ts = $2)`, part,
			in.TS).Scan(&takes)
		return takes, err
	}
	return false, nil
}

// storeCopies stores what a part gets, and queues its turn.
func (i *Inbox) storeCopies(
	ctx context.Context, tx pgx.Tx, part string, copies []workflow.IncomingEvent,
) error {
	if len(copies) == 0 {
		return nil
	}
	for _, in := range copies {
		if in.Kind == workflow.MessageEdit {
			continue // its files came with the message itself
		}
		if err := attachFiles(ctx, tx, part, in.Files); err != nil {
			return err
		}
	}
	fresh, _, err := i.insertMessages(ctx, tx, part, copies, nil)
	if err != nil || len(fresh) == 0 {
		return err
	}
	if err := askStop(ctx, tx, part, fresh, i.stopsAmong(fresh)); err != nil {
		return err
	}
	return i.queue.InsertTurn(ctx, tx, part)
}

// findPressed returns the part of the thread whose button was pressed, or an empty string if it is none.
func findPressed(ctx context.Context, tx pgx.Tx, in workflow.IncomingEvent) (id string, err error) {
	err = tx.QueryRow(ctx, `select s.id from buttons b join sessions s on s.id = b.session_id
		where b.id = $4 and s.part_of is not null and s.cleared_at is null and s.team = $1 and s.channel = $2
			and split_part(s.thread_ts, ' ', 1) = $3
		for update of s`, in.Thread.Team, in.Thread.Channel, in.Thread.TS, in.Value).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}
