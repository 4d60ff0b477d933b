package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// settle takes the buttons off what the session waits for no longer: a fact that opens it
// again, stops it or shows a newer report has answered whatever was asked before. The
// buttons' rows stay, so a press that was on its way is still judged, and told that it is late.
func (t *Turn) settle(ctx context.Context, tx pgx.Tx, f Fact) error {
	note := f.answers()
	if note == "" {
		return nil
	}
	var waits bool
	err := tx.QueryRow(ctx, `select exists (select 1 from outbox where session_id = $1 and buttons is not null and settled is null)`, t.id).Scan(&waits)
	if err != nil || !waits {
		return err
	}
	// The job first, then its postings: whoever posts locks them in this order, too.
	if err := t.store.queuePosting(ctx, tx, t.id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `select 1 from outbox where session_id = $1 and buttons is not null and settled is null order by id for update`, t.id); err != nil {
		return err
	}
	// What was never tried simply goes out without its buttons.
	_, err = tx.Exec(ctx, `update outbox set settled = $2, buttons = null where session_id = $1 and buttons is not null and settled is null and batch is null`, t.id, note)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `with answered as (
			update outbox set settled = $2 where session_id = $1 and buttons is not null and settled is null and refused is null
			returning key, line_id)
		insert into outbox (key, session_id, line_id, alone, rewrites)
		select key || ':settled', $1, line_id, true, key from answered order by line_id`, t.id, note)
	return err
}

// answers says in words what the fact answers; empty where what waits goes on waiting.
func (f Fact) answers() string {
	switch {
	case f.Approval != nil:
		return "Approved by " + f.Approval.UserName + "."
	case f.Allowance != nil && f.Allowance.User != "":
		return "Push allowed by " + f.Allowance.UserName + "."
	case f.Question != nil && f.Question.ID != 0:
		return "Answered: " + short(f.Question.Answer)
	case slices.Contains(f.Events, workflow.EventStop):
		return "Stopped."
	case f.Report != nil:
		return fmt.Sprintf("Revision %d below counts now.", f.Report.Revision)
	case f.Open != nil && *f.Open && len(f.Handled) > 0:
		return "Answered below."
	}
	return ""
}

// short is an answer as it fits below what asked for it.
func short(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
