package progress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Question is a Part that asks the thread a question, and queues the job that answers it when it is due.
type Question workflow.Question

func (Question) Stage() record.Stage { return record.Work }

// Mask masks the question and its options. The buttons of the options are masked in the same way (see
// workflow.Line), so an option that is pressed is one of them.
func (q Question) Mask(mask func(string) string) record.Part {
	q.Text = mask(q.Text)
	q.Recommended = mask(q.Recommended)
	q.Answer = mask(q.Answer)
	q.Former = mask(q.Former)
	q.Options = slices.Clone(q.Options)
	q.Open = slices.Clone(q.Open)
	for i, o := range q.Options {
		q.Options[i] = mask(o)
	}
	for i, d := range q.Open {
		q.Open[i].Question = mask(d.Question)
		q.Open[i].Recommended = mask(d.Recommended)
	}
	return q
}

func (q Question) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	options, err := json.Marshal(q.Options)
	if err != nil {
		return err
	}
	open, err := json.Marshal(q.Open)
	if err != nil {
		return err
	}
	var againOf *int64
	if q.AgainOf != 0 {
		againOf = &q.AgainOf
	}
	var due *time.Time
	if !q.Due.IsZero() {
		due = &q.Due
	}
	id, err := database.InsertID(ctx, tx, "questions", database.Row{
		"session_id":  r.Session,
		"text":        q.Text,
		"options":     database.CleanJSON(options),
		"recommended": q.Recommended,
		"open":        open,
		"due_at":      due,
		"answer":      database.CleanText(q.Answer),
		"number":      q.Number,
		"again_of":    againOf,
	})
	if err != nil || due == nil {
		return err
	}
	return r.Queue.InsertDue(ctx, tx, r.Session, id, *due)
}

// An Answer is a Part that answers the question with that id,
// unless it has an answer. User is empty if no person gave it.
type Answer struct {
	Question      int64
	Text, User    string
	Note          string // shown below the question from then on; empty: the text is shown
	Chosen        bool   // Text is an option of the question, and not what the person wrote
	TakesDefaults bool   // it takes the recommended answers that an offer showed
}

func (Answer) Stage() record.Stage { return record.Work }

// Mask masks the answer, and the note that is shown below the question.
func (a Answer) Mask(mask func(string) string) record.Part {
	a.Text = mask(a.Text)
	a.Note = mask(a.Note)
	return a
}

func (a Answer) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	_, err := tx.Exec(ctx, `update questions set answer = $2, answered_by = $3 where id = $1 and answer = ''`,
		a.Question, database.CleanText(a.Text), a.User)
	return err
}

// A ChangedAnswer is a Part that replaces the answer of the question with that id.
type ChangedAnswer struct {
	Question   int64
	Text, User string
}

func (ChangedAnswer) Stage() record.Stage { return record.Work }

// Mask masks the answer.
func (a ChangedAnswer) Mask(mask func(string) string) record.Part {
	a.Text = mask(a.Text)
	return a
}

func (a ChangedAnswer) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	_, err := tx.Exec(ctx, `update questions set answer = $2, answered_by = $3 where id = $1`, a.Question,
		database.CleanText(a.Text), a.User)
	return err
}

// EndQuestion answers the session's waiting question, if there is one, by what was decided or shown since.
func EndQuestion(ctx context.Context, tx pgx.Tx, session, why string) error {
	_, err := tx.Exec(ctx, `update questions set answer = $2 where session_id = $1 and answer = ''`, session,
		database.CleanText(why))
	return err
}

// Questions returns the questions that the session asked its thread, in order.
func (h History) Questions(ctx context.Context, session string) ([]workflow.Question, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select q.id, q.session_id, q.text, q.options, q.recommended, q.open, q.due_at, q.answer, q.number,
			coalesce(q.again_of, 0), coalesce(former.answer, '')
		from questions q left join questions former on former.id = q.again_of
			where q.session_id = $1 order by q.id`,
		session)
	if err != nil {
		return nil, fmt.Errorf("questions of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (workflow.Question, error) {
		var q workflow.Question
		var options, open []byte
		var due *time.Time
		if err := r.Scan(&q.ID, &q.Session, &q.Text, &options, &q.Recommended, &open, &due,
			&q.Answer, &q.Number, &q.AgainOf, &q.Former); err != nil {
			return q, err
		}
		if due != nil {
			q.Due = *due
		}
		return q, errors.Join(json.Unmarshal(options, &q.Options), json.Unmarshal(open, &q.Open))
	})
}

// Waiting returns the newest question without an answer, or nil if there is none.
func (h History) Waiting(ctx context.Context, session string) (*workflow.Question, error) {
	all, err := h.Questions(ctx, session)
	if err != nil {
		return nil, err
	}
	for _, q := range slices.Backward(all) {
		if q.Answer == "" {
			return &q, nil
		}
	}
	return nil, nil
}
