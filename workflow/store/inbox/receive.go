package inbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// Receive stores the events of one Slack thread in order, binds them to the thread's session and
// queues a turn, all in one transaction; the caller acknowledges the events after it returns. An
// event that was stored before, by its id or as the other one of a mention's two events, changes
// nothing and is no error. Events that concern no session are ignored. An alert comes alone.
func (i *Inbox) Receive(ctx context.Context, came ...workflow.IncomingEvent) error {
	first := came[0]
	stops := i.stopsAmong(came) // before the transaction, which holds the session's row
	err := pgx.BeginFunc(ctx, i.db.Arrivals, func(tx pgx.Tx) error {
		if first.Alert != nil {
			begins, err := counter{Queue: i.queue, Agent: i.Name}.count(ctx, tx, first)
			if err != nil || !begins {
				return err
			}
		}
		id, call, list, err := i.findSession(ctx, tx, came)
		if err != nil || id == "" || len(list) == 0 {
			return err
		}
		if slices.ContainsFunc(list, isStopOfLeft) {
			stops = append(stops, i.stopsAmong(list)...)
		}
		if call.hasParts {
			if err := i.tellParts(ctx, tx, id, list); err != nil {
				return err
			}
		}
		if !call.precedes(list) {
			if list, err = dropPast(ctx, tx, id, list); err != nil || len(list) == 0 {
				return err
			}
		}
		for _, in := range list {
			if in.Kind == workflow.MessageEdit {
				// its files came with the message itself, or that message was never judged
				continue
			}
			// Either of a mention's two events may come without its files.
			if err := attachFiles(ctx, tx, id, in.Files); err != nil {
				return err
			}
		}
		fresh, refused, err := i.insertMessages(ctx, tx, id, list, seenKinds)
		if err != nil || len(fresh) == 0 {
			return err
		}
		if err := askStop(ctx, tx, id, fresh, stops); err != nil {
			return err
		}
		if first.Alert != nil {
			if err := opened(ctx, tx, first, id); err != nil {
				return err
			}
		}
		failpoint.Crash("event_written")
		if slices.ContainsFunc(fresh,
			func(in workflow.IncomingEvent) bool { return slices.Contains(seenKinds, in.Kind) }) {
			if refused {
				if err := i.postAgain(ctx, tx, id); err != nil {
					return err
				}
			}
			return i.queue.InsertTurn(ctx, tx, id, queue.ReactJob{Session: id})
		}
		return i.queue.InsertTurn(ctx, tx, id)
	})
	if err != nil {
		return fmt.Errorf("receive %s: %w", first.EventID, err)
	}
	return nil
}

// findSession finds the session of the thread, or begins one if a message may do so; then list begins
// with that message. Of a thread that a session has left, list holds what counts there nevertheless. If the
// old session is cleaned away meanwhile, the next attempt begins a new one. A mention that was added by an
// edit is in the list only if it begins the session.
func (i *Inbox) findSession(
	ctx context.Context, tx pgx.Tx, came []workflow.IncomingEvent,
) (id string, call found, list []workflow.IncomingEvent, err error) {
	byEdit := func(in workflow.IncomingEvent) bool {
		return in.Kind == workflow.MessageSent && in.ActionID == workflow.ByEdit
	}
	list = slices.DeleteFunc(slices.Clone(came), byEdit)
	starts := slices.IndexFunc(came, startsSession)
	thread := came[0].Thread
	switch came[0].Kind {
	case workflow.MessageReacted:
		id, err = findTarget(ctx, tx, thread, came[0].TS)
		return id, call, list, err
	case workflow.MessageAction, workflow.MessageForm:
		if id, err = findPressed(ctx, tx, came[0]); err != nil || id != "" {
			return id, found{}, list, err
		}
	}
	for {
		if starts >= 0 {
			if left, err := findLeft(ctx, tx, thread); err != nil || left != nil {
				return i.ofLeft(ctx, tx, left, came, err)
			}
			in := came[starts]
			tag, err := tx.Exec(ctx, `insert into sessions (id, team, channel, thread_ts, requester, title)
				values ($1, $2, $3, $4, $5, left($6, 120)) on conflict (team, channel, thread_ts) do nothing`,
				newID(), thread.Team, thread.Channel, thread.TS, in.User, titleOf(in.Text))
			if err != nil {
				return "", call, nil, err
			}
			if tag.RowsAffected() > 0 {
				if err := checkNotLeft(ctx, tx, thread); err != nil {
					return "", call, nil, err
				}
				list = append([]workflow.IncomingEvent{in},
					slices.DeleteFunc(slices.Clone(came[starts+1:]), func(next workflow.IncomingEvent) bool {
						return byEdit(next) || byEdit(in) && next.TS == in.TS &&
							(next.Kind == workflow.MessageMention || next.Kind == workflow.MessageReply)
					})...)
			}
		}
		var listsThreads bool
		err = tx.QueryRow(ctx,
			`select s.id, s.halted like '0:list:%', coalesce(m.kind, ''), coalesce(m.message_ts, ''),
				s.has_parts
			from sessions s left join lateral
				(select kind, message_ts from inbox where session_id = s.id order by id limit 1) m on true
			where s.team = $1 and s.channel = $2 and s.thread_ts = $3 for update of s`,
			thread.Team, thread.Channel, thread.TS).Scan(&id, &listsThreads, &call.kind, &call.ts,
			&call.hasParts)
		if listsThreads && starts < 0 { // nobody talks to the bot there
			list = slices.DeleteFunc(list,
				func(in workflow.IncomingEvent) bool { return in.Kind != workflow.MessageAction })
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return id, call, list, err
		}
		if starts < 0 {
			left, err := findLeft(ctx, tx, thread)
			return i.ofLeft(ctx, tx, left, came, err)
		}
	}
}

