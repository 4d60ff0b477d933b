package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// Lines is a Part that says lines in the thread: it inserts the lines, the rows of their buttons,
// and the job that posts them. Lines that wait one behind another are joined into one reply.
type Lines []workflow.Line

func (Lines) Stage() record.Stage { return record.Thread }

// Mask masks the lines: see workflow.Line.
func (l Lines) Mask(mask func(string) string) record.Part { return Lines(maskLines(l, mask)) }

func (l Lines) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return say(ctx, tx, r, l, record.Has[Replies](r))
}

// Replies is a Part like Lines, but each line becomes a reply
// of its own, and so does each of Lines in the same recording.
type Replies []workflow.Line

func (Replies) Stage() record.Stage { return record.Thread }

// Mask masks the lines: see workflow.Line.
func (list Replies) Mask(mask func(string) string) record.Part { return Replies(maskLines(list, mask)) }

func (list Replies) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return say(ctx, tx, r, list, true)
}

func maskLines(list []workflow.Line, mask func(string) string) []workflow.Line {
	list = slices.Clone(list)
	for i, l := range list {
		list[i] = l.Mask(mask)
	}
	return list
}

func say(ctx context.Context, tx pgx.Tx, r *record.Recording, list []workflow.Line, alone bool) error {
	for _, l := range list {
		if err := insertLine(ctx, tx, r.Session, l, alone); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	return r.Queue.InsertPost(ctx, tx, r.Session)
}

// insertLine inserts a line, the rows of its buttons, and the outbox row by which it is posted.
func insertLine(ctx context.Context, tx pgx.Tx, session string, l workflow.Line, alone bool) error {
	k, err := keepLine(ctx, tx, session, l)
	if err != nil {
		return err
	}
	files, err := jsonOf(l.Files, len(l.Files) > 0)
	if err != nil {
		return err
	}
	alone = alone || len(k.buttons) > 0 || len(files) > 0
	posting := k.posting(session)
	posting["alone"] = alone
	posting["files"] = files
	posting["progress"] = l.Progress && !alone
	return database.Insert(ctx, tx, "outbox", posting)
}

// posting returns the outbox row by which the line is posted.
func (k keptLine) posting(session string) database.Row {
	return database.Row{
		"key":        fmt.Sprintf("%s:%d", session, k.id),
		"session_id": session,
		"line_id":    k.id,
		"buttons":    k.buttons,
	}
}

// rewriting returns the outbox row by which the line takes the place of the message of
// another row, with that key.
func (k keptLine) rewriting(session, key string) database.Row {
	posting := k.posting(session)
	posting["alone"] = true
	posting["rewrites"] = key
	return posting
}

// A keptLine is the id of a line's row, and the line's buttons as the outbox stores them.
type keptLine struct {
	id      int64
	buttons []byte
}

// keepLine inserts the row of a line and the rows of its buttons.
func keepLine(ctx context.Context, tx pgx.Tx, session string, l workflow.Line) (k keptLine, err error) {
	code, err := jsonOf(l.Code, l.Code != nil)
	if err != nil {
		return k, err
	}
	k.id, err = database.InsertID(ctx, tx, "lines", database.Row{
		"session_id": session, "agent": l.Agent, "text": l.Text, "calls": append([]string{}, l.Mentions...),
		"code": code, "vouched": append([]int{}, l.Vouched...),
	})
	if err != nil {
		return k, err
	}
	if k.buttons, err = jsonOf(l.Buttons, len(l.Buttons) > 0); err != nil {
		return k, err
	}
	for _, b := range l.Buttons {
		_, err := tx.Exec(ctx, `insert into buttons (id, session_id, action_id, revision, means)
			values ($1, $2, $3, (select revision from sessions where id = $2), $4)`, b.Value, session,
			b.ActionID, database.CleanText(b.Means))
		if err != nil {
			return k, err
		}
	}
	return k, nil
}

// WriteLine says one line in the session's thread, outside of any
// turn. The caller must hold the lock of the session's row in tx.
func (s *Store) WriteLine(ctx context.Context, tx pgx.Tx, session string, l workflow.Line) error {
	return Lines{l}.Write(ctx, tx, &record.Recording{Session: session, Queue: s.Queue})
}

// jsonOf returns the JSON of v for a column, without what Postgres cannot read, or
// nil (null) if there is false.
func jsonOf(v any, there bool) ([]byte, error) {
	if !there {
		return nil, nil
	}
	b, err := json.Marshal(v)
	return database.CleanJSON(b), err
}

// NewToken returns 130 random bits, for a value that must not be guessed, such as a button's.
func NewToken() string { return strings.ToLower(rand.Text()) }

// beingPosted holds of an outbox row o whose posting was tried and not confirmed.
const beingPosted = `o.tried_at is not null and o.posted_at is null and o.refused is null`

// ofNewestQuestion finds the outbox row of the newest question with options: session $1, action $2.
const ofNewestQuestion = `from outbox o
	where o.session_id = $1 and o.rewrites is null
		and o.buttons::jsonb @> jsonb_build_array(jsonb_build_object('ActionID', $2::text))
	order by o.id desc limit 1`

// PostedTS returns the ts of the message that shows a text of the bot, or an
// empty string before it is in Slack. underWay reports that the posting
// was tried and not confirmed, so the message may be there already.
func (s *Store) PostedTS(ctx context.Context, session, text string) (ts string, underWay bool, err error) {
	return scanPosted(s.Pool.QueryRow(ctx, `select coalesce(o.ts, ''), `+beingPosted+`
		from lines l join outbox o on o.line_id = l.id
		where l.session_id = $1 and l.text = $2
		order by o.id limit 1`, session, database.CleanText(text)))
}

// QuestionTS returns the same as PostedTS, of the newest question with options.
func (s *Store) QuestionTS(ctx context.Context, session string) (ts string, underWay bool, err error) {
	return scanPosted(s.Pool.QueryRow(ctx,
		`select coalesce(o.ts, ''), `+beingPosted+` `+ofNewestQuestion, session, workflow.ButtonOption))
}

func scanPosted(row pgx.Row) (ts string, underWay bool, err error) {
	if err = row.Scan(&ts, &underWay); errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return ts, underWay, err
}

// IsOfNewestQuestion reports whether the button with that value is one of the newest question's options.
func (s *Store) IsOfNewestQuestion(ctx context.Context, session, value string) (newest bool, err error) {
	err = s.Pool.QueryRow(ctx,
		`select o.buttons::jsonb @> jsonb_build_array(jsonb_build_object('Value', $3::text)) `+
			ofNewestQuestion, session, workflow.ButtonOption, value).Scan(&newest)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return newest, err
}

// An Offer names a kind of button, for NewestOffer.
type Offer struct {
	ActionID    workflow.ActionID
	MeansPrefix string // what the button stands for begins with this
	Before      string // its message is above the message with this ts
	In          string // its message has this ts; empty: any
	Newest      bool   // its message is the newest of all between people and the bot above that
}

// NewestOffer returns what the newest button of that kind stands for. Only buttons count whose message is in
// Slack and still offers them. ok is false if there is none.
func (s *Store) NewestOffer(
	ctx context.Context, session string, of Offer,
) (means string, ok bool, err error) {
	err = s.Pool.QueryRow(ctx, `select b.means from outbox o
		join buttons b on b.session_id = o.session_id
			and o.buttons::jsonb @> jsonb_build_array(jsonb_build_object('Value', b.id))
		left join outbox first on first.key = o.rewrites
		where o.session_id = $1 and b.action_id = $2 and starts_with(b.means, $3) and o.settled is null
			and coalesce(first.ts, o.ts, '') <> '' and coalesce(first.ts, o.ts) < $4
			and $6 in ('', coalesce(first.ts, o.ts))
			and not ($5 and (exists (select 1 from outbox n where n.session_id = $1
				and n.line_id is not null and n.ts > coalesce(first.ts, o.ts) and n.ts < $4)
				or exists (select 1 from inbox i where i.session_id = $1
					and i.kind in ('mention', 'reply') and i.message_ts > coalesce(first.ts, o.ts)
					and i.message_ts < $4)))
		order by o.id desc limit 1`, session, of.ActionID, of.MeansPrefix, of.Before, of.Newest,
		of.In).Scan(&means)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return means, err == nil, err
}

// NewestLines returns the ts of two messages of the bot above the one with that ts: the newest that offers
// the newest revision for approval, and the newest of all. They are empty if there are none.
func (s *Store) NewestLines(ctx context.Context, session, before string) (offers, newest string, err error) {
	err = s.Pool.QueryRow(ctx,
		`select coalesce(max(ts) filter (where rewrites is null
				and exists (select 1 from buttons b
					where b.session_id = $1 and b.action_id in ($3, $4)
						and b.revision = s.revision
						and o.buttons::jsonb @> jsonb_build_array(jsonb_build_object('Value', b.id)))), ''),
			coalesce(max(ts), '')
		from outbox o join sessions s on s.id = o.session_id
		where o.session_id = $1 and o.ts < $2 and o.line_id is not null`,
		session, before, workflow.ButtonFix, workflow.ButtonConfirm).Scan(&offers, &newest)
	return offers, newest, err
}

// Button returns what a button of this session stands for: the revision with which it was shown,
// and its meaning. ok is false if the session has no button with that value for that action.
func (t *Turn) Button(
	ctx context.Context, action workflow.ActionID, value string,
) (revision int, means string, ok bool, err error) {
	err = t.store.Pool.QueryRow(ctx,
		`select revision, means from buttons where id = $1 and session_id = $2 and action_id = $3`, value,
		t.id, action).Scan(&revision, &means)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, "", false, nil
	}
	return revision, means, err == nil, err
}

