package inbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// MostAnHour is how many sessions the alerts of one channel begin in an hour, at most.
const MostAnHour = 10

// A counter counts alerts in a transaction.
type counter struct {
	Queue *queue.Queue
	Agent string // signs the lines; empty: orchestrator

	Unlimited, Twice bool // tests only: no hourly limit; an alert that is delivered again is counted again
}

// A problem is the row of one problem.
type problem struct {
	session string
	seen    int
	last    string
	again   bool
	fixed   bool // the work is done, and no pull request of it waits or was given up
	merged  bool
}

// count counts an alert. begins reports that the caller has to begin a session in the alert's
// thread. An alert that was counted before, or that says that a problem is over, begins none.
func (c counter) count(ctx context.Context, tx pgx.Tx, in workflow.IncomingEvent) (begins bool, err error) {
	if in.Alert.Resolved {
		return false, nil
	}
	p, fresh, err := lock(ctx, tx, in)
	if err != nil {
		return false, err
	}
	if !fresh && in.TS <= p.last && !c.Twice {
		return false, nil
	}
	if !fresh {
		p.seen++
		_, err := tx.Exec(ctx,
			`update alerts set seen = $4, last_ts = greatest(last_ts, $5), at = now() where team = $1
				and channel = $2 and fingerprint = $3`,
			in.Thread.Team, in.Thread.Channel, in.Alert.Fingerprint, p.seen, in.TS)
		if err != nil {
			return false, err
		}
	}
	if p.session == "" {
		return c.begin(ctx, tx, in)
	}
	if p.fixed && !p.again {
		if err := c.sayAgain(ctx, tx, p, in); err != nil {
			return false, err
		}
	}
	return false, c.sayCount(ctx, tx, p, in)
}

// lock locks the problem's row, and inserts it first if it is
// new. A session that was cleaned away counts as none.
func lock(ctx context.Context, tx pgx.Tx, in workflow.IncomingEvent) (p problem, fresh bool, err error) {
	fresh, err = database.InsertOnce(ctx, tx, "alerts", database.Row{
		"team":        in.Thread.Team,
		"channel":     in.Thread.Channel,
		"fingerprint": in.Alert.Fingerprint,
		"app":         in.Alert.App,
		"title":       in.Alert.Title,
		"last_ts":     in.TS,
	})
	if err != nil {
		return p, false, err
	}
	err = tx.QueryRow(ctx,
		`select coalesce(s.id, ''), a.seen, a.last_ts, a.again, coalesce(s.phase = 'done'
		and coalesce(r.state not in ('intended', 'open', 'closed', 'reverted'), true), false),
		coalesce(r.state = 'merged', false)
		from alerts a left join sessions s on s.id = a.session_id and s.cleared_at is null
			left join pull_requests r on r.session_id = s.id and r.repository = s.repository
				and r.branch = s.branch
		where a.team = $1 and a.channel = $2 and a.fingerprint = $3 for update of a`, in.Thread.Team,
		in.Thread.Channel, in.Alert.Fingerprint).
		Scan(&p.session, &p.seen, &p.last, &p.again, &p.fixed, &p.merged)
	return p, fresh, err
}