// startsSession reports whether the message may begin a session. A mention may anywhere
// in a thread, and so may a message that was sent on, or an alert. A plain message may
// only as the root of a thread, which the gateway passes on for watched channels alone.
func startsSession(in workflow.IncomingEvent) bool {
	return in.Kind == workflow.MessageMention || in.Kind == workflow.MessageSent ||
		in.Kind == workflow.MessageAlert || in.Kind == workflow.MessageReply && in.TS == in.Thread.TS
}

// seenKinds are the kinds of messages that get a reaction within a second, which tells their writers that
// they arrived. What an app posted gets none.
var seenKinds = []workflow.MessageKind{workflow.MessageMention, workflow.MessageReply, workflow.MessageSent}

// dropPast removes the messages of before the bot was called. A thread that is read again also holds what was
// written before the bot was called in it, edited or not. That is no reply to the bot, and agents are shown
// it with their first message. Whoever sends a message on calls the bot with that: what was written between
// the message and then is known by its row. A message with a mention that was edited before it was read calls
// the bot from its own ts on, like any mention: otherwise a "stop" below it would be lost.
func dropPast(
	ctx context.Context, tx pgx.Tx, session string, list []workflow.IncomingEvent,
) ([]workflow.IncomingEvent, error) {
	rows, err := tx.Query(ctx, `with calls as not materialized (
			select case when message_ts = $5 then '' else message_ts end as ts,
				case when kind = 'sent' and event_id not like $7 || ':%' then extract(epoch from at)::text
					when message_ts = $5 then '' else message_ts end as called
			from inbox
			where session_id = $1
				and (kind in ('mention', 'sent', 'alert') or kind = 'reply' and message_ts = $5))
		select n - 1
		from unnest($2::text[], $3::text[], $4::text[]) with ordinality as m (kind, message_ts, action_id, n)
		where not (kind in ('mention', 'reply')
				and exists (select 1 from inbox i
					where i.session_id = $1 and i.message_ts = m.message_ts and i.kind = 'sent'
						and i.action_id = $6))
			and (kind <> 'reply' and not (kind = 'edit' and action_id = $7)
				or exists (select 1 from calls where called <= m.message_ts)
				or not exists (select 1 from calls)
				or exists (select 1 from calls where ts <= m.message_ts)
					and not exists (select 1 from inbox i
						where i.session_id = $1 and i.message_ts = m.message_ts
							and i.kind in ('earlier', 'sent')))
		order by n`, session,
		column(list, func(in workflow.IncomingEvent) string { return string(in.Kind) }),
		column(list, func(in workflow.IncomingEvent) string { return in.TS }),
		column(list, func(in workflow.IncomingEvent) string { return string(in.ActionID) }),
		list[0].Thread.TS, workflow.ByEdit, workflow.ReadAgain)
	if err != nil {
		return nil, err
	}
	left, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, err
	}
	kept := make([]workflow.IncomingEvent, len(left))
	for n, at := range left {
		kept[n] = list[at]
	}
	return kept, nil
}

