// Package settlement decides which messages lose their buttons when something is recorded: a recording that
// opens the session again, stops it, or shows a newer report has answered what was asked before. Nobody's
// word is put below what it did not answer.
//
// The rows of the buttons stay, so a press that was on its way is still judged, and answered as too late.
// Offers to people who may approve stay longer: held messages until they are passed on, removed code until it
// is put back, and stopped work until it goes on or another revision is shown or approved. The button below
// the count of alerts stays, too: it is about another problem.
package settlement

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// Rule is the store.SettleRule of all turns.
func Rule(parts []store.Part) store.Settlement {
	d := decide(parts)
	settlement := store.Settlement{EndQuestion: d.endsQuestion()}
	steps := slices.Concat(d.offersTaken(), d.endorsed(), d.pushed(), d.answered())
	if len(steps) > 0 {
		settlement.Settle = func(open []store.OpenMessage) []store.SettledMessage {
			return settle(steps, open)
		}
	}
	return settlement
}

// A step says which of the messages that are still open lose their buttons, and what is put below them.
type step struct {
	note  string
	which func(store.OpenMessage) bool
	brief func(store.OpenMessage) bool // these keep only their first line; nil: none does
}

// settle takes the steps in their order. A message loses its buttons once.
func settle(steps []step, open []store.OpenMessage) (settled []store.SettledMessage) {
	for _, s := range steps {
		var rest []store.OpenMessage
		for _, m := range open {
			if !s.which(m) {
				rest = append(rest, m)
				continue
			}
			brief := s.brief != nil && s.brief(m)
			settled = append(settled, store.SettledMessage{ID: m.ID, Note: s.note, Brief: brief})
		}
		open = rest
	}
	return settled
}

// A decision is what a recording decides, as far as buttons are concerned.
type decision struct {
	parts      []store.Part
	permission consent.Permission
	approval   consent.Approval
	allowance  consent.Allowance
	report     consent.Report
	answer     progress.Answer

	approves, allows, reports, answers bool // it has such a part
	stops, opens                       bool
	note                               string // what it answers, in words; empty: nothing
}

func decide(parts []store.Part) decision {
	update := store.Combined(parts)
	d := decision{parts: parts, stops: update.Stops(), opens: update.Opens()}
	d.permission, _ = ledger.Find[consent.Permission](parts)
	d.approval, d.approves = ledger.Find[consent.Approval](parts)
	d.allowance, d.allows = ledger.Find[consent.Allowance](parts)
	d.report, d.reports = ledger.Find[consent.Report](parts)
	d.answer, d.answers = ledger.Find[progress.Answer](parts)
	d.note = d.whatIsAnswered()
	return d
}

// resumes reports whether the recording lets stopped work go on that was reported before.
func (d decision) resumes() bool {
	return d.permission.What == workflow.PermitResume && d.permission.Revision > 0
}

// answeredBelow is the note below a message whose buttons a later message has made obsolete.
const answeredBelow = "Answered below."

// whatIsAnswered says in words what the recording answers. It returns an empty string if it answers nothing.
func (d decision) whatIsAnswered() string {
	decided, _ := ledger.Find[consent.Decision](d.parts)
	_, handles := ledger.Find[inbox.Handled](d.parts)
	switch {
	case d.approves:
		return "Approved by " + workflow.Approval(d.approval).Names() + "."
	case d.resumes():
		return "Going on, as " + d.permission.UserName + " asked."
	case d.allows && d.allowance.User == "":
		return "Asked again below."
	case d.allows:
		return "Push allowed by " + d.allowance.UserName + "."
	case decided.What == workflow.DecideJoin && decided.Allowed:
		return "Joined to another thread."
	case d.stops:
		return "Stopped."
	case d.answers:
		return cmp.Or(d.answer.Note, "Answered: "+plaintext.QuoteLine(plaintext.CutLine(d.answer.Text, 120)))
	case d.reports:
		return countsNow(d.report.Revision)
	case decided.What == workflow.DecideRepository && decided.Allowed:
		return "The repository " + decided.Reason + " was chosen."
	case decided.What == workflow.DecideBase && decided.Allowed:
		return "Begun again below."
	case d.opens && handles:
		return answeredBelow
	}
	return ""
}

