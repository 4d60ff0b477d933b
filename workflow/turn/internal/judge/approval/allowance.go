package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// PendingAllowance returns the allowance that the thread was asked for and has not given yet, or nil if there
// is none. The session pauses with the question. When it has answered what people wrote below it, it rests at
// work or as answered, and the question still waits. While the work is stopped, it does not.
func (ap *Approvals) PendingAllowance(ctx context.Context) (*workflow.Allowance, error) {
	s := ap.Session()
	rests := !s.Open && (s.Phase == workflow.PhaseWorking || s.Phase == workflow.PhaseAnswered)
	if s.Halted != "" || s.Phase != workflow.PhasePaused && !rests {
		return nil, nil
	}
	w, err := ap.askedAllowance(ctx)
	if err != nil || w == nil || w.User != "" {
		return nil, err
	}
	return w, nil
}

// askedAllowance returns the newest allowance that the thread was asked for under the standing approval,
// given or not.
func (ap *Approvals) askedAllowance(ctx context.Context) (*workflow.Allowance, error) {
	a, err := ap.StandingApproval(ctx)
	if err != nil || a == nil {
		return nil, err
	}
	return ap.Store.Allowance(ctx, a.ID)
}

// whyNoAllowance returns why nobody can allow a push at this moment, as whyNoPushWaits does.
func (ap *Approvals) whyNoAllowance(ctx context.Context) (reason, said string, err error) {
	w, err := ap.askedAllowance(ctx)
	if err != nil {
		return "", "", err
	}
	s := ap.Session()
	given := w != nil && w.User != ""
	reason, said = whyNoPushWaits(s, w != nil && !given)
	switch {
	case !given || s.Halted != "" || s.Phase == workflow.PhaseDone:
	case s.Open:
		said += " I ask again if one needs another word."
	default: // nobody pushes before somebody writes
		said += " Reply \"go on\": I try it, and ask again if it needs another word."
	}
	return reason, said, nil
}

// whyNoPushWaits returns why nobody can allow a push at this moment: a reason for the log, and words for the
// thread. asked says whether the thread was asked for one.
func whyNoPushWaits(s workflow.Session, asked bool) (reason, said string) {
	switch {
	case s.Halted != "":
		return "the work is stopped",
			"The work is stopped. Once an approver has said \"go on\", I ask about the push again."
	case asked && (s.Open || s.Phase == workflow.PhaseConsulting):
		return "the thread is being read", "I am still reading what was written below this question. " +
			"Its button stays: press once more when I have answered."
	}
	return "no push waits", "No push waits for an answer right now."
}

// wordsMissing returns what a message that allows a push has to say beside: that it is done all the same, if
// somebody objects, or that it is unproven. A press names its question, which says both.
func wordsMissing(m intent.Message, w workflow.Allowance) (reason, said string) {
	switch value := m.Says.Push.Value; {
	case m.Kind != workflow.MessageAction && value != "" && !workflow.ShowsExpected(w.Expectations, value):
		return "another value",
			fmt.Sprintf("You write that %s is right; the question is about something else. "+
				"To have the files as they are, reply \"push it\".", value)
	case m.Kind == workflow.MessageAction || m.Says.Push.AllTheSame:
		return "", ""
	case len(w.Objections) > 0:
		return "somebody objects",
			"Somebody objects to this. To push the branch anyway, reply \"push all the same\"."
	case m.Says.Push.ByCI && w.CI == workflow.CINone:
		words := "push it"
		if w.Unproven != "" {
			words += " unproven"
		}
		return "CI is not offered", fmt.Sprintf("I did not offer CI for these files. To push the branch, "+
			"reply %q.", words)
	case w.Unproven != "" && !m.Says.Push.Unproven && !m.Says.Push.ByCI:
		byCI := ""
		if w.CI != workflow.CINone {
			byCI = "; to have CI prove it, \"prove it by CI\""
		}
		return "it is unproven", fmt.Sprintf("Nothing of this was proven (%s). To push the branch anyway, "+
			"reply \"push it unproven\"%s.", w.Unproven, byCI)
	}
	return "", ""
}