// IsInMessage reports whether the button with that value stands in the session's message with that ts. If
// Slack's answer was lost, so that the ts of the message is not known yet, any ts counts.
func (t *Turn) IsInMessage(ctx context.Context, value, ts string) (in bool, err error) {
	err = t.store.Pool.QueryRow(ctx, `select coalesce(bool_or(coalesce(first.ts, o.ts, $3) = $3), true)
			from outbox o left join outbox first on first.key = o.rewrites
		where o.session_id = $1
			and o.buttons::jsonb @> jsonb_build_array(jsonb_build_object('Value', $2::text))`,
		t.id, value, ts).
		Scan(&in)
	return in, err
}

// A PostedLine is a line of the session with the time at which it was said.
type PostedLine struct {
	Agent   string
	Text    string
	At      time.Time
	Vouched []int // as in workflow.Line
}

// Texts returns the texts of the lines.
func Texts(lines []PostedLine) (texts []string) {
	for _, l := range lines {
		texts = append(texts, l.Text)
	}
	return texts
}

// Lines returns the lines that were said in the session, in order.
func (s *Store) Lines(ctx context.Context, session string) ([]PostedLine, error) {
	rows, err := s.Pool.Query(
		ctx, `select agent, text, at, vouched from lines where session_id = $1 order by id`, session,
	)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[PostedLine])
}
