package inbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store/alerts"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// Receive keeps what came from Slack in one thread, in its order, binds it to the thread's
// session and queues a turn, all in one transaction; the caller acknowledges the events after
// it returns. What came before (by event, or as the other half of a mention's two events)
// changes nothing and is no error. What concerns no session is left alone. An alert comes alone.
func (i *Inbox) Receive(ctx context.Context, came ...incoming.Event) error {
	first := came[0]
	err := pgx.BeginFunc(ctx, i.db.Arrivals, func(tx pgx.Tx) error {
		if first.Alert != nil {
			begins, err := alerts.Counter{Queue: i.queue, Agent: i.Name}.Count(ctx, tx, first)
			if err != nil || !begins {
				return err
			}
		}
		id, list, err := findSession(ctx, tx, came)
		if err != nil || id == "" {
			return err
		}
		for _, in := range list {
			if in.Kind == incoming.Edit { // its message brought them, or they are of nobody's judged words
				continue
			}
			// One of a mention's two events may come without its files.
			if err := attachFiles(ctx, tx, id, in.Files); err != nil {
				return err
			}
		}
		fresh, err := insertMessages(ctx, tx, id, list)
		if err != nil || len(fresh) == 0 {
			return err
		}
		if first.Alert != nil {
			if err := alerts.Opened(ctx, tx, first, id); err != nil {
				return err
			}
		}
		//crash:event_written
		if slices.ContainsFunc(fresh, func(in incoming.Event) bool { return slices.Contains(seenKinds, in.Kind) }) {
			return i.queue.InsertTurn(ctx, tx, id, queue.ReactJob{Session: id})
		}
		return i.queue.InsertTurn(ctx, tx, id)
	})
	if err != nil {
		return fmt.Errorf("receive %s: %w", first.EventID, err)
	}
	return nil
}

// findSession finds the session of the thread, or makes one where a message may start one;
// then list begins with that message. Between the two the old one may be cleaned away; then the
// next look makes a new one.
func findSession(ctx context.Context, tx pgx.Tx, came []incoming.Event) (id string, list []incoming.Event, err error) {
	list = came
	starts := slices.IndexFunc(came, startsSession)
	thread := came[0].Thread
	for {
		if starts >= 0 {
			in := came[starts]
			tag, err := tx.Exec(ctx, `insert into sessions (id, team, channel, thread_ts, requester, title)
				values ($1, $2, $3, $4, $5, left($6, 120)) on conflict (team, channel, thread_ts) do nothing`,
				newID(), thread.Team, thread.Channel, thread.TS, in.User, titleOf(in.Text))
			if err != nil {
				return "", nil, err
			}
			if tag.RowsAffected() > 0 {
				list = came[starts:]
			}
		}
		err = tx.QueryRow(ctx, `select id from sessions where team = $1 and channel = $2 and thread_ts = $3 for update`,
			thread.Team, thread.Channel, thread.TS).Scan(&id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return id, list, err
		}
		if starts < 0 {
			return "", nil, nil
		}
	}
}

// startsSession reports whether the message may start a session: a mention does wherever it
// stands, and so does what was sent; a plain message only as the root of a thread, which the
// gateway lets through for watched channels alone.
func startsSession(in incoming.Event) bool {
	return in.Kind == incoming.Mention || in.Kind == incoming.Sent || in.Kind == incoming.AppAlert || in.Kind == incoming.Reply && in.TS == in.Thread.TS
}

// seenKinds are messages whose writers are told within a second that they arrived, by a reaction.
var seenKinds = []incoming.Kind{incoming.Mention, incoming.Reply, incoming.Sent}

// insertMessages inserts rows of the inbox in their order, and gives the messages that were not
// there already. The reactions to these wait in the outbox then. They go out by a job of their own:
// behind a busy thread's lines, which Slack takes one a second of, or while Slack asks to wait with
// them, they would come when nobody looks any more.
func insertMessages(ctx context.Context, tx pgx.Tx, session string, list []incoming.Event) (fresh []incoming.Event, err error) {
	column := func(of func(incoming.Event) string) []string {
		values := make([]string, len(list))
		for n, in := range list {
			values[n] = of(in)
		}
		return values
	}
	rows, err := tx.Query(ctx, `with fresh as (
			insert into inbox (session_id, event_id, kind, message_ts, user_id, user_team, text, action_id, value)
			select $1, event_id, kind, message_ts, user_id, user_team, text, action_id, value
			from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
				with ordinality as m (event_id, kind, message_ts, user_id, user_team, text, action_id, value, n) order by n
			on conflict do nothing returning id, event_id, kind, message_ts),
		seen as (
			insert into outbox (key, session_id, reaction, on_ts)
			select $1 || ':seen:' || message_ts, $1, 'eyes', message_ts from fresh where kind = any($10) order by id on conflict do nothing)
		select event_id from fresh order by id`, session,
		column(func(in incoming.Event) string { return in.EventID }),
		column(func(in incoming.Event) string { return string(in.Kind) }),
		column(func(in incoming.Event) string { return in.TS }),
		column(func(in incoming.Event) string { return in.User }),
		column(func(in incoming.Event) string { return in.UserTeam }),
		column(func(in incoming.Event) string { return database.CleanText(in.Text) }),
		column(func(in incoming.Event) string { return in.ActionID }),
		column(func(in incoming.Event) string { return in.Value }), seenKinds)
	if err != nil {
		return nil, err
	}
	inserted, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	for _, in := range list {
		if at := slices.Index(inserted, in.EventID); at >= 0 {
			inserted[at] = "" // the same event, again, is not
			fresh = append(fresh, in)
		}
	}
	return fresh, askStop(ctx, tx, session, fresh)
}

// askStop lets words of stop act on the running turn at once, and a request that is taken away,
// too; who said them is judged by the turn.
func askStop(ctx context.Context, tx pgx.Tx, session string, fresh []incoming.Event) error {
	for _, in := range fresh {
		if in.Kind == incoming.Sent || in.Kind == incoming.AppAlert {
			continue // somebody else's words, or an app's
		}
		takenAway := in.Kind == incoming.Delete && in.TS == in.Thread.TS
		if intent.ReadConsent(in.Text).Kind != intent.ConsentStop && in.ActionID != "stop" && !takenAway {
			continue
		}
		_, err := tx.Exec(ctx, `update sessions set stop_asked = true where id = $1
			and not exists (select 1 from cards where session_id = $1 and stop = $2 and ended is not null)`, session, in.Value)
		if err != nil {
			return err
		}
	}
	return nil
}

// titleOf is the first line of a message; the row keeps 120 characters of it.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return database.CleanText(line)
}

// newID is 40 random bits, short enough for a branch name: 8 letters and digits.
func newID() string { return strings.ToLower(rand.Text()[:8]) }
