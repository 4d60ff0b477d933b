package store

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// settling is the part of every recording that removes buttons for which the session no longer waits: a
// recording that opens it again, stops it or shows a newer report has answered what was asked before. The
// rows of the buttons stay, so a press that was on its way is still judged, and answered as too late.
//
// Offers to people who may approve stay longer: held messages until they are passed on, removed code
// until it is put back, and stopped work until it goes on or another revision is shown or approved.
type settling struct{ *transaction }

func (settling) Stage() record.Stage { return record.Settle }

// Mask returns s: what it says is made of the other parts of the recording, which are masked.
func (s settling) Mask(func(string) string) record.Part { return s }

func (s settling) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	p, _ := record.Find[consent.Permission](r)
	if passed, _ := record.Find[inbox.Passed](r); len(passed) > 0 && p.ID != "" {
		if err := s.turn.unbutton(ctx, tx, "Passed on by "+p.UserName+".", "false", offersHeld+` and exists (select 1 from buttons b
			where b.session_id = $1 and b.action_id = 'pass_on' and b.means = any($2::text[]) and b.id = outbox.buttons::jsonb -> 0 ->> 'Value')`, texts(passed)); err != nil {
			return err
		}
	}
	if removed, ok := record.Find[consent.Removal](r); ok && removed.User != "" {
		if err := s.turn.unbutton(ctx, tx, "Put back by "+removed.UserName+".", "false", offersRemoved+` and exists (select 1 from buttons b
			where b.session_id = $1 and b.action_id = 'put_back' and b.means = $2 and b.id = outbox.buttons::jsonb -> 0 ->> 'Value')`, removed.Hash); err != nil {
			return err
		}
	}
	if record.Has[consent.Withdrawal](r) {
		err := s.turn.unbutton(ctx, tx, "An objection was taken back.", "false", asksInSpite)
		if err != nil {
			return err
		}
	}
	note := s.answers()
	brief := "false"
	switch {
	case record.Has[progress.Answer](&s.Recording):
		brief = offersAnswer
	case record.Has[consent.Report](&s.Recording) && !record.Has[consent.Approval](&s.Recording): // the newer report repeats all of it
		brief = offersRevision
	}
	if err := s.endQuestion(ctx, tx, note); err != nil || note == "" {
		return err
	}
	if report, ok := record.Find[consent.Report](&s.Recording); ok && report.Revision == 1 &&
		note == counts(report.Revision) {
		note = "" // it replaces nothing, so there is nothing to say
	}
	which := `not (` + offersHeld + `) and not (` + offersRemoved + `)`
	if !record.Has[consent.Approval](r) && !record.Has[consent.Report](r) && p.What != workflow.PermitResume {
		which += ` and not (` + offersToGoOn + `)`
	}
	if own := s.answered(); own != "" {
		if err := s.turn.unbutton(ctx, tx, note, brief, own+` and `+which); err != nil {
			return err
		}
		note, which = answeredBelow, which+` and not (`+s.stays()+`)`
	} else if note == answeredBelow {
		which += ` and not (` + offersDecision + `)`
	} else if !s.update.stops() {
		which += ` and not (` + offersAfterPush + `)`
	}
	return s.turn.unbutton(ctx, tx, note, brief, which)
}

// answered is the SQL condition on the messages that the recording answers, if the note of it belongs below these
// alone; empty: below all. Nobody's word is put below what it did not answer.
func (s settling) answered() string {
	p, _ := record.Find[consent.Permission](&s.Recording)
	answer, answers := record.Find[progress.Answer](&s.Recording)
	switch {
	case s.update.stops():
		return ""
	case record.Has[consent.Approval](&s.Recording):
		return `(` + offersRevision + ` or ` + offersTakeUp + `)`
	case p.What == workflow.PermitResume && p.Revision > 0:
		return `(` + offersToGoOn + `)`
	case record.Has[consent.Allowance](&s.Recording):
		return `(` + offersPush + `)`
	case answers && answer.TakesDefaults:
		return `(` + offersAnswer + ` or ` + offersDefaults + `)`
	case answers:
		return `(` + offersAnswer + `)`
	}
	return ""
}

// stays is the SQL condition on the messages whose buttons stay, beside those that the recording answers. An approval
// and an answer end what was asked before; the defaults of a question end with its answer.
func (s settling) stays() string {
	switch {
	case record.Has[consent.Approval](&s.Recording):
		return offersAfterPush
	case record.Has[progress.Answer](&s.Recording):
		return offersRevision + ` or ` + offersTakeUp + ` or ` + offersPush + ` or ` + offersAfterPush
	}
	return offersDecision
}