// A found is what is known of a session that was found: its first message in the inbox, which has no kind if
// there is none yet, and whether its thread has parts.
type found struct {
	kind     workflow.MessageKind
	ts       string
	hasParts bool
}

// precedes reports whether the session was begun by a mention or an alert and no message is older. Then
// dropPast would drop none. This is so for nearly every message, and costs nothing.
func (f found) precedes(list []workflow.IncomingEvent) bool {
	root := f.ts == list[0].Thread.TS
	switch f.kind {
	case "":
		return true
	case workflow.MessageMention, workflow.MessageAlert:
	case workflow.MessageReply:
		if !root {
			return false
		}
	default:
		return false
	}
	return root || !slices.ContainsFunc(list, func(in workflow.IncomingEvent) bool { return in.TS < f.ts })
}

// column returns one value of each event.
func column(list []workflow.IncomingEvent, of func(workflow.IncomingEvent) string) []string {
	values := make([]string, len(list))
	for n, in := range list {
		values[n] = of(in)
	}
	return values
}

// insertMessages inserts inbox rows in order, and returns the messages that were new, and whether Slack
// refused something in the session before (see postAgain). It also puts the reactions to those of the kinds
// in reacts into the outbox. Reactions are posted by a job of their own: behind the lines of a busy thread,
// of which Slack takes one a second, or while Slack asks to wait with lines, they would come too late to be
// useful.
func (i *Inbox) insertMessages(
	ctx context.Context, tx pgx.Tx, session string, list []workflow.IncomingEvent,
	reacts []workflow.MessageKind,
) (fresh []workflow.IncomingEvent, refused bool, err error) {
	rows, err := tx.Query(ctx, `with fresh as (
			insert into inbox (session_id, event_id, kind, message_ts, user_id, user_team, text, action_id,
				value, at)
			select $1, event_id, kind, message_ts, user_id, user_team, text, action_id, value,
				coalesce(at, now())
			from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
				$9::text[], $11::timestamptz[])
				with ordinality as m (event_id, kind, message_ts, user_id, user_team, text, action_id, value,
					at, n)
			order by n
			on conflict do nothing returning id, event_id, kind, message_ts, value),
		seen as (
			insert into outbox (key, session_id, reaction, on_ts)
			select $1 || ':seen:' || message_ts, $1, 'eyes', message_ts
			from fresh
			where kind = any($10) and (kind = 'sent' or value in ('', $12))
			order by id
			on conflict do nothing)
		select event_id, exists (select 1 from outbox where `+refusedWhileAbsent+`)
			or exists (select 1 from cards where `+cardRefusedWhileAbsent+`)
		from fresh order by id`, session,
		column(list, func(in workflow.IncomingEvent) string { return in.EventID }),
		column(list, func(in workflow.IncomingEvent) string { return string(in.Kind) }),
		column(list, func(in workflow.IncomingEvent) string { return in.TS }),
		column(list, func(in workflow.IncomingEvent) string { return in.User }),
		column(list, func(in workflow.IncomingEvent) string { return in.UserTeam }),
		column(list, func(in workflow.IncomingEvent) string { return database.CleanText(in.Text) }),
		column(list, func(in workflow.IncomingEvent) string { return string(in.ActionID) }),
		column(list, func(in workflow.IncomingEvent) string { return in.Value }), reacts, happened(list),
		workflow.ThroughForm)
	if err != nil {
		return nil, false, err
	}
	var event string
	var inserted []string
	_, err = pgx.ForEachRow(rows, []any{&event, &refused}, func() error {
		inserted = append(inserted, event)
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	for _, in := range list {
		if at := slices.Index(inserted, in.EventID); at >= 0 {
			inserted[at] = "" // a second copy of the same event is not new
			fresh = append(fresh, in)
		}
	}
	return fresh, refused, nil
}

// timed are the kinds of events whose ts is that of another message.
var timed = []workflow.MessageKind{
	workflow.MessageAction, workflow.MessageDelete, workflow.MessageEdit, workflow.MessageReacted,
	workflow.MessagePreview,
}

// happened returns when each press, edit, reaction and deletion was made, by Slack's clock, so
// that it can be compared with the ts of messages; nil for other events, of which the ts says it,
// and for a time that cannot be.
func happened(list []workflow.IncomingEvent) []*time.Time {
	times := make([]*time.Time, len(list))
	for n, in := range list {
		if s := in.At.Unix(); slices.Contains(timed, in.Kind) && 0 < s && s < 1<<36 {
			times[n] = &in.At
		}
	}
	return times
}

// passing lists Slack's refusals that end when somebody invites the bot again, unarchives the
// channel, or lets the bot write in it. Messages that were written before are refused with
// is_inactive in an archived channel.
const passing = `'not_in_channel', 'channel_not_found', 'is_archived', 'is_inactive', 'restricted_action',
	'restricted_action_read_only_channel', 'restricted_action_thread_only_channel',
	'restricted_action_thread_locked', 'restricted_action_non_threadable_channel'`

// refusedWhileAbsent selects the outbox rows that Slack refused because nothing can be posted in the channel
// for a while, except batches of progress lines and what is said of a move. The rows of a batch stay
// together: the batch has the key of its first row, by which the poster finds it.
const refusedWhileAbsent = `session_id = $1 and posted_at is null and reaction = '' and move is null
	and sign is null
	and refused in (` + passing + `)
	and batch in (select o.batch from outbox o where o.session_id = $1 and not o.progress)`

// cardRefusedWhileAbsent selects the cards that Slack refused for the same reasons.
const cardRefusedWhileAbsent = `session_id = $1 and gone in (` + passing + `)`

// postAgain has everything posted that Slack refused while the bot was out of the channel, and cards drawn
// again: a message in the thread shows that it is back. Otherwise nobody could ever approve a report of that
// time, and a card would show work and a button that stops it for good.
func (i *Inbox) postAgain(ctx context.Context, tx pgx.Tx, session string) error {
	// The job first, then the outbox rows, then cards: a poster locks them in this order, too.
	if err := i.queue.InsertPost(ctx, tx, session); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `update outbox set refused = null where `+refusedWhileAbsent,
		session); err != nil {
		return err
	}
	_, err := tx.Exec(ctx,
		`update cards set gone = null, shown = '', due_at = now() where `+cardRefusedWhileAbsent, session)
	return err
}

// stopsAmong returns the ids of the events that may be stops.
func (i *Inbox) stopsAmong(came []workflow.IncomingEvent) (ids []string) {
	for _, in := range came {
		if i.mayBeStop(in) {
			ids = append(ids, in.EventID)
		}
	}
	return ids
}

// askStop makes a stop act on the running turn at once: words or a button that say
// stop, or the deletion of the request. The turn judges whether the person may stop it.
func askStop(
	ctx context.Context, tx pgx.Tx, session string, fresh []workflow.IncomingEvent, stops []string,
) error {
	for _, in := range fresh {
		if !slices.Contains(stops, in.EventID) {
			continue
		}
		_, err := tx.Exec(ctx, `update sessions set stop_asked = true where id = $1
			and not exists (select 1 from cards where session_id = $1 and stop = $2 and ended is not null)`,
			session, in.Value)
		if err != nil {
			return err
		}
	}
	return nil
}

// mayBeStop reports whether the turn can judge an event to be a stop: a message, an edit or a correction form
// that says to stop, the stop button, or the deletion of the request.
func (i *Inbox) mayBeStop(in workflow.IncomingEvent) bool {
	switch {
	case in.Kind == workflow.MessageSent || in.Kind == workflow.MessageAlert:
		// another person's words, or an app's
		return false
	case in.Kind == workflow.MessageForm && in.ActionID != workflow.ButtonCorrect:
		return false
	case in.Kind == workflow.MessageDelete && in.TS == in.Thread.TS:
		return true
	}
	return in.ActionID == workflow.ButtonStop || i.Words.MayStop(in.Text)
}

// titleOf returns the first line of a message; the row stores 120 characters of it.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return database.CleanText(line)
}

// newID returns 40 random bits as 8 letters and digits, short enough for a branch name.
func newID() string { return strings.ToLower(rand.Text()[:8]) }
