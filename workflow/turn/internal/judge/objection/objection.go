// Package objection judges what people have against approved work that is not pushed yet: a message, a
// reaction, an edit of the approving message, or its deletion. A refusal permits nothing, so it is read
// liberally, from anybody who may take part.
//
// An objection is a row of store/consent. The work may go on to its proof, and the question before the push
// (package delivery) names the objection; the database refuses to push before that is answered. A person can
// take back their own objection, but not bring back an approval that they edited or deleted. After the push
// one line says what was pushed, and what can still be done.
package objection

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
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Objections judges what people have against approved work.
type Objections struct {
	approval.Judgements
	Approvals *approval.Approvals
}

// contested returns the approval that an objection is to, or nil if there is none: the standing approval, or
// one without an id of a revision that some, and not yet enough people have approved.
func (o *Objections) contested(ctx context.Context) (*workflow.Approval, error) {
	a, err := o.StandingApproval(ctx)
	if err != nil || a != nil {
		return a, err
	}
	words, err := o.Pending(ctx)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	first := words[0]
	return &workflow.Approval{
		Session: first.Session, Revision: first.Revision, User: first.User, UserName: first.UserName,
	}, nil
}

// TakeBack returns the parts with which a person's own word for the newest revision stops counting, while it
// waits for others. They are nil if there is no such word.
func (o *Objections) TakeBack(
	ctx context.Context, p workflow.Person,
) (f []store.Part, said string, err error) {
	words, err := o.Pending(ctx)
	for _, e := range words {
		if e.User == p.ID {
			f = append(f, consent.EndorsementEnd{
				Endorsements: []workflow.Endorsement{e}, Why: workflow.EndorsementTakenBack,
			})
			said = fmt.Sprintf("%s, your approval of revision %d does not count any more.%s", p.Name,
				e.Revision,
				o.Approvals.Still(ctx, e.Revision, p.ID))
		}
	}
	return f, said, err
}

// maxWords is how many characters of an objection are kept and quoted.
const maxWords = 200

// Stops reports whether a message that refuses something stops the session: approved work is under way, and
// the message does not answer a question for which everything rests. While an agent runs and nothing is
// approved, nothing is fixed or pushed that the message could mean: then it stops only if it says nothing
// else.
func (o *Objections) Stops(ctx context.Context, says intent.Reading) (bool, error) {
	if says.Refusal != intent.RefusalStop {
		return false, nil
	}
	a, err := o.StandingApproval(ctx)
	switch {
	case err != nil:
		return false, err
	case a == nil:
		ends := says.Consent.Kind == intent.ConsentStop
		return o.Session().Open && (ends || says.OnlyStops), nil
	case o.Session().Open:
		return true, nil
	}
	q, err := o.Store.Waiting(ctx, o.Session().ID)
	return q == nil, err
}

