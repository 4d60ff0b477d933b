package progress

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// An Inquiry is a Part. With ID 0 it is inserted, unless there is one with its
// key; otherwise Write sets the answer of its row, or marks it as applied.
type Inquiry workflow.Inquiry

func (Inquiry) Stage() record.Stage { return record.Work }

// Mask masks the question, and all texts of the answer.
func (i Inquiry) Mask(mask func(string) string) record.Part {
	i.Question = mask(i.Question)
	i.Answer = record.MaskJSON(i.Answer, mask)
	return i
}

func (i Inquiry) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if i.ID != 0 {
		_, err := tx.Exec(ctx,
			`update inquiries set answer = coalesce($2, answer), applied = applied or $3 where id = $1`, i.ID,
			raw(i.Answer), i.Applied)
		return err
	}
	_, err := database.InsertOnce(ctx, tx, "inquiries", database.Row{
		"session_id": r.Session, "kind": i.Kind, "key": i.Key, "question": i.Question, "asked_by": i.By,
	})
	return err
}

// An InquiryCost is a Part: the cost of one model's answer, which is added to that of an inquiry.
type InquiryCost struct {
	ID  int64
	USD float64
}

func (InquiryCost) Stage() record.Stage { return record.Work }

// Mask returns i, which has no text.
func (i InquiryCost) Mask(func(string) string) record.Part { return i }

func (i InquiryCost) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	_, err := tx.Exec(ctx, `update inquiries set usd = usd + $2 where id = $1`, i.ID, i.USD)
	return err
}

// StoppedInquiries is a Part that stops the questions of people which have no answer yet.
type StoppedInquiries struct{ Alone bool } // nothing else was under way

func (StoppedInquiries) Stage() record.Stage { return record.Work }

// Mask returns s, which has no text.
func (s StoppedInquiries) Mask(func(string) string) record.Part { return s }

func (s StoppedInquiries) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`update inquiries set stopped = true, alone = $2 where session_id = $1 and answer is null
			and not stopped and key like 'message:%'`,
		r.Session, s.Alone)
	return err
}

// ResumedInquiries is a Part that lets stopped inquiries be asked again.
type ResumedInquiries struct{}

func (ResumedInquiries) Stage() record.Stage { return record.Work }

// Mask returns r, which has no text.
func (r ResumedInquiries) Mask(func(string) string) record.Part { return r }

func (ResumedInquiries) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`update inquiries set stopped = false where session_id = $1 and stopped`, r.Session)
	return err
}

func raw(b json.RawMessage) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// Inquiries returns the inquiries of the session, in order.
func (h History) Inquiries(ctx context.Context, session string) ([]workflow.Inquiry, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select id, session_id, kind, key, question, asked_by, answer, applied, stopped, alone, usd
			from inquiries where session_id = $1 order by id`,
		session)
	if err != nil {
		return nil, fmt.Errorf("inquiries of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (workflow.Inquiry, error) {
		var q workflow.Inquiry
		var answer []byte
		err := r.Scan(&q.ID, &q.Session, &q.Kind, &q.Key, &q.Question, &q.By, &answer, &q.Applied, &q.Stopped,
			&q.Alone, &q.USD)
		q.Answer = answer
		return q, err
	})
}
