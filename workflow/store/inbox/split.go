package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// NotSameLabel is the label of the button below the count of a problem's alerts.
const NotSameLabel = "Not the same problem"

// A CountedAlert is an alert that was counted as one more of a session's problem, and is in no inbox. The
// button below the count stands for the newest one, as JSON.
type CountedAlert struct {
	Thread      string `json:"thread"` // ts of its thread
	TS          string `json:"ts"`
	App         string `json:"app"`
	Text        string `json:"text"`
	Repository  string `json:"repository"`
	Fingerprint string `json:"fingerprint"`
}

// ReadCounted reads what a button stands for. It fails for what no button stands for.
func ReadCounted(means string) (a CountedAlert, err error) {
	if err = json.Unmarshal([]byte(means), &a); err == nil && a.TS == "" {
		err = errors.New("it has no ts")
	}
	if err != nil {
		return a, fmt.Errorf("read the alert of a button: %w", err)
	}
	return a, nil
}

// Clock returns the time of day at which the alert was posted, in UTC.
func (a CountedAlert) Clock() string { return clock(a.TS) }

// meansOf returns what the button below the count of an alert stands for. It is empty if the alert is in the
// session's own thread, where no other session can begin.
func meansOf(ctx context.Context, tx pgx.Tx, p problem, in workflow.IncomingEvent) (string, error) {
	var own bool
	err := tx.QueryRow(ctx, `select thread_ts = $2 from sessions where id = $1`, p.session,
		in.Thread.TS).Scan(&own)
	if err != nil || own {
		return "", err
	}
	means, err := json.Marshal(CountedAlert{
		Thread:      in.Thread.TS,
		TS:          in.TS,
		App:         in.Value,
		Text:        database.CleanText(in.Text),
		Repository:  in.Alert.Repository,
		Fingerprint: in.Alert.Fingerprint,
	})
	return string(means), err
}

// ThreadOf returns the thread of another session of the channel that has the message with that ts. known is
// false if there is none.
func (r Reader) ThreadOf(ctx context.Context, ts string) (t workflow.Thread, known bool, err error) {
	err = r.db.Pool.QueryRow(ctx, `select s.team, s.channel, split_part(s.thread_ts, ' ', 1)
		from inbox i join sessions s on s.id = i.session_id
			join sessions own on own.id = $1 and own.team = s.team and own.channel = s.channel
		where i.message_ts = $2 and s.id <> $1 and i.kind in ('alert', 'mention', 'sent')
		order by i.id limit 1`, r.session, ts).Scan(&t.Team, &t.Channel, &t.TS)
	if errors.Is(err, pgx.ErrNoRows) {
		return t, false, nil
	}
	return t, err == nil, err
}

// SplitAlert is a Part: a person says that a counted alert is about another problem. It is counted no more,
// and a session begins in its own thread, with the alert as a message that the person sent to the bot.
type SplitAlert struct {
	Alert  CountedAlert
	Thread workflow.Thread        // of the alert
	Press  workflow.IncomingEvent // as it came
	Agent  string                 // signs the count
}

// Stage implements record.Part.
func (SplitAlert) Stage() record.Stage { return record.Thread }

// Mask keeps the alert word for word, as the inbox has all messages, and the ids of the press.
func (s SplitAlert) Mask(func(string) string) record.Part {
	in := s.Press
	s.Press = workflow.IncomingEvent{User: in.User, UserTeam: in.UserTeam, At: in.At}
	return s
}

// Write stores the alert once: its event id is the same for each press. An alert that is counted at the same
// moment may deadlock with it; then one of them is written again.
func (s SplitAlert) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	in := workflow.IncomingEvent{
		EventID:  string(workflow.ButtonNotSame) + ":" + s.Thread.Channel + ":" + s.Alert.TS,
		Kind:     workflow.MessageSent,
		Thread:   s.Thread,
		TS:       s.Alert.TS,
		User:     s.Press.User,
		UserTeam: s.Press.UserTeam,
		Text:     s.Alert.Text,
		ActionID: workflow.ByShortcut,
		Value:    s.Alert.App,
		At:       s.Press.At,
	}
	i := &Inbox{queue: r.Queue}
	id, _, list, err := i.findSession(ctx, tx, []workflow.IncomingEvent{in})
	if err != nil {
		return fmt.Errorf("begin a session for a counted alert: %w", err)
	}
	if len(list) == 0 { // the session of that thread has left it
		return nil
	}
	fresh, _, err := i.insertMessages(ctx, tx, id, list, seenKinds)
	if err != nil || len(fresh) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `update sessions set repository = $2 where id = $1 and repository = ''`, id,
		s.Alert.Repository)
	if err != nil {
		return err
	}
	if err := s.uncount(ctx, tx, r); err != nil {
		return err
	}
	return r.Queue.InsertTurn(ctx, tx, id, queue.ReactJob{Session: id})
}

// uncount takes the alert out of the count of its problem, and says so in the line of the count.
func (s SplitAlert) uncount(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	var seen int
	err := tx.QueryRow(ctx, `update alerts set seen = greatest(seen - 1, 1)
		where team = $1 and channel = $2 and fingerprint = $3 and session_id = $4 returning seen`,
		s.Thread.Team, s.Thread.Channel, s.Alert.Fingerprint, r.Session).Scan(&seen)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // its problem has another session by now
	}
	if err != nil {
		return err
	}
	times := "once"
	if seen > 1 {
		times = fmt.Sprintf("%d times", seen)
	}
	c := counter{Queue: r.Queue, Agent: s.Agent}
	return c.writeCount(ctx, tx, r.Session, fmt.Sprintf(
		"Seen %s, without the alert of %s, which is another problem.", times, s.Alert.Clock()), "")
}