// Add adds an objection to the parts f that follow from a message, if the message objects to approved work.
// Its writer is told in one line, which takes the place of the lines in f.
func (o *Objections) Add(
	ctx context.Context, m intent.Message, p workflow.Person, f []store.Part,
) ([]store.Part, error) {
	_, withdraws := ledger.Find[consent.Withdrawal](f)
	permitted, permits := ledger.Find[consent.Permission](f)
	files := permits && permitted.What == workflow.PermitFile // "no, file it" refuses the work
	if m.Kind == workflow.MessageAction || m.Kind == workflow.MessageSent || withdraws ||
		permits && !files || store.Combined(f).Stops() {
		return f, nil
	}
	refusal, err := o.readObjection(ctx, m, f)
	if err != nil {
		return nil, err
	}
	if refusal == intent.RefusalNone {
		refused, err := o.RefusedToColleague(ctx, m)
		if err != nil || refused == nil {
			return f, err
		}
		objects, err := o.ToColleague(ctx, m, p, refused)
		return append(f, objects...), err
	}
	if _, answers := ledger.Find[progress.Answer](f); answers && refusal == intent.RefusalHold &&
		m.Says.Consent.Kind == intent.ConsentRefuse {
		return f, nil // "no" to a question is its answer
	}
	_, narrows := ledger.Find[consent.Narrowing](f)
	if narrows && refusal == intent.RefusalHold && !m.Says.ObjectsBesideLimit {
		return f, nil // the limit that it sets is held to
	}
	a, err := o.contested(ctx)
	if err != nil || a == nil {
		return f, err
	}
	said, err := o.noted(ctx, p, a)
	if err != nil {
		return nil, err
	}
	ends, takenBack, err := o.TakeBack(ctx, p)
	if err != nil {
		return nil, err
	}
	if ends != nil {
		said = takenBack
		f = append(f, ends...)
	}
	if h, _ := ledger.Find[inbox.Handled](f); h.Held { // its line has a button, with which it is passed on
		ledger.Change(f, func(l *store.Replies) {
			*l = slices.Clone(*l)
			(*l)[0].Text = o.ProgramLine(strings.TrimSuffix(said, ".") + ": " + quote(m.Text))[0].Text
		})
	} else {
		lines := store.Lines(o.ProgramLine(said))
		if other, _ := ledger.Find[store.Lines](f); narrows || files { // that is told, too
			lines = slices.Concat(other, lines)
		}
		f = append(ledger.Without[store.Lines](f), lines)
	}
	return append(f, o.objection(ctx, m, p, a, workflow.ObjectionByMessage), o.decided(m, p, "")), nil
}

// readObjection reads what a message has against approved work. A condition ("only if cem agrees",
// "tomorrow") is an objection, since nobody here can wait for it, unless it answers a question or a
// colleague.
func (o *Objections) readObjection(
	ctx context.Context, m intent.Message, f []store.Part,
) (intent.Refusal, error) {
	refusal := m.Says.Refusal
	_, answers := ledger.Find[progress.Answer](f)
	if refusal != intent.RefusalNone || answers || !m.Says.WaitsFor {
		return refusal, nil
	}
	if talk, err := o.TalkBelow(ctx, m); err != nil || talk {
		return intent.RefusalNone, err
	}
	return intent.RefusalHold, nil
}

// objection returns what p has against the work of the approval, as a part.
func (o *Objections) objection(
	ctx context.Context,
	m intent.Message,
	p workflow.Person,
	a *workflow.Approval,
	how workflow.ObjectionKind,
) consent.Objection {
	revision := 0
	if a.ID == "" {
		revision = a.Revision
	}
	return consent.Objection{
		Approval: a.ID, Revision: revision, Message: m.ID, MessageTS: m.TS, User: p.ID, UserName: p.Name,
		How:   how,
		Words: plaintext.CutLine(plaintext.OneLine(o.MaskShown(o.Slack.Readable(ctx, m.Text))), maxWords),
	}
}

// AskWithdrawal asks whether a message takes back objections: where other people talk above it, "ok, go on"
// may be an answer to them.
func (o *Objections) AskWithdrawal(ctx context.Context, m intent.Message, p workflow.Person) []store.Part {
	said := fmt.Sprintf("%s, was %s for me? Your objection stands. To take it back, write \"I take it "+
		"back\".", p.Name, o.QuoteWords(ctx, m))
	return append(o.Answer(m, said), o.decided(m, p, "unclear, asked"))
}

// AddWithdrawal adds to parts with which a person lets stopped work go on that they take back their own
// objections.
func (o *Objections) AddWithdrawal(
	ctx context.Context, p workflow.Person, f []store.Part,
) ([]store.Part, error) {
	if permitted, _ := ledger.Find[consent.Permission](f); permitted.What != workflow.PermitResume {
		return f, nil
	}
	own, err := o.Own(ctx, p.ID)
	if err != nil || len(own) == 0 {
		return f, err
	}
	return append(f, consent.Withdrawal{User: p.ID, Objections: own}), nil
}

