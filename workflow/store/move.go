package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// MoveOffered is a Part: the thread is shown with which words the session would go on elsewhere.
type MoveOffered workflow.Move

func (MoveOffered) Stage() record.Stage { return record.Given }

// Mask masks the text.
func (o MoveOffered) Mask(mask func(string) string) record.Part {
	o.Text = mask(o.Text)
	return o
}

// Write stores the row. It fails with record.ErrStale if another one got its number meanwhile.
func (o MoveOffered) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return writeMove(ctx, tx, r, workflow.Move(o), workflow.MoveOffered, nil)
}

// A MoveOrder is a Part: the session is to go on elsewhere, by the Permission of the same recording. Its
// lines are the message that begins the new thread, and the line by which the other thread is left. That
// line is posted behind the message, in the thread that is left.
type MoveOrder struct {
	Move  workflow.Move
	Begin workflow.Line
	Leave workflow.Line
}

func (MoveOrder) Stage() record.Stage { return record.Thread }

// Mask masks the text and both lines.
func (o MoveOrder) Mask(mask func(string) string) record.Part {
	o.Move.Text = mask(o.Move.Text)
	o.Begin = o.Begin.Mask(mask)
	o.Leave = o.Leave.Mask(mask)
	return o
}

// Write stores the row, and the lines with their postings. It fails with record.ErrStale if a move is under
// way already.
func (o MoveOrder) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	p, _ := record.Find[consent.Permission](r)
	if err := writeMove(ctx, tx, r, o.Move, workflow.MoveIntended, &p); err != nil {
		return err
	}
	// The job first, then the outbox rows: a poster locks them in this order, too.
	if err := r.Queue.InsertPost(ctx, tx, r.Session); err != nil {
		return err
	}
	key := moveKey(r.Session, o.Move.Number)
	for _, said := range []struct {
		line workflow.Line
		row  database.Row
	}{
		{o.Begin, database.Row{"key": key, "channel": o.Move.Channel, "thread_ts": ""}},
		{o.Leave, database.Row{
			"key": key + ":left", "channel": o.Move.From.Channel, "thread_ts": o.Move.From.TS,
		}},
	} {
		line, err := keepLine(ctx, tx, r.Session, said.line)
		if err != nil {
			return err
		}
		said.row["session_id"] = r.Session
		said.row["line_id"] = line.id
		said.row["buttons"] = line.buttons
		said.row["alone"] = true
		said.row["move"] = o.Move.Number
		if err := database.Insert(ctx, tx, "outbox", said.row); err != nil {
			return err
		}
	}
	return nil
}

func moveKey(session string, number int) string { return fmt.Sprintf("%s:move:%d", session, number) }

// writeMove inserts the row, or makes an offered one an order.
func writeMove(
	ctx context.Context, tx pgx.Tx, r *record.Recording, m workflow.Move, state workflow.MoveState,
	by *consent.Permission,
) error {
	giver := consent.GiverOf(by)
	tag, err := tx.Exec(ctx,
		`insert into moves (session_id, number, key, team, channel, thread_ts, to_channel, to_name, link,
			text, revision, state, permission_id, user_id, user_name, message_ts)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
		on conflict (session_id, number) do update set state = excluded.state,
			permission_id = excluded.permission_id, user_id = excluded.user_id,
			user_name = excluded.user_name, message_ts = excluded.message_ts, at = now()
		where moves.state = 'offered' and excluded.state = 'intended'`,
		r.Session, m.Number, moveKey(r.Session, m.Number), m.From.Team, m.From.Channel, m.From.TS, m.Channel,
		database.CleanText(m.Name), m.Link, database.CleanText(m.Text), m.Revision, state,
		giver.Permission, giver.User, database.CleanText(giver.Name), giver.Message)
	if err != nil {
		return fmt.Errorf("move a session: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return record.ErrStale
	}
	return nil
}

// NewestMove returns the newest move of the session, or nil if there is none.
func (s *Store) NewestMove(ctx context.Context, session string) (*workflow.Move, error) {
	m := &workflow.Move{}
	err := s.Pool.QueryRow(ctx,
		`select number, team, channel, thread_ts, to_channel, to_name, link, text, revision, state, to_ts,
			user_name
		from moves where session_id = $1 order by number desc limit 1`, session).
		Scan(&m.Number, &m.From.Team, &m.From.Channel, &m.From.TS, &m.Channel, &m.Name, &m.Link, &m.Text,
			&m.Revision, &m.State, &m.TS, &m.UserName)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the newest move of %s: %w", session, err)
	}
	return m, nil
}

// ReportButtons returns buttons that mean the same as those with which the newest revision waits for people,
// with ids of their own, or none if it does not wait.
func (s *Store) ReportButtons(ctx context.Context, session string) ([]workflow.Button, error) {
	var stored []byte
	err := s.Pool.QueryRow(ctx, `select o.buttons from outbox o where o.session_id = $1 and o.settled is null
		and o.refused is null and `+database.DecidesRevision+` order by o.id desc limit 1`, session,
		workflow.RevisionButtons()).Scan(&stored)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	var buttons []workflow.Button
	if err == nil {
		err = json.Unmarshal(stored, &buttons)
	}
	for i, b := range buttons {
		if err != nil {
			break
		}
		err = s.Pool.QueryRow(ctx, `select means from buttons where id = $1 and session_id = $2`, b.Value,
			session).Scan(&buttons[i].Means)
		buttons[i].Value = NewToken()
	}
	if err != nil {
		return nil, fmt.Errorf("the buttons of the newest report of %s: %w", session, err)
	}
	return buttons, nil
}

// Refresh reads which thread the session is in: it may have moved since this turn last read it.
func (t *Turn) Refresh(ctx context.Context) error {
	now, err := t.store.Session(ctx, t.id)
	if err != nil {
		return fmt.Errorf("where %s goes on: %w", t.id, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session.Thread = now.Thread
	t.session.Left = now.Left
	return nil
}