// countsNow returns the note below the messages that a newer revision replaces.
func countsNow(revision int) string { return fmt.Sprintf("Revision %d below counts now.", revision) }

// offersTaken returns the steps for offers that a person took: held messages that are passed on, removed code
// that is put back, and the base that is merged. A withdrawn objection ends the question whether to push in
// spite of it.
func (d decision) offersTaken() (steps []step) {
	if passed, _ := ledger.Find[inbox.Passed](d.parts); len(passed) > 0 && d.permission.ID != "" {
		steps = append(steps, step{
			note: "Passed on by " + d.permission.UserName + ".",
			which: func(m store.OpenMessage) bool {
				row, err := strconv.ParseInt(m.Means, 10, 64)
				return offersFirst(m, workflow.ButtonPassOn) && err == nil && slices.Contains(passed, row)
			},
		})
	}
	if removed, ok := ledger.Find[consent.Removal](d.parts); ok && removed.User != "" {
		steps = append(steps, step{
			note: "Put back by " + removed.UserName + ".",
			which: func(m store.OpenMessage) bool {
				return offersFirst(m, workflow.ButtonPutBack) && m.Means == removed.Hash
			},
		})
	}
	if _, ordered := ledger.Find[merges.Order](d.parts); ordered {
		steps = append(steps, step{
			note:  "Ordered by " + d.approval.UserName + ".",
			which: func(m store.OpenMessage) bool { return offers(m, workflow.ButtonMergeBase) },
		})
	}
	if _, withdraws := ledger.Find[consent.Withdrawal](d.parts); withdraws {
		inSpite := func(m store.OpenMessage) bool { return m.InSpite }
		steps = append(steps, step{note: "An objection was taken back.", which: inSpite})
	}
	return steps
}

// endorsed returns the step for the word of one person of several: the line that said before who else has to
// say yes loses its buttons. The report, or the question, keeps its own until enough people have.
func (d decision) endorsed() []step {
	_, endorses := ledger.Find[consent.Endorsement](d.parts)
	_, asksAgain := ledger.Find[store.Replies](d.parts)
	if !endorses || d.approves || d.allows || !asksAgain {
		return nil
	}
	return []step{{note: "Asked again below.", which: func(m store.OpenMessage) bool {
		return slices.ContainsFunc(m.Buttons, func(b workflow.Button) bool {
			return strings.HasSuffix(b.Label, workflow.TooLabel)
		})
	}}}
}

// pushes reports whether the recording ends a push, and answers nothing else.
func (d decision) pushes() bool {
	push, ok := ledger.Find[consent.Push](d.parts)
	return ok && push.State == workflow.PushDone && d.note == ""
}

// pushed returns the step after a push, which removes the buttons of a question only: what is written later
// is about what was pushed.
func (d decision) pushed() []step {
	if !d.pushes() {
		return nil
	}
	return []step{{note: "Pushed.", which: offersAnswerOrDefaults}}
}

// endsQuestion returns the note of what ends the waiting for an answer, or an empty string: what is written
// later is about what was shown or decided since. A message that is judged with the question still waiting
// ends nothing, and an answer ends its own question.
func (d decision) endsQuestion() string {
	switch {
	case d.pushes():
		return "Pushed."
	case d.answers || d.note == answeredBelow:
		return ""
	}
	return d.note
}