// A PushAnswer is what a message or a press answers to the question whether a change may be pushed.
type PushAnswer struct {
	Question string // id of the allowance that the pressed button is for; empty for a message
	ByCI     bool   // the checks of CI are to prove it
}

// AllowPush judges a message or press that allows a push. It is judged like an approval. A message has to be
// written below the question, and has to say "unproven", or that CI proves it, if nothing was proven.
func (ap *Approvals) AllowPush(
	ctx context.Context, m intent.Message, p workflow.Person, answer PushAnswer,
) ([]store.Part, error) {
	refused := func(reason, said string) ([]store.Part, error) {
		return ap.Refuse(m, p, workflow.DecidePush, reason, said), nil
	}
	if no, may, err := ap.mayDecide(ctx, m, p, ap.Session().Revision, workflow.DecidePush); err != nil ||
		!may {
		return no, err
	}
	w, err := ap.PendingAllowance(ctx)
	switch {
	case err != nil:
		return nil, err
	case w == nil:
		reason, said, err := ap.whyNoAllowance(ctx)
		if err != nil {
			return nil, err
		}
		return refused(reason, said)
	case answer.Question != "" && answer.Question != w.ID:
		return refused("older files", "Those files changed since. Please answer the newest question.")
	case answer.ByCI && m.Kind == workflow.MessageAction && w.CI == workflow.CINone:
		return refused("CI is not offered", "CI is no longer offered for these files. To push the branch, "+
			"reply \"push it unproven\".")
	}
	if reason, said := wordsMissing(m, *w); reason != "" {
		return refused(reason, said)
	}
	posted := func() (string, bool, error) { return ap.Store.PostedTS(ctx, ap.Session().ID, w.Names) }
	if unread, err := ap.WrittenBeforeShown(ctx, m, posted); err != nil {
		return nil, err
	} else if unread {
		return refused("written before the question was shown",
			"That was written before I asked about these files. Please read it, and answer again.")
	}
	if talk, err := ap.TalkBelow(ctx, m); err != nil {
		return nil, err
	} else if talk && !m.Says.Push.Unproven && !m.Says.Push.AllTheSame && !m.Says.Push.ByCI {
		return refused(
			"others talk above",
			fmt.Sprintf("Was %s for me? To allow the push, press the button of the question, or write "+
				"\"push it\" once more.", ap.QuoteWords(ctx, m)),
		)
	}
	if f, err := ap.refuseEdited(ctx, m, p, workflow.DecidePush); f != nil || err != nil {
		return f, err
	}
	e, err := ap.endorsePush(ctx, permission.Asker{Message: m.Message, Person: p}, *w, answer.ByCI)
	switch {
	case err != nil:
		return ap.refuseUncounted(m, p, err), nil
	case e.again:
		return refused("said already by this person",
			fmt.Sprintf("You have allowed that already%s. %s", e.So(), e.Still()))
	case !e.Complete():
		return ap.awaitPush(m, p, *w, e), nil
	}
	if !answer.ByCI && !slices.ContainsFunc(e.By,
		func(x workflow.Endorsement) bool { return x.Scope == byCI }) {
		w.CI = workflow.CINone
	}
	w.Credit = p.Credit
	return append(ap.allowanceParts(m, p, *w), e.parts...), nil
}

// byCI limits a person's word to what CI proves: where several have to allow a push, the narrowest word
// counts.
const byCI = "by CI"

