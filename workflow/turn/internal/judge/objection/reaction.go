package objection

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
)

// Reacted judges a reaction. One that says no objects to approved work under its report, its card, its
// approval or the question before its push, until it is removed. Any other permits nothing, which its person
// alone is told, once for each message.
func (o *Objections) Reacted(
	ctx context.Context, m intent.Message, p workflow.Person,
) ([]store.Part, error) {
	target, err := o.Inbox().Target(ctx, m.Message, o.Session().ThreadOf(m.TS))
	if err != nil || target == inbox.NoTarget {
		return o.Ignore(m), err
	}
	if m.ActionID == workflow.ReactionRemoved {
		return o.removed(ctx, m, p)
	}
	if removed, err := o.Inbox().RemovedSince(ctx, m.Message); err != nil || removed {
		return o.Ignore(m), err
	}
	a, err := o.contested(ctx)
	switch {
	case err != nil:
		return nil, err
	case !intent.RefusingReaction(m.Value):
		return o.hint(m, "permits nothing", o.howToPermit(target, a)), nil
	case a != nil:
		return o.reactedAgainst(ctx, m, p, a)
	case o.AwaitsConsent():
		return o.hint(m, "waits", "Noted. Nothing runs before somebody approves. "+
			"Say what is wrong, or press \"Correct…\"."), nil
	}
	pushed, err := o.PushedLine(ctx, p)
	return o.hint(m, "pushed", pushed), err
}

// reactedAgainst returns the parts of a reaction that objects to approved work. Whoever objected before is
// not told again.
func (o *Objections) reactedAgainst(
	ctx context.Context, m intent.Message, p workflow.Person, a *workflow.Approval,
) ([]store.Part, error) {
	own, err := o.Own(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	m.Text = m.Value
	f := append(o.Ignore(m), o.objection(ctx, m, p, a, workflow.ObjectionByReaction),
		o.decided(m, p, "reacted with :"+m.Value+":"))
	ends, takenBack, err := o.TakeBack(ctx, p)
	if err != nil || ends != nil {
		return append(append(f, ends...), store.Lines(o.ProgramLine(takenBack))), err
	}
	if len(own) > 0 {
		return f, nil
	}
	said, err := o.noted(ctx, p, a)
	return append(f, store.Lines(o.ProgramLine(said))), err
}

// removed takes back what the person objected by that reaction.
func (o *Objections) removed(
	ctx context.Context, m intent.Message, p workflow.Person,
) ([]store.Part, error) {
	own, err := o.ownReaction(ctx, m)
	if err != nil || len(own) == 0 {
		return o.Ignore(m), err
	}
	return o.Withdraw(m, p, own), nil
}

// hint shows words to the person who reacted, alone and once for each message and reason. Without words it
// shows nothing.
func (o *Objections) hint(m intent.Message, reason, said string) []store.Part {
	if said == "" {
		return o.Ignore(m)
	}
	key := m.TS + ":" + m.User + ":" + reason
	return append(o.Ignore(m), store.Hint{Key: key, User: m.User, Text: o.ProgramLine(said)[0].String()})
}

// howToPermit says what permits what waits at the target, or nothing if nothing waits there.
func (o *Objections) howToPermit(target inbox.Target, a *workflow.Approval) string {
	label, words := "Fix it", "fix it"
	switch kind := o.Session().ReportKind; {
	case target == inbox.PushTarget && a != nil:
		return "A reaction allows nothing: press the button, or write the words that the question names."
	case target != inbox.ReportTarget || !o.AwaitsConsent():
		return ""
	case o.Session().Phase == workflow.PhaseAligning:
		label, words = "Yes, that is it", "yes"
	case kind == workflow.ReportRequest || kind == workflow.ReportPlan:
		label, words = "Go ahead", "go ahead"
	}
	return fmt.Sprintf("A reaction approves nothing: press %q, or write %q.", label, words)
}

func (o *Objections) decided(m intent.Message, p workflow.Person, reason string) consent.Decision {
	return consent.Decision{
		What:      workflow.DecideObject,
		Allowed:   true,
		Reason:    reason,
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  o.Session().Revision,
	}
}

// noted is what a person is told who objects. A push that has begun is not called back.
func (o *Objections) noted(ctx context.Context, p workflow.Person, a *workflow.Approval) (string, error) {
	late, err := o.TooLate(ctx, a.ID)
	if err != nil || late != "" {
		return p.Name + ", " + late, err
	}
	return fmt.Sprintf("Noted, %s: nothing is pushed before an approver has seen this.", p.Name), nil
}

// TooLate says that a push under the approval has begun, which nothing calls back, or nothing if none has.
func (o *Objections) TooLate(ctx context.Context, approval string) (string, error) {
	pushes, err := o.Store.Pushes(ctx, o.Session().ID)
	begun := slices.ContainsFunc(pushes, func(push workflow.Push) bool {
		return approval != "" && push.Approval == approval && push.State == workflow.PushIntended
	})
	if err != nil || !begun {
		return "", err
	}
	return "that comes too late to keep it back: it is being pushed. I merge nothing: leave the " +
		"branch alone or delete it, or say what is wrong, and I change it.", nil
}