// Own returns the ids of a person's own objections that the person can take back.
func (o *Objections) Own(ctx context.Context, user string) (ids []int64, err error) {
	return o.standing(ctx, func(x workflow.Objection) bool {
		return x.User == user &&
			(x.How == workflow.ObjectionByMessage || x.How == workflow.ObjectionByReaction)
	})
}

// ownReaction returns the id of the objection that was made by the reaction which the event removes. Another
// emoji of the same person on the same message still objects.
func (o *Objections) ownReaction(ctx context.Context, m intent.Message) (ids []int64, err error) {
	return o.standing(ctx, func(x workflow.Objection) bool {
		return x.How == workflow.ObjectionByReaction && x.User == m.User && x.MessageTS == m.TS &&
			x.Words == m.Value
	})
}

// standing returns the ids of the objections to the approved work that have the property.
func (o *Objections) standing(
	ctx context.Context, has func(workflow.Objection) bool,
) (ids []int64, err error) {
	a, err := o.contested(ctx)
	if err != nil || a == nil {
		return nil, err
	}
	var all []workflow.Objection
	if a.ID == "" {
		all, err = o.Store.ObjectionsTo(ctx, a.Session, a.Revision)
	} else {
		all, err = o.Store.Objections(ctx, a.ID, "")
	}
	for _, x := range all {
		if has(x) {
			ids = append(ids, x.ID)
		}
	}
	return ids, err
}

// Withdraw returns the parts with which p takes back objections. They permit nothing: the approval stands as
// it was. The agents are told, since one of them may wait for it.
func (o *Objections) Withdraw(m intent.Message, p workflow.Person, own []int64) []store.Part {
	told := prompt.PersonName(p.Name) + " took an objection back. If the work is done, call finish again."
	return append(o.Ignore(m), o.Wake(m.Message),
		consent.Withdrawal{User: p.ID, Objections: own}, o.decided(m, p, "taken back"),
		inbox.AgentNote{Key: fmt.Sprint("taken back:", m.ID), Text: told},
		store.Lines(o.ProgramLine(p.Name+" took the objection back.")))
}

func quote(text string) string {
	return `"` + plaintext.CutLine(plaintext.OneLine(text), maxWords) + `"`
}

// AfterPush answers a message that refuses something after the push. pushed says what was pushed. A message
// that says more than no goes to the agents, too.
func (o *Objections) AfterPush(
	ctx context.Context, m intent.Message, p workflow.Person, pushed string,
) ([]store.Part, error) {
	f := o.Ignore(m)
	if !m.Says.OnlyRefuses() {
		f = o.ForAgents(m, "")
	}
	withdrawn, said, err := o.withdrawLanding(ctx, p)
	if err != nil {
		return nil, err
	}
	if said != "" {
		pushed = said
	}
	f = append(f, withdrawn...)
	return append(f, store.Lines(o.ProgramLine(pushed)), o.decided(m, p, "it was pushed already")), nil
}

// PushedLine says to a person who objects what was pushed already, and what can still be done. It returns an
// empty string if nothing was.
func (o *Objections) PushedLine(ctx context.Context, p workflow.Person) (string, error) {
	what, err := o.pushed(ctx)
	if err != nil || what == "" {
		return "", err
	}
	return fmt.Sprintf("%s, it was pushed already: %s", p.Name, what), nil
}

// pushed names what was pushed last, and says what can still be done about it.
func (o *Objections) pushed(ctx context.Context) (string, error) {
	pushes, err := o.Store.Pushes(ctx, o.Session().ID)
	if err != nil {
		return "", err
	}
	for _, push := range slices.Backward(pushes) {
		if push.State == workflow.PushDone {
			return fmt.Sprintf("`%s` at %s. I merge nothing: leave the branch alone or delete it, "+
				"or say what is wrong, and I change it.", push.Branch, prompt.ShortHash(push.Commit)), nil
		}
	}
	return "", nil
}
