package inbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store/alerts"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// Receive keeps what came from Slack, binds it to its session and queues a turn, all in
// one transaction; the caller acknowledges the event after it returns. What came before
// (by event, or as the other half of a mention's two events) changes nothing and is no
// error. What concerns no session is left alone.
func (i *Inbox) Receive(ctx context.Context, in incoming.Event) error {
	err := pgx.BeginFunc(ctx, i.db.Pool, func(tx pgx.Tx) error {
		if in.Alert != nil {
			begins, err := alerts.Counter{Queue: i.queue, Agent: i.Name}.Count(ctx, tx, in)
			if err != nil || !begins {
				return err
			}
		}
		id, err := findSession(ctx, tx, in)
		if err != nil || id == "" {
			return err
		}
		// One of a mention's two events may come without its files.
		if in.Kind != incoming.Edit { // its message brought them, or they are of nobody's judged words
			if err := attachFiles(ctx, tx, id, in.Files); err != nil {
				return err
			}
		}
		fresh, err := insertMessage(ctx, tx, id, in)
		if err != nil || !fresh {
			return err
		}
		if in.Alert != nil {
			if err := alerts.Opened(ctx, tx, in, id); err != nil {
				return err
			}
		}
		if err := i.markSeen(ctx, tx, id, in); err != nil {
			return err
		}
		//crash:event_written
		return i.queue.InsertTurn(ctx, tx, id)
	})
	if err != nil {
		return fmt.Errorf("receive %s: %w", in.EventID, err)
	}
	return nil
}

// findSession finds the session of the thread, or makes one where the message may start one.
// Between the two the old one may be cleaned away; then the next look makes a new one.
func findSession(ctx context.Context, tx pgx.Tx, in incoming.Event) (string, error) {
	for {
		if startsSession(in) {
			_, err := tx.Exec(ctx, `insert into sessions (id, team, channel, thread_ts, requester, title)
				values ($1, $2, $3, $4, $5, left($6, 120)) on conflict (team, channel, thread_ts) do nothing`,
				newID(), in.Thread.Team, in.Thread.Channel, in.Thread.TS, in.User, titleOf(in.Text))
			if err != nil {
				return "", err
			}
		}
		var id string
		err := tx.QueryRow(ctx, `select id from sessions where team = $1 and channel = $2 and thread_ts = $3 for update`,
			in.Thread.Team, in.Thread.Channel, in.Thread.TS).Scan(&id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return id, err
		}
		if !startsSession(in) {
			return "", nil
		}
	}
}

// startsSession reports whether the message may start a session: a mention does wherever it
// stands, and so does what was sent; a plain message only as the root of a thread, which the
// gateway lets through for watched channels alone.
func startsSession(in incoming.Event) bool {
	return in.Kind == incoming.Mention || in.Kind == incoming.Sent || in.Kind == incoming.AppAlert || in.Kind == incoming.Reply && in.TS == in.Thread.TS
}

// insertMessage inserts the inbox row; false when it was there already.
func insertMessage(ctx context.Context, tx pgx.Tx, session string, in incoming.Event) (bool, error) {
	tag, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, user_team, text, action_id, value)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
		session, in.EventID, in.Kind, in.TS, in.User, in.UserTeam, database.CleanText(in.Text), in.ActionID, in.Value)
	if err != nil || tag.RowsAffected() == 0 {
		return false, err
	}
	if in.Kind == incoming.Sent || in.Kind == incoming.AppAlert {
		return true, nil // somebody else's words, or an app's
	}
	// Words of stop act on the running turn at once, and so does a request that is taken away;
	// who said them is judged by the turn.
	takenAway := in.Kind == incoming.Delete && in.TS == in.Thread.TS
	if intent.ReadConsent(in.Text).Kind == intent.ConsentStop || in.ActionID == "stop" || takenAway {
		_, err = tx.Exec(ctx, `update sessions set stop_asked = true where id = $1
			and not exists (select 1 from cards where session_id = $1 and stop = $2 and ended is not null)`, session, in.Value)
	}
	return true, err
}

// markSeen queues the reaction that tells the writer within a second that the message arrived.
// It goes out by a job of its own: behind a busy thread's lines, which Slack takes one a second
// of, or while Slack asks to wait with them, it would come when nobody looks any more.
func (i *Inbox) markSeen(ctx context.Context, tx pgx.Tx, session string, in incoming.Event) error {
	switch in.Kind {
	case incoming.Mention, incoming.Reply, incoming.Sent:
	default:
		return nil
	}
	_, err := tx.Exec(ctx, `insert into outbox (key, session_id, reaction, on_ts) values ($1, $2, 'eyes', $3) on conflict do nothing`,
		session+":seen:"+in.TS, session, in.TS)
	if err != nil {
		return err
	}
	return i.queue.InsertReact(ctx, tx, session)
}

// titleOf is the first line of a message; the row keeps 120 characters of it.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return database.CleanText(line)
}

// newID is 40 random bits, short enough for a branch name: 8 letters and digits.
func newID() string { return strings.ToLower(rand.Text()[:8]) }
