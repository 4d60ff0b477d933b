package inbox

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A session may have left a thread for a new one in another channel. Then the people who write or press in
// the old thread are told where it goes on, each alone and once for a message. What takes something back
// still counts: an edit, a deletion or a reaction of what stands there, and a stop.

// errBeginning says that a session is moving into the thread or out of it at this moment. The event has to be
// received again.
var errBeginning = errors.New("a session is moving into this thread, or out of it")

// A leftThread is a thread that a session has left.
type leftThread struct {
	session string
	move    workflow.Move // the newest of the session
}

// findLeft returns the session that has left the thread, or nil if none has. It fails with errBeginning if
// the thread may be one that the program is beginning.
func findLeft(ctx context.Context, tx pgx.Tx, thread workflow.Thread) (*leftThread, error) {
	var left leftThread
	m := &left.move
	err := tx.QueryRow(ctx,
		`select n.session_id, n.number, n.to_name, n.link, n.to_ts, n.user_name
		from moves m join moves n on n.session_id = m.session_id and n.state = 'moved'
			join sessions s on s.id = m.session_id and s.cleared_at is null
		where m.team = $1 and m.channel = $2 and m.thread_ts = $3 and m.state = 'moved'
		order by n.number desc limit 1`, thread.Team, thread.Channel, thread.TS).
		Scan(&left.session, &m.Number, &m.Name, &m.Link, &m.TS, &m.UserName)
	if err == nil {
		m.From = thread
		return &left, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	var begins bool
	err = tx.QueryRow(ctx,
		`select exists (select 1 from moves m join outbox o on o.key = m.key
			where m.state = 'intended' and m.to_channel = $1 and m.team = $2
				and $3 > (floor(extract(epoch from o.tried_at))::bigint - $4)::text)`,
		thread.Channel, thread.Team, thread.TS, clockSkew).Scan(&begins)
	if err == nil && begins {
		err = errBeginning
	}
	return nil, err
}

// checkNotLeft fails with errBeginning if a session has left the thread since findLeft looked: then the
// thread was free for a new session, which it must not begin.
func checkNotLeft(ctx context.Context, tx pgx.Tx, thread workflow.Thread) error {
	left, err := findLeft(ctx, tx, thread)
	if err == nil && left != nil {
		err = errBeginning
	}
	return err
}

// ofLeft returns what findSession does for a thread that a session has left; left is nil if none has.
func (i *Inbox) ofLeft(
	ctx context.Context, tx pgx.Tx, left *leftThread, came []workflow.IncomingEvent, failed error,
) (id string, call found, counts []workflow.IncomingEvent, err error) {
	if failed != nil || left == nil {
		return "", call, nil, failed
	}
	if _, err = tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, left.session); err != nil {
		return "", call, nil, err
	}
	counts, err = i.answerLeft(ctx, tx, left, came)
	return left.session, call, counts, err
}

// clockSkew is how many seconds Slack's clock may be behind the database's.
const clockSkew = 60

// takesBack are the kinds of events that count in a thread that was left, too: they permit nothing.
var takesBack = []workflow.MessageKind{workflow.MessageEdit, workflow.MessageDelete}

// answerLeft tells everybody who wrote or pressed in the thread that it goes on elsewhere, and returns the
// events that count nevertheless. A stop becomes a press of Stop in the session.
func (i *Inbox) answerLeft(
	ctx context.Context, tx pgx.Tx, left *leftThread, came []workflow.IncomingEvent,
) (counts []workflow.IncomingEvent, err error) {
	for _, in := range came {
		if slices.Contains(takesBack, in.Kind) {
			counts = append(counts, in)
			continue
		}
		if known, err := receivedBefore(ctx, tx, left.session, in); err != nil {
			return nil, err
		} else if known {
			continue
		}
		if in.User == "" || in.Kind == workflow.MessagePreview || in.Kind == workflow.MessageAlert {
			continue
		}
		if in.Kind == workflow.MessageReply && strings.HasPrefix(strings.TrimSpace(in.Text), "<@") {
			continue // people talk to each other there
		}
		text := left.move.AnswerToMessage()
		told := in
		switch {
		case i.saysStop(in):
			text = left.move.AnswerToStop()
			in.Kind = workflow.MessageAction
			in.ActionID = workflow.ButtonStop
			in.EventID = stopOfLeft + in.EventID
			in.Text = ""
			in.Value = ""
			counts = append(counts, in)
		case in.Kind == workflow.MessageAction || in.Kind == workflow.MessageForm:
			text = left.move.AnswerToPress()
		}
		if err := i.tellLeft(ctx, tx, left, told, text); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// receivedBefore reports whether the event, or the other one of a mention's two events, was received while
// the session was in the thread.
func receivedBefore(
	ctx context.Context, tx pgx.Tx, session string, in workflow.IncomingEvent,
) (known bool, err error) {
	err = tx.QueryRow(ctx, `select exists (select 1 from inbox where session_id = $1 and (event_id = $2
			or $3 in ('mention', 'reply') and kind in ('mention', 'reply') and message_ts = $4))`,
		session, in.EventID, in.Kind, in.TS).Scan(&known)
	return known, err
}

// stopOfLeft begins the id of the event of a stop in a thread that was left.
const stopOfLeft = "left:"

func isStopOfLeft(in workflow.IncomingEvent) bool { return strings.HasPrefix(in.EventID, stopOfLeft) }

// saysStop reports whether an event is a press of Stop, or a message that says to stop and nothing else.
func (i *Inbox) saysStop(in workflow.IncomingEvent) bool {
	switch in.Kind {
	case workflow.MessageAction:
		return in.ActionID == workflow.ButtonStop
	case workflow.MessageForm:
		return in.ActionID == workflow.ButtonAskStop
	case workflow.MessageMention, workflow.MessageReply:
		says := i.Words.Read(in.Text)
		return says.OnlyStops || says.Consent.Kind == intent.ConsentStop
	}
	return false
}

// tellLeft shows the text to the writer of the event alone, once for each message and each press.
func (i *Inbox) tellLeft(
	ctx context.Context, tx pgx.Tx, left *leftThread, in workflow.IncomingEvent, text string,
) error {
	of := in.TS // a mention comes as two events
	if in.Kind == workflow.MessageAction || in.Kind == workflow.MessageForm {
		of = in.EventID
	}
	inserted, err := database.InsertOnce(ctx, tx, "outbox", database.Row{
		"key":          left.session + ":left:" + of,
		"session_id":   left.session,
		"reaction":     "ephemeral",
		"ephemeral_to": in.User,
		"ephemeral":    text,
		"channel":      left.move.From.Channel,
		"thread_ts":    left.move.From.TS,
	})
	if err != nil || !inserted {
		return err
	}
	return i.queue.InsertReact(ctx, tx, left.session)
}