// begin reports whether the channel may begin another session in this
// hour. If not, the thread of its newest session is told so, once.
func (c counter) begin(ctx context.Context, tx pgx.Tx, in workflow.IncomingEvent) (bool, error) {
	// One transaction at a time in a channel, so that the limit holds over all connections and replicas.
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtext($1))`,
		"alerts "+in.Thread.Team+" "+in.Thread.Channel); err != nil {
		return false, err
	}
	var begun int
	var newest *string
	err := tx.QueryRow(ctx, `select count(*), (array_agg(session_id order by begun_at desc))[1] from alerts
		where team = $1 and channel = $2 and begun_at > now() - interval '1 hour'`, in.Thread.Team,
		in.Thread.Channel).Scan(&begun, &newest)
	if err != nil {
		return false, err
	}
	if begun < MostAnHour || c.Unlimited {
		_, err := tx.Exec(ctx,
			`update alerts set begun_at = now(), again = false where team = $1 and channel = $2
				and fingerprint = $3`,
			in.Thread.Team, in.Thread.Channel, in.Alert.Fingerprint)
		return true, err
	}
	if newest == nil {
		return false, nil
	}
	return false, c.say(ctx, tx, *newest, *newest+":alerts-limit",
		fmt.Sprintf("More problems came in this channel than I begin with in an hour (%d). "+
			"The others are only counted for now. Mention me below one to have it looked into.", MostAnHour))
}

// opened stores which session the problem has, and sets the
// session's repository to that of the channel's alerts.
func opened(ctx context.Context, tx pgx.Tx, in workflow.IncomingEvent, session string) error {
	_, err := tx.Exec(ctx,
		`update alerts set session_id = $4 where team = $1 and channel = $2 and fingerprint = $3`,
		in.Thread.Team, in.Thread.Channel, in.Alert.Fingerprint, session)
	if err == nil && in.Alert.Repository != "" {
		_, err = tx.Exec(ctx, `update sessions set repository = $2 where id = $1 and repository = ''`,
			session, in.Alert.Repository)
	}
	return err
}

func (c counter) sayAgain(ctx context.Context, tx pgx.Tx, p problem, in workflow.IncomingEvent) error {
	if _, err := tx.Exec(ctx,
		`update alerts set again = true where team = $1 and channel = $2 and fingerprint = $3`,
		in.Thread.Team, in.Thread.Channel, in.Alert.Fingerprint); err != nil {
		return err
	}
	after := "the push"
	if p.merged {
		after = "the fix"
	}
	return c.say(ctx, tx, p.session, p.session+":alerts-again", "Again after "+after+": the same alert "+
		"came at "+clock(in.TS)+". Nothing is begun by it; write here to have it looked into.")
}

// say says a line in the session's thread, once for each key.
func (c counter) say(ctx context.Context, tx pgx.Tx, session, key, text string) error {
	tag, err := tx.Exec(ctx, `with said as (
			insert into lines (session_id, agent, text, vouched) select $1, $2, $3, '{0}'
			where not exists (select 1 from outbox where key = $4) returning id)
		insert into outbox (key, session_id, line_id, alone) select $4, $1, id, true from said`,
		session, c.agent(), text, key)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return c.Queue.InsertPost(ctx, tx, session)
}

// sayCount says the newest count in the one line for that, with a button for an alert of another problem.
func (c counter) sayCount(ctx context.Context, tx pgx.Tx, p problem, in workflow.IncomingEvent) error {
	means, err := meansOf(ctx, tx, p, in)
	if err != nil {
		return err
	}
	text := "Seen " + strconv.Itoa(p.seen) + " times, the last time at " + clock(in.TS) + "."
	return c.writeCount(ctx, tx, p.session, text, means)
}

// writeCount writes the line of the count; means is what its button stands for, empty: it has none. A line
// that was not posted yet is changed in the outbox, so that a storm of alerts makes no more postings than
// Slack takes.
func (c counter) writeCount(ctx context.Context, tx pgx.Tx, session, text, means string) error {
	key := session + ":alerts"
	// The job first, then the outbox rows: a poster locks them in this order, too.
	if err := c.Queue.InsertPost(ctx, tx, session); err != nil {
		return err
	}
	buttons, err := insertButton(ctx, tx, session, means)
	if err != nil {
		return err
	}
	var row, line int64
	var tried bool
	err = tx.QueryRow(ctx,
		`select id, line_id, batch is not null from outbox
		where key = $1 or rewrites = $1
		order by id desc limit 1
		for update`,
		key).Scan(&row, &line, &tried)
	switch {
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return err
	case err == nil && !tried:
		return changeUnposted(ctx, tx, row, line, text, buttons)
	}
	first := errors.Is(err, pgx.ErrNoRows)
	_, err = tx.Exec(ctx, `with said as (
			insert into lines (session_id, agent, text, vouched) values ($1, $2, $3, '{0}') returning id)
		insert into outbox (key, session_id, line_id, alone, rewrites, buttons)
		select case when $5::boolean then $4::text else $4 || ':' || id end, $1, id, true,
			case when not $5 then $4 end, $6
		from said`, session, c.agent(), text, key, first, buttons)
	return err
}

// changeUnposted changes a line that was not posted yet. The rows of the buttons that nobody saw go.
func changeUnposted(ctx context.Context, tx pgx.Tx, row, line int64, text string, buttons []byte) error {
	if _, err := tx.Exec(ctx, `delete from buttons b using outbox o where o.id = $1
		and b.session_id = o.session_id and b.id = o.buttons::jsonb -> 0 ->> 'Value'`, row); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `update outbox set buttons = $2 where id = $1`, row, buttons); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `update lines set text = $2 where id = $1`, line, text)
	return err
}

// insertButton inserts the row of a button that stands for a counted alert, and returns the button as the
// outbox stores it; nil if means is empty.
func insertButton(ctx context.Context, tx pgx.Tx, session, means string) ([]byte, error) {
	if means == "" {
		return nil, nil
	}
	token := strings.ToLower(rand.Text())
	if _, err := tx.Exec(ctx, `insert into buttons (id, session_id, action_id, revision, means)
		select $1, id, $3, revision, $4 from sessions where id = $2`, token, session, workflow.ButtonNotSame,
		means); err != nil {
		return nil, err
	}
	return json.Marshal([]workflow.Button{
		{ActionID: workflow.ButtonNotSame, Label: NotSameLabel, Value: token},
	})
}

func (c counter) agent() string {
	if c.Agent == "" {
		return "orchestrator"
	}
	return c.Agent
}

// clock returns the time of day of a ts, in UTC.
func clock(ts string) string {
	seconds, _, _ := strings.Cut(ts, ".")
	s, _ := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(s, 0).UTC().Format("15:04 UTC")
}
