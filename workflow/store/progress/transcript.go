package progress

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Transcript is a Part that adds items to one agent's conversation.
type Transcript struct {
	Task  int64 // the worker's task; 0: the orchestrator; the negative id of an inquiry: its agent
	Items []json.RawMessage
	Seen  int64 // the newest inbox row that the conversation now holds; 0: no new one
}

func (Transcript) Stage() record.Stage { return record.Transcript }

// Mask masks each message, except for those of the model itself: its tool calls are carried out as they
// are, and it was shown no secret.
func (t Transcript) Mask(mask func(string) string) record.Part {
	t.Items = slices.Clone(t.Items)
	for i, item := range t.Items {
		t.Items[i] = maskItem(item, mask)
	}
	return t
}

// assistant is the role of a message of the model (see package model).
const assistant = "assistant"

// maskItem masks all texts of one message that is not of the model.
func maskItem(item json.RawMessage, mask func(string) string) json.RawMessage {
	var m struct{ Role string }
	if err := json.Unmarshal(item, &m); err == nil && m.Role == assistant {
		return item
	}
	return record.MaskJSON(item, mask)
}

func (t Transcript) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	for _, item := range t.Items {
		_, err := tx.Exec(ctx, `insert into transcript (session_id, task_id, seq, body)
			values ($1, $2, (select coalesce(max(seq), 0) + 1 from transcript where session_id = $1
				and task_id = $2), $3)`,
			r.Session, t.Task, []byte(item))
		if err != nil {
			return err
		}
	}
	if t.Seen == 0 {
		return nil
	}
	if t.Task == 0 {
		_, err := tx.Exec(ctx, `update sessions set seen = greatest(seen, $2) where id = $1`,
			r.Session, t.Seen)
		return err
	}
	_, err := tx.Exec(ctx, `update tasks set seen = greatest(seen, $2) where id = $1`, t.Task, t.Seen)
	return err
}

// Transcript returns the whole conversation of one agent of the session.
func (h History) Transcript(ctx context.Context, session string, task int64) ([]json.RawMessage, error) {
	rows, err := h.DB.Pool.Query(ctx,
		`select body from transcript where session_id = $1 and task_id = $2 order by seq`, session, task)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (json.RawMessage, error) {
		var b []byte
		err := r.Scan(&b)
		return json.RawMessage(b), err
	})
}

// CallsOf returns how many calls of tools whose names begin with prefix have a result in the session, over
// all of its agents.
func (h History) CallsOf(ctx context.Context, session, prefix string) (n int, err error) {
	err = h.DB.Pool.QueryRow(ctx,
		`select count(*) from transcript a
			cross join lateral json_array_elements(coalesce(a.body -> 'calls', '[]')) c
		where a.session_id = $1 and starts_with(c ->> 'name', $2)
			and exists (select 1 from transcript r where r.session_id = a.session_id
				and r.task_id = a.task_id and r.body ->> 'call_id' = c ->> 'id')`,
		session, prefix).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("calls of %s in %s: %w", prefix, session, err)
	}
	return n, nil
}