// SQL conditions on what a message's buttons offer. A decision waits for a person
// who may take it, so remarks, questions and the answers to them leave it open.
const (
	offersDecision = offersRevision + ` or ` + offersPush + ` or ` + offersAnswer + ` or ` + offersDefaults +
		` or ` + offersTakeUp + ` or ` + offersAfterPush
	offersPush   = `buttons::jsonb @> '[{"ActionID": "push_it"}]'`
	offersTakeUp = `buttons::jsonb @> '[{"ActionID": "take_up"}]'`
	// What can be done about a pushed change is open until somebody who may decide has decided, or a stop.
	offersAfterPush = `buttons::jsonb @> '[{"ActionID": "backport"}]' or buttons::jsonb @> '[{"ActionID": "mend"}]'`
	// A question is shown with its options, and a revision with the buttons that approve it.
	offersAnswer   = `buttons::jsonb @> '[{"ActionID": "option"}]'`
	offersDefaults = `buttons::jsonb @> '[{"ActionID": "take_defaults"}]'`
	offersRevision = `(buttons::jsonb @> '[{"ActionID": "fix_it"}]' or buttons::jsonb @> '[{"ActionID": "confirm"}]')`
	// Details buttons stay, since they decide nothing.
	offersMore    = `exists (select 1 from jsonb_array_elements(buttons::jsonb) b where b->>'ActionID' <> 'details')`
	details       = `(select jsonb_agg(b)::json from jsonb_array_elements(buttons::jsonb) b where b->>'ActionID' = 'details')`
	offersHeld    = `buttons::jsonb @> '[{"ActionID": "pass_on"}]'`
	offersToGoOn  = `buttons::jsonb @> '[{"ActionID": "go_on"}]'`
	offersRemoved = `buttons::jsonb @> '[{"ActionID": "put_back"}]'`
)

// asksInSpite is the condition that a message asks whether to push in spite of an objection.
const asksInSpite = `exists (select 1 from buttons b join allowances w on w.id = b.means
	where b.session_id = $1 and b.action_id = 'push_it' and w.objections <> '{}'
		and b.id = outbox.buttons::jsonb -> 0 ->> 'Value')`

func texts(ids []int64) (list []string) {
	for _, id := range ids {
		list = append(list, strconv.FormatInt(id, 10))
	}
	return list
}

// unbutton removes the buttons, except details, from the messages that match the
// SQL condition in which, and puts note below them; args are its parameters from
// $2 on. Messages that match the condition in brief keep only their first line.
func (t *Turn) unbutton(ctx context.Context, tx pgx.Tx, note, brief, which string, args ...any) error {
	which = `session_id = $1 and ` + offersMore + ` and settled is null and ` + which
	args = append([]any{t.id}, args...)
	last := "$" + strconv.Itoa(len(args)+1)
	var waits bool
	err := tx.QueryRow(ctx, `select exists (select 1 from outbox where `+which+`)`, args...).Scan(&waits)
	if err != nil || !waits {
		return err
	}
	// The job first, then the outbox rows: a poster locks them in this order, too.
	if err := t.store.Queue.InsertPost(ctx, tx, t.id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `select 1 from outbox where `+which+` order by id for update`, args...); err != nil {
		return err
	}
	args = append(args, note)
	// A message whose posting was never tried, or was refused, is posted without its buttons.
	if _, err = tx.Exec(ctx, `update outbox set settled = `+last+`, buttons = `+details+` where `+which+` and (batch is null or refused is not null)`, args...); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `with answered as (
			update outbox set settled = `+last+` where `+which+` and refused is null
			returning key, line_id, `+details+` as details, `+brief+` as brief)
		insert into outbox (key, session_id, line_id, buttons, alone, rewrites, brief)
		select key || ':settled', $1, line_id, details, true, key, brief from answered order by line_id`, args...)
	return err
}

// endQuestion ends the waiting for an answer to a question whose buttons the recording removes, or whose work
// it pushed, which removes the question's own buttons only: what is written later is about what was shown or
// decided since. A message that is judged with the question still waiting ends nothing, and an answer ends its
// own question.
func (s settling) endQuestion(ctx context.Context, tx pgx.Tx, note string) error {
	if p, ok := record.Find[consent.Push](&s.Recording); ok && p.State == workflow.PushDone && note == "" {
		note = "Pushed."
		if err := s.turn.unbutton(ctx, tx, note, "false", `(`+offersAnswer+` or `+offersDefaults+`)`); err != nil {
			return err
		}
	}
	if note == "" || note == answeredBelow || record.Has[progress.Answer](&s.Recording) {
		return nil
	}
	return progress.EndQuestion(ctx, tx, s.Recording.Session, note)
}

// answers says in words what the recording answers. It returns an empty string if it answers nothing.
func (s settling) answers() string {
	if a, ok := record.Find[consent.Approval](&s.Recording); ok {
		return "Approved by " + a.UserName + "."
	}
	if p, ok := record.Find[consent.Permission](&s.Recording); ok && p.What == workflow.PermitResume && p.Revision > 0 {
		return "Going on, as " + p.UserName + " says."
	}
	if w, ok := record.Find[consent.Allowance](&s.Recording); ok {
		if w.User == "" {
			return "Asked again below."
		}
		return "Push allowed by " + w.UserName + "."
	}
	if d, ok := record.Find[consent.Decision](&s.Recording); ok && d.What == "join" && d.Allowed {
		return "Joined to another thread."
	}
	if s.update.stops() {
		return "Stopped."
	}
	if a, ok := record.Find[progress.Answer](&s.Recording); ok {
		return cmp.Or(a.Note, "Answered: "+plaintext.QuoteLine(plaintext.CutLine(a.Text, 120)))
	}
	if report, ok := record.Find[consent.Report](&s.Recording); ok {
		return counts(report.Revision)
	}
	if d, ok := record.Find[consent.Decision](&s.Recording); ok && d.What == "repository" && d.Allowed {
		return "The repository " + d.Reason + " was chosen."
	}
	if s.update.opens() && record.Has[inbox.Handled](&s.Recording) {
		return answeredBelow
	}
	return ""
}

// counts returns the note below the messages that a newer revision replaces.
func counts(revision int) string { return fmt.Sprintf("Revision %d below counts now.", revision) }

// answeredBelow is the note below a message whose buttons a later message has made obsolete.
const answeredBelow = "Answered below."
