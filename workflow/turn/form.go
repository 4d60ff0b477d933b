package turn

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// formPressed: where the modal is open the press has said all; where Slack did not open
// it, the same can be said in words.
func (in *Intake) formPressed(m workflow.Message, p workflow.Person) []store.Part {
	switch {
	case m.Text == workflow.FormOpened:
		return in.Approvals.ignore(m)
	case m.ActionID == workflow.ActionRepository:
		return in.Approvals.answer(m, p.Name+": which repository is it?", in.Catalog.repositoryButtons()...)
	case m.ActionID == workflow.ActionFixLimited:
		return in.Approvals.answer(m, p.Name+`: reply "fix it, but …" or "fix only …", and what you say there is the limit.`)
	}
	return in.Approvals.answer(m, p.Name+": write in a reply what is wrong or missing, and I look again.")
}

// filled judges what somebody sent in a modal; its button's row says of what.
func (in *Intake) filled(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	revision, _, ok, err := in.Button(ctx, m.ActionID, m.Value)
	if err != nil {
		return nil, err
	}
	if !ok {
		in.log.Warn("a form of a button that was never shown", "user", m.User, "action", m.ActionID)
		return in.Approvals.ignore(m), nil
	}
	switch m.ActionID {
	case workflow.ActionCorrect:
		return in.corrected(ctx, m, p, revision)
	case workflow.ActionFixLimited:
		return in.Approvals.approve(ctx, m, p, revision, m.Text)
	case workflow.ActionRepository:
		if why, err := in.Permissions.heldBack(ctx, p); why != "" || err != nil {
			return in.Approvals.waitsFor(m, p, "speak", why), err
		}
		return in.choseRepository(ctx, m, p, m.Text)
	}
	return in.Approvals.ignore(m), nil
}

// corrected takes a correction in as if it had been a reply, and shows it to everybody: a
// modal leaves nothing in the thread. It is never an approval, whatever it says; a stop is
// one. A newer report makes it no less worth knowing, but both sides are told.
func (in *Intake) corrected(ctx context.Context, m workflow.Message, p workflow.Person, revision int) (f []store.Part, err error) {
	s := in.Session()
	held, err := in.Permissions.heldBack(ctx, p)
	if err != nil {
		return f, err
	}
	about := fmt.Sprintf("revision %d", revision)
	if revision != s.Revision {
		about += fmt.Sprintf(" (the newest is revision %d)", s.Revision)
	}
	said := p.Name + " corrects:"
	if revision > 0 {
		said = p.Name + " corrects " + about + ":"
	}
	consent := intent.ReadConsent(m.Text)
	switch sounds := consent.Kind; {
	case sounds == intent.ConsentStop:
		if f, err = in.stop(ctx, m, p); err != nil {
			return f, err
		}
	case held != "":
		f = in.Approvals.holdWords(m, p, held)
	case in.waitsForConsent() && (sounds == intent.ConsentApprove || sounds == intent.ConsentScoped || sounds == intent.ConsentUnclear):
		f = in.Approvals.askConsent(m, p, consent.Scope)
	default:
		told := fmt.Sprintf("%s corrects %s:\n%s", called(p.Name), about, fence("message", m.Text))
		f = in.Approvals.forAgents(m, told)
	}
	return append([]store.Part{store.Lines(in.program(said + "\n" + quoted(m.Text)))}, f...), nil
}

// quoted are somebody's own words, as a quote.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}

// entered gives the words of a form back that came to nothing, so that they are not lost.
func entered(m workflow.Message) string {
	if m.Kind != workflow.IncomingForm {
		return ""
	}
	return " What you entered was:\n" + quoted(m.Text)
}