// answered returns the steps for what the recording answers: its note is put below that alone, and what else
// it made obsolete is answered below.
func (d decision) answered() []step {
	if d.note == "" {
		return nil
	}
	note := d.note
	if d.reports && d.report.Revision == 1 && note == countsNow(1) {
		note = "" // it replaces nothing, so there is nothing to say
	}
	ends := func(m store.OpenMessage) bool {
		stays := offers(m, workflow.ButtonPassOn, workflow.ButtonPutBack, workflow.ButtonNotSame)
		return !stays && (d.endsGoOn() || !offers(m, workflow.ButtonGoOn))
	}
	if own := d.own(); own != nil {
		return []step{
			{note, func(m store.OpenMessage) bool { return own(m) && ends(m) }, d.brief()},
			{answeredBelow, func(m store.OpenMessage) bool { return ends(m) && !d.stays(m) }, d.brief()},
		}
	}
	return []step{{note, func(m store.OpenMessage) bool {
		switch {
		case note == answeredBelow:
			return ends(m) && !offersDecision(m)
		case !d.stops:
			return ends(m) && !offersAfterPush(m)
		}
		return ends(m)
	}, d.brief()}}
}

// endsGoOn reports whether the recording ends the offer to let stopped work go on.
func (d decision) endsGoOn() bool {
	return d.approves || d.reports || d.permission.What == workflow.PermitResume
}

// own returns which messages the recording answers, if its note belongs below these alone; nil: below all.
func (d decision) own() func(store.OpenMessage) bool {
	switch {
	case d.stops:
		return nil
	case d.approves:
		return func(m store.OpenMessage) bool { return offersRevision(m) || offers(m, workflow.ButtonTakeUp) }
	case d.resumes():
		return func(m store.OpenMessage) bool { return offers(m, workflow.ButtonGoOn) }
	case d.allows:
		return func(m store.OpenMessage) bool { return offers(m, workflow.ButtonPush) }
	case d.answers && d.answer.TakesDefaults:
		return offersAnswerOrDefaults
	case d.answers:
		return func(m store.OpenMessage) bool { return offers(m, workflow.ButtonOption) }
	}
	return nil
}

// stays reports whether a message keeps its buttons, beside those that the recording answers. An approval and
// an answer end what was asked before; the defaults of a question end with its answer.
func (d decision) stays(m store.OpenMessage) bool {
	switch {
	case d.approves:
		return offersAfterPush(m)
	case d.answers:
		return offersRevision(m) || offers(m, workflow.ButtonTakeUp, workflow.ButtonPush) ||
			offersAfterPush(m)
	}
	return offersDecision(m)
}

// brief returns which messages keep only their first line: a question with its answer, and a report that a
// newer one repeats.
func (d decision) brief() func(store.OpenMessage) bool {
	switch {
	case d.answers:
		return func(m store.OpenMessage) bool { return offers(m, workflow.ButtonOption) }
	case d.reports && !d.approves:
		return offersRevision
	}
	return nil
}

// offers reports whether a message has one of the buttons.
func offers(m store.OpenMessage, buttons ...workflow.ActionID) bool {
	return slices.ContainsFunc(m.Buttons,
		func(b workflow.Button) bool { return slices.Contains(buttons, b.ActionID) })
}

// offersFirst reports whether the first button of a message is that one. Means is what it stands for.
func offersFirst(m store.OpenMessage, button workflow.ActionID) bool {
	return len(m.Buttons) > 0 && m.Buttons[0].ActionID == button
}

// offersRevision reports whether a message has a button that approves a revision.
func offersRevision(m store.OpenMessage) bool {
	return offers(m, workflow.ButtonFix, workflow.ButtonConfirm)
}

// offersAnswerOrDefaults reports whether a message has the options of a question, or a button that takes its
// recommended answers.
func offersAnswerOrDefaults(m store.OpenMessage) bool {
	return offers(m, workflow.ButtonOption, workflow.ButtonTakeDefaults)
}

// offersAfterPush reports whether a message says what can be done about a pushed change, which is open until
// somebody who may decide has decided, or a stop.
func offersAfterPush(m store.OpenMessage) bool {
	return offers(m, workflow.ButtonBackport, workflow.ButtonFixThere, workflow.ButtonMergeBase)
}

// offersDecision reports whether a message waits for a person who may take a decision. Remarks, questions and
// the answers to them leave it open.
func offersDecision(m store.OpenMessage) bool {
	return offersRevision(m) || offersAnswerOrDefaults(m) || offersAfterPush(m) ||
		offers(m, workflow.ButtonPush, workflow.ButtonTakeUp)
}
