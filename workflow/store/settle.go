package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// settle takes the buttons off what the session waits for no longer: a fact that opens it
// again, stops it or shows a newer report has answered whatever was asked before. The
// buttons' rows stay, so a press that was on its way is still judged, and told that it is late.
//
// What is offered to people who may approve waits longer: held words until they are passed
// on, stopped work until it goes on, or another revision is shown or approved.
func (t *Turn) settle(ctx context.Context, tx pgx.Tx, f Fact) error {
	if len(f.Passed) > 0 && f.Permission != nil {
		if err := t.unbutton(ctx, tx, "Passed on by "+f.Permission.UserName+".", offersHeld+` and exists (select 1 from buttons b
			where b.session_id = $1 and b.action_id = 'pass_on' and b.means = any($2::text[]) and b.id = outbox.buttons::jsonb -> 0 ->> 'Value')`, texts(f.Passed)); err != nil {
			return err
		}
	}
	note := f.answers()
	if note == "" {
		return nil
	}
	which := `not (` + offersHeld + `)`
	if f.Approval == nil && f.Report == nil && (f.Permission == nil || f.Permission.What != workflow.PermitResume) {
		which += ` and not (` + offersToGoOn + `)`
	}
	return t.unbutton(ctx, tx, note, which)
}

// What a message's buttons offer.
const (
	offersHeld   = `buttons::jsonb @> '[{"ActionID": "pass_on"}]'`
	offersToGoOn = `buttons::jsonb @> '[{"ActionID": "go_on"}]'`
)

func texts(ids []int64) (list []string) {
	for _, id := range ids {
		list = append(list, strconv.FormatInt(id, 10))
	}
	return list
}

// unbutton takes the buttons off the messages that the condition is true of; args are its $2
// and so on.
func (t *Turn) unbutton(ctx context.Context, tx pgx.Tx, note, which string, args ...any) error {
	which = `session_id = $1 and buttons is not null and settled is null and ` + which
	args = append([]any{t.id}, args...)
	last := "$" + strconv.Itoa(len(args)+1)
	var waits bool
	err := tx.QueryRow(ctx, `select exists (select 1 from outbox where `+which+`)`, args...).Scan(&waits)
	if err != nil || !waits {
		return err
	}
	// The job first, then its postings: whoever posts locks them in this order, too.
	if err := t.store.queuePosting(ctx, tx, t.id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `select 1 from outbox where `+which+` order by id for update`, args...); err != nil {
		return err
	}
	args = append(args, note)
	// What was never tried simply goes out without its buttons.
	if _, err = tx.Exec(ctx, `update outbox set settled = `+last+`, buttons = null where `+which+` and batch is null`, args...); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `with answered as (
			update outbox set settled = `+last+` where `+which+` and refused is null
			returning key, line_id)
		insert into outbox (key, session_id, line_id, alone, rewrites)
		select key || ':settled', $1, line_id, true, key from answered order by line_id`, args...)
	return err
}

// answers says in words what the fact answers; empty where what waits goes on waiting.
func (f Fact) answers() string {
	switch {
	case f.Approval != nil:
		return "Approved by " + f.Approval.UserName + "."
	case f.Permission != nil && f.Permission.What == workflow.PermitResume && f.Permission.Revision > 0:
		return "Going on, as " + f.Permission.UserName + " says."
	case f.Allowance != nil && f.Allowance.User != "":
		return "Push allowed by " + f.Allowance.UserName + "."
	case slices.Contains(f.Events, workflow.EventStop):
		return "Stopped."
	case f.Question != nil && f.Question.ID != 0:
		return "Answered: " + short(f.Question.Answer)
	case f.Report != nil:
		return fmt.Sprintf("Revision %d below counts now.", f.Report.Revision)
	case f.Open != nil && *f.Open && len(f.Handled) > 0:
		return "Answered below."
	}
	return ""
}

// short is an answer as it fits below what asked for it.
func short(s string) string {
	return plaintext.CutLine(s, 120)
}