// endorsePush counts the word of a person for the files of the allowance. The words for the revision count,
// too, unless the allowance is for more than was approved: then as many people have to allow it as an
// approval needs. An objection is overruled by one.
func (ap *Approvals) endorsePush(
	ctx context.Context, by permission.Asker, w workflow.Allowance, ci bool,
) (e endorsed, err error) {
	report, err := ap.Store.Report(ctx, ap.Session().ID, ap.Session().Revision)
	if err != nil {
		return e, err
	}
	a, err := ap.StandingApproval(ctx)
	if err != nil || a == nil {
		return e, err
	}
	limit := ""
	if ci {
		limit = byCI
	}
	tree := workflow.TreeSubject(w.Tree)
	about := subject{Report: report, Subjects: []string{"", tree}, Needed: a.Needed, Files: w.Files}
	if w.Paths != "" || w.Unproven != "" || w.Expectations != "" {
		about.Subjects = []string{tree}
	}
	return ap.endorse(ctx, by, about, limit, workflow.PermitPush)
}

// awaitPush keeps the word of one person for a push, where others have to allow it, too.
func (ap *Approvals) awaitPush(
	m intent.Message, p workflow.Person, w workflow.Allowance, e endorsed,
) []store.Part {
	label, words := "Push it", "push it"
	switch {
	case len(w.Objections) > 0:
		label, words = "Push all the same", "push all the same"
	case w.Unproven != "":
		label, words = "Push it unproven", "push it unproven"
	}
	buttons := []workflow.Button{{
		ActionID: workflow.ButtonPush, Label: label + workflow.TooLabel, Style: "primary",
		Value: store.NewToken(), Means: w.ID,
	}}
	if w.CI != workflow.CINone {
		buttons = append(buttons, workflow.Button{
			ActionID: workflow.ButtonProveByCI, Label: "Prove it by CI", Value: store.NewToken(), Means: w.ID,
		})
	}
	said := strings.Join(append(e.Lost, fmt.Sprintf("Push allowed by %s%s.", plaintext.OneLine(p.Name),
		e.So()),
		e.Still(), fmt.Sprintf("Reply %q.", words)), " ")
	lines := ap.ProgramLine(said, buttons...)
	lines[0].Mentions = e.Mentions
	return slices.Concat(ap.Ignore(m), e.parts, []store.Part{store.Replies(lines), consent.Decision{
		What: workflow.DecidePush, Allowed: true, Reason: "tree " + w.Tree + e.So(), User: p.ID,
		MessageTS: m.TS, Revision: ap.Session().Revision,
	}})
}

// allowanceParts returns the parts that give an allowance. What CI may prove by it is in w.CI.
func (ap *Approvals) allowanceParts(
	m intent.Message, p workflow.Person, w workflow.Allowance,
) []store.Part {
	f := ap.ForAgents(m, fmt.Sprintf("%s allowed the push of exactly these files. Change nothing, "+
		"and call finish again.", prompt.PersonName(p.Name)))
	said := "Push allowed by " + p.Name
	reason := "tree " + w.Tree
	switch {
	case w.CI != workflow.CINone:
		said += ", for CI to prove it"
		reason += ", by CI: " + w.Unproven
	case w.Unproven != "":
		said = said + ", unproven"
		reason = reason + ", unproven: " + w.Unproven
	}
	if len(w.Objections) > 0 {
		said = said + ", all the same"
		reason = fmt.Sprint(reason, ", in spite of the objections ", w.Objections)
	}
	if w.Expectations != "" {
		said = said + ", with the changed expectations"
		reason = reason + ", changed expectations: " + w.Expectations
	}
	f = append(f, store.Lines(ap.ProgramLine(said+".")))
	w.User = p.ID
	w.UserName = p.Name
	w.MessageTS = m.TS
	f = append(f, consent.Allowance(w))
	f = append(f, permission.NewPermission(m.Message, p, workflow.PermitPush, ap.Session().Revision))
	f = append(f, consent.Decision{
		What:      workflow.DecidePush,
		Allowed:   true,
		Reason:    reason,
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  ap.Session().Revision,
	})
	return f
}
