package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// offerForm does nothing if the gateway opened a modal for the press. If the person may not use it, offerForm
// refuses the press like what would be sent with the form. If Slack did not open it, it says how to say the
// same in a message.
func (j *Judge) offerForm(
	ctx context.Context, m intent.Message, p workflow.Person, b pressedButton,
) ([]store.Part, error) {
	if m.Text == workflow.FormOpened {
		return j.Ignore(m), nil
	}
	refused, err := j.refuseForm(ctx, m, p, b)
	if refused != nil || err != nil {
		return refused, err
	}
	return j.sayInWords(m, p, b.means), nil
}

// refuseForm returns the refusal of a press whose form the person may not use, or nil if the person may.
func (j *Judge) refuseForm(
	ctx context.Context, m intent.Message, p workflow.Person, b pressedButton,
) ([]store.Part, error) {
	switch m.ActionID {
	case workflow.ButtonFixLimited:
		if why, _, err := j.Permissions.ApprovalRefusal(ctx, p); why != "" || err != nil {
			return j.Approvals.Approve(ctx, m, p, b.revision, "")
		}
	case workflow.ButtonRepository, workflow.ButtonBase:
		what := workflow.DecideRepository
		if m.ActionID == workflow.ButtonBase {
			what = workflow.DecideBase
		}
		if name := j.Session().Repository; name != "" {
			return j.refuseChoice(ctx, m, p, name, what)
		}
	}
	return nil, nil
}

// sayInWords says how to say in a message what a form would ask for.
func (j *Judge) sayInWords(m intent.Message, p workflow.Person, means string) []store.Part {
	switch {
	case m.ActionID == workflow.ButtonRepository:
		return j.Answer(m, p.Name+": which repository is it?", j.Catalog.ChoiceButtons()...)
	case m.ActionID == workflow.ButtonBase:
		return j.Answer(m, p.Name+": reply `branch: NAME`. There are: "+
			plaintext.FirstOf(strings.Split(means, "\n"), maxBranches)+".")
	case m.ActionID == workflow.ButtonFixLimited:
		return j.Answer(m,
			p.Name+`: reply "fix it, but …" or "fix only …", and what you say there is the limit.`)
	case m.ActionID == workflow.ButtonDetails:
		return j.Answer(m, "Details:\n"+means)
	case m.ActionID == workflow.ButtonAskStop:
		return j.Answer(m, p.Name+`: reply "stop" to stop it.`)
	}
	return j.Answer(m, p.Name+": write in a reply what is wrong or missing, and I look again.")
}

// maxBranches is how many branches one line names.
const maxBranches = 10

// judgeForm judges what a person submitted in a modal. The row of the modal's button says what it is
// about.
func (j *Judge) judgeForm(ctx context.Context, c *Case) ([]store.Part, error) {
	m := c.Message
	p := c.person()
	revision, means, ok, err := j.Button(ctx, m.ActionID, m.Value)
	if err != nil {
		return nil, err
	}
	if !ok {
		j.Log.Warn("a form of a button that was never shown", "user", m.User, "action", m.ActionID)
		return j.Ignore(m), nil
	}
	switch m.ActionID {
	case workflow.ButtonCorrect:
		return j.judgeCorrection(ctx, c, revision)
	case workflow.ButtonFixLimited:
		return j.Approvals.Approve(ctx, m, p, revision, m.Text)
	case workflow.ButtonAskStop:
		return j.stopSession(ctx, m, p)
	case workflow.ButtonRepository, workflow.ButtonBase:
		if !c.maySpeak() {
			return j.Held.RefusePress(ctx, m, p, workflow.DecideSpeak, get(c, &c.held)), nil
		}
		if m.ActionID == workflow.ButtonRepository {
			return j.chooseRepository(ctx, m, p, m.Text)
		}
		if slices.Contains(strings.Split(means, "\n"), m.Text) {
			return j.chooseBase(ctx, m, p, m.Text)
		}
	}
	return j.Ignore(m), nil
}

// judgeCorrection judges a correction from a modal like a reply, and quotes it in the thread, where a
// modal leaves nothing. It is never an approval, whatever it says, but it can be a stop. A correction of
// an older revision counts, too; both the thread and the agents are told that a newer one exists.
func (j *Judge) judgeCorrection(
	ctx context.Context, c *Case, revision int,
) (f []store.Part, err error) {
	m := c.Message
	p := c.person()
	s := c.Session
	about := fmt.Sprintf("revision %d", revision)
	if revision != s.Revision {
		about += fmt.Sprintf(" (the newest is revision %d)", s.Revision)
	}
	said := p.Name + " corrects:"
	if revision > 0 {
		said = p.Name + " corrects " + about + ":"
	}
	consent := c.says().Consent
	switch sounds := consent.Kind; {
	case c.saysStop():
		if f, err = j.stopSession(ctx, m, p); err != nil {
			return f, err
		}
	case !c.maySpeak():
		if f, err = j.Held.HoldWords(ctx, m, p, get(c, &c.held)); err != nil {
			return nil, err
		}
	case c.awaitsConsent() && (sounds == intent.ConsentApprove || sounds == intent.ConsentScoped ||
		sounds == intent.ConsentUnclear):
		f = j.Approvals.AskConsent(ctx, m, p, consent)
	default:
		told := fmt.Sprintf("%s corrects %s:\n%s", prompt.PersonName(p.Name), about,
			prompt.Fence("message", m.Text))
		f = j.ForAgents(m, told)
	}
	return append([]store.Part{store.Lines(j.ProgramLine(said + "\n" + prompt.Quote(m.Text)))}, f...), nil
}
