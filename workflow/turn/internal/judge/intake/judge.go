package intake

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// JudgeAll judges and records each message that was not judged yet, in order of arrival. The program
// itself acts on consent, stops and presses; everything else goes to the agents. It runs at the start of
// a turn and before each model call, so a correction is never later than that.
func (in *Intake) JudgeAll(ctx context.Context) error {
	in.judging.Lock()
	defer in.judging.Unlock()
	in.writers = map[string]workflow.Person{}
	defer func() { in.writers = nil }()
	messages, err := in.Inbox().Unhandled(ctx)
	if err != nil {
		return err
	}
	for _, m := range messages {
		parts, err := in.JudgeMessage(ctx, m)
		if err != nil {
			return err
		}
		//crash:message_judged
		err = in.Record(ctx, parts...)
		if errors.Is(err, store.ErrStale) {
			said := "That does not count any more; something newer was said or shown."
			if _, approves := ledger.Find[consent.Approval](parts); approves {
				said = "That revision cannot be approved any more; the newest report is the one that counts."
			} else if _, narrows := ledger.Find[consent.Narrowing](parts); narrows {
				said = "That limit came too late: the change is being pushed."
			}
			err = in.Record(ctx, in.Refuse(m, workflow.Person{ID: m.User}, "approve", "this revision cannot be approved any more", said+prompt.EnteredText(m))...)
		}
		if err != nil {
			return err
		}
		//crash:message_handled
		in.Judged(m, parts)
	}
	return nil
}

// JudgeMessage returns the parts that follow from one message.
func (in *Intake) JudgeMessage(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	switch m.Kind {
	case workflow.MessageDelete:
		f, err := in.judgeDeletion(ctx, m)
		if err != nil {
			return f, err
		}
		return in.Held.Amend(ctx, m, workflow.Person{ID: m.User}, f)
	case workflow.MessageEdit:
		return in.judgeEdit(ctx, m)
	case workflow.MessageReacted:
		return in.judgeReaction(ctx, m)
	case workflow.MessageAlert:
		return in.judgeAlert(ctx, m)
	case workflow.MessageDue:
		return in.Interview.takeDefault(ctx, m)
	case workflow.MessageRemark:
		return afterPush{in}.judgeRemark(ctx, m)
	}
	if m.Kind == workflow.MessageReply && in.Session().ListsThreads() {
		return in.Ignore(m), nil
	}
	if addressedElsewhere(m) {
		return in.judgeToColleague(ctx, m)
	}
	person, err := in.writer(ctx, m)
	if err != nil {
		return in.Approvals.RefuseUnknown(m, err)
	}
	reason := person.ExclusionReason()
	var f []store.Part
	switch {
	case m.Kind == workflow.MessageSent:
		f, err = in.judgeSent(ctx, m, person)
	case reason != "":
		return in.turnAway(m, person, reason), nil
	case m.Kind == workflow.MessageAction:
		f, err = in.judgePress(ctx, m, person)
	case m.Kind == workflow.MessageForm:
		f, err = in.judgeForm(ctx, m, person)
	default:
		f, err = in.judgeWords(ctx, m, person)
	}
	if err != nil {
		return f, err
	}
	if f, err = in.Objections.Add(ctx, m, person, f); err != nil {
		return f, err
	}
	if f, err = in.Objections.AddWithdrawal(ctx, person, f); err != nil {
		return f, err
	}
	if f, err = in.Held.Reopen(ctx, m, person, f); err != nil {
		return f, err
	}
	if f, err = in.Duplicates.Unjoin(ctx, f); err != nil {
		return f, err
	}
	f = otherThreads{in}.listen(f)
	return in.Held.Amend(ctx, m, person, f)
}

// judgeToColleague judges a message that is for another person. It is no word to the bot, but what it has
// against approved work keeps that from being pushed, if its writer may take part.
func (in *Intake) judgeToColleague(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	refused, err := in.Objections.RefusedToColleague(ctx, m)
	if err != nil || refused == nil {
		return in.Ignore(m), err
	}
	person, err := in.Slack.Person(ctx, in.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who wrote to a colleague: %w", err)
	}
	if person.ExclusionReason() != "" {
		return in.Ignore(m), nil
	}
	return append(in.Ignore(m), in.Objections.ToColleague(ctx, m, person, refused)...), nil
}

// judgeReaction judges a reaction of a person who may take part.
func (in *Intake) judgeReaction(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	person, err := in.Slack.Person(ctx, in.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who reacted: %w", err)
	}
	if person.ExclusionReason() != "" {
		return in.Ignore(m), nil
	}
	return in.Objections.Reacted(ctx, m, person)
}

// writer looks up in Slack who sent a message, after the message came. For plain replies, each author is
// looked up once in a JudgeAll, since Slack allows some hundred such calls a minute. For every message
// that may permit something, the author is looked up separately.
func (in *Intake) writer(ctx context.Context, m workflow.Message) (workflow.Person, error) {
	plain := m.Kind == workflow.MessageReply && !decides(in.Words, m.Text)
	if p, known := in.writers[m.User]; known && plain {
		return p, nil
	}
	p, err := in.Slack.Person(ctx, in.Session().Thread, m.User)
	if err == nil && plain && in.writers != nil {
		in.writers[m.User] = p
	}
	return p, err
}

// decides reports whether a text may permit something, let work go on, or make other people's messages
// count.
func decides(words intent.Lexicon, text string) bool {
	return words.Permits(text) || words.ReadConsent(text).Kind != intent.ConsentNone || intent.Adopts(text) || intent.Confirms(text) ||
		intent.PassesOn(text) || words.SaysGoOn(text) || words.GoesOn(text)
}

// A judgeFunc judges a message of one kind. Its second result is false if the message is of another kind.
type judgeFunc func(context.Context, workflow.Message, workflow.Person) ([]store.Part, bool, error)

// judgeWords judges a plain message: a stop, an answer, consent, a command, or words for the agents. The
// order of the checks decides.
func (in *Intake) judgeWords(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	consent := in.Words.ReadConsent(m.Text)
	if stops, err := in.Objections.Stops(ctx, m.Text); err != nil {
		return nil, err
	} else if stops || consent.Kind == intent.ConsentStop {
		if fresh, err := (otherThreads{in}).isFresh(ctx); err != nil {
			return nil, err
		} else if fresh {
			return otherThreads{in}.nameThreads(ctx, m, p)
		}
		return in.stopSession(ctx, m, p)
	}
	if p.Guest && m.TS == in.Session().Thread.TS {
		return in.turnAway(m, p, "guests cannot start work here; ask a full member to"), nil
	}
	for _, judge := range []judgeFunc{in.Objections.Withdraw, in.Objections.AfterPush} {
		if f, ok, err := judge(ctx, m, p); ok || err != nil {
			return f, err
		}
	}
	if intent.PassesOn(m.Text) {
		return in.Held.PassOn(ctx, m, p, 0)
	}
	book := lessonBook{in.Judgements, in.Catalog, in.Permissions}
	if f, ok, err := book.judge(ctx, m, p); ok || err != nil {
		return f, err
	}
	if releases, ok := intent.ReadBackport(m.Text); ok {
		return in.Approvals.Backport(ctx, m, p, approval.Backport{Releases: releases})
	}
	held, err := in.Permissions.HoldReason(ctx, p)
	if err != nil {
		return nil, err
	}
	if held != "" && consent.Kind == intent.ConsentScoped {
		return in.Held.HoldWords(m, p, held), nil
	}
	if held == "" {
		for _, judge := range []judgeFunc{in.Held.GoOn, inquiries{in.Judgements}.askAgain, in.Interview.judgeAnswer} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if pushes, _ := intent.ReadPush(m.Text); pushes {
		if asked, err := in.asksForPush(ctx, m); err != nil {
			return nil, err
		} else if asked {
			return in.Approvals.AllowPush(ctx, m, p, "")
		}
	}
	if f, ok, err := in.judgeGoOn(ctx, m, p); ok || err != nil {
		return f, err
	}
	if f, ok, err := in.judgeConsent(ctx, m, p, consent); ok || err != nil {
		return f, err
	}
	if held == "" {
		for _, judge := range []judgeFunc{in.Held.Adopt, in.judgeCommand} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if in.Session().Branch != "" && intent.AsksAboutDiff(m.Text) {
		return inquiries{in.Judgements}.explain(m), nil
	}
	if in.Session().Branch != "" && intent.AsksForReview(m.Text) {
		return inquiries{in.Judgements}.review(m), nil
	}
	if intent.AsksWhoKnows(m.Text) && (in.Session().Revision > 0 || in.Session().Branch != "" || namesFile.MatchString(m.Text)) {
		return inquiries{in.Judgements}.owners(m), nil
	}
	if held != "" {
		return in.Held.HoldWords(m, p, held), nil
	}
	return in.giveToWork(ctx, m)
}

// asksForPush reports whether words for a push are to be judged: the question waits, or they say "all the same" of
// approved work before it is asked, which is answered.
func (in *Intake) asksForPush(ctx context.Context, m workflow.Message) (bool, error) {
	w, err := in.Approvals.PendingAllowance(ctx)
	if err != nil || w != nil || !intent.PushesAllTheSame(m.Text) {
		return w != nil, err
	}
	a, err := in.StandingApproval(ctx)
	return a != nil, err
}

// judgeConsent judges words of consent. ok reports whether the message was an approval, may have been meant as one, or
// limits one.
func (in *Intake) judgeConsent(
	ctx context.Context, m workflow.Message, p workflow.Person, c intent.Consent,
) (f []store.Part, ok bool, err error) {
	if f, ok, err = in.Approvals.Narrow(ctx, m, p); ok || err != nil {
		return f, ok, err
	}
	if c, err = in.consentInContext(ctx, m, c); err != nil {
		return nil, false, err
	}
	consents := c.Kind == intent.ConsentApprove || c.Kind == intent.ConsentScoped
	ask := c.Kind == intent.ConsentUnclear && in.AwaitsConsent()
	if consents && in.AwaitsConsent() {
		if ask, err = in.Approvals.TalkAbove(ctx, m); err != nil {
			return nil, false, err
		}
	}
	if ask {
		// From a person who may not approve, what is unclear is a message like any other.
		why, _, err := in.Permissions.ApprovalRefusal(ctx, p)
		if err != nil {
			f, err = in.Approvals.RefuseUnknown(m, err)
			return f, true, err
		} else if why == "" {
			return in.Approvals.AskConsent(m, p, c), true, nil
		}
	}
	if !consents {
		return nil, false, nil
	}
	if c.Scope == "" && in.AwaitsConsent() {
		if c.Scope, err = in.Approvals.LimitAsked(ctx, m); err != nil {
			return nil, false, err
		}
	}
	f, err = in.Approvals.Approve(ctx, m, p, in.Session().Revision, c.Scope)
	return f, true, err
}

// consentInContext corrects what words of consent mean by their context: a bare "yes" may answer another
// person, loose words are no consent if nothing waits for one, and a limit during approved work is a
// correction. "Yes please do this" right below a restated request approves it; where somebody wrote in between,
// or where the words do not say to build it ("please look into that"), they may mean something else.
func (in *Intake) consentInContext(ctx context.Context, m workflow.Message, c intent.Consent) (intent.Consent, error) {
	nothingWaits := c.NeedsWaitingReport && !in.AwaitsConsent()
	if nothingWaits {
		reading, err := in.Approvals.ReadsRemarks(ctx)
		if err != nil {
			return c, err
		}
		stopped, err := in.Approvals.StoppedReport(ctx)
		if err != nil {
			return c, err
		}
		nothingWaits = !reading && !stopped
	}
	consents := c.Kind == intent.ConsentApprove || c.Kind == intent.ConsentScoped
	switch {
	case !consents && in.AwaitsConsent() && in.Session().ReportKind == workflow.ReportRequest && intent.Adopts(m.Text):
		talk, err := in.Approvals.WroteSince(ctx, m, "")
		if err != nil {
			return c, err
		}
		c = intent.Consent{Kind: intent.ConsentUnclear}
		if !talk && intent.AdoptsToBuild(m.Text) {
			c.Kind = intent.ConsentApprove
		}
	case c.Kind == intent.ConsentScoped && in.Session().Phase.MayWrite():
		c.Kind = intent.ConsentNone
	case nothingWaits:
		c.Kind = intent.ConsentNone
	case c.WithoutGoAhead:
		talk, err := in.Approvals.WroteSince(ctx, m, m.User)
		if err != nil {
			return c, err
		}
		if talk {
			c.Kind = intent.ConsentUnclear
		}
	}
	return c, nil
}

// judgePress judges the press of a button. The button's row holds what it stands for.
func (in *Intake) judgePress(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	if m.ActionID == "stop" {
		ended, err := in.RunEnded(ctx, m.Value)
		if err == nil && ended {
			// The press may have come while the run went on, and then it asked for a stop.
			return append(in.Answer(m, p.Name+": that run is over already, so nothing was stopped."), store.Update{ClearStop: true}), nil
		}
		if err != nil {
			return nil, err
		}
		return in.stopSession(ctx, m, p)
	}
	revision, means, ok, err := in.Button(ctx, m.ActionID, m.Value)
	if err != nil {
		return nil, err
	}
	if ok {
		if ok, err = in.IsInMessage(ctx, m.Value, m.TS); err != nil {
			return nil, err
		}
	}
	if !ok {
		in.Log.Warn("a button that was never shown in that message", "user", m.User, "action", m.ActionID)
		return in.Ignore(m), nil
	}
	switch m.ActionID {
	case workflow.ButtonPassOn:
		row, err := strconv.ParseInt(means, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("a button that passes %q on: %w", means, err)
		}
		return in.Held.PassOn(ctx, m, p, row)
	case approval.ActionGoOn:
		return in.Held.Resume(ctx, m, p, means)
	case workflow.ButtonPutBack:
		return in.Approvals.PutBack(ctx, m, p, means)
	case "option", "wrap_up", "take_defaults", "consult", workflow.ButtonRepository, workflow.ButtonChoose, workflow.ButtonLessons, workflow.ButtonJoin, workflow.ButtonBroken:
		if why, err := in.Permissions.HoldReason(ctx, p); why != "" || err != nil {
			return in.Held.RefusePress(m, p, "speak", why), err
		}
	}
	switch m.ActionID {
	case workflow.ButtonBackport:
		return in.Approvals.Backport(ctx, m, p, approval.BackportOf(means))
	case workflow.ButtonFixThere:
		return in.Approvals.FixChecks(ctx, m, p, means)
	case workflow.ButtonWorks, workflow.ButtonBroken:
		return afterPush{in}.judgeOutcome(m, p), nil
	case "fix_it":
		return in.Approvals.Approve(ctx, m, p, revision, means)
	case workflow.ButtonTakeUp:
		return in.Approvals.TakeUp(ctx, m, p, revision, means)
	case "push_it":
		return in.Approvals.AllowPush(ctx, m, p, means)
	case workflow.ButtonCorrect, workflow.ButtonFixLimited, workflow.ButtonRepository, workflow.ButtonDetails:
		return in.offerForm(m, p, means), nil
	case workflow.ButtonShowDiff, workflow.ButtonExplain:
		m.Text = map[string]string{workflow.ButtonShowDiff: "Show me the diff.", workflow.ButtonExplain: "Why is the change as it is?"}[m.ActionID]
		return inquiries{in.Judgements}.explain(m), nil
	case workflow.ButtonStopThread:
		return otherThreads{in}.passStop(ctx, m, p, means)
	case workflow.ButtonJoin:
		return in.Duplicates.Join(ctx, m, p, means)
	case workflow.ButtonChoose:
		return in.chooseRepository(ctx, m, p, means)
	case "confirm":
		return in.Approvals.ConfirmUnderstanding(ctx, m, p, revision)
	case "option", "wrap_up", "take_defaults":
		return in.Interview.judgeOption(ctx, m, p, means)
	case "consult":
		return inquiries{in.Judgements}.askConsultant(m, p, ""), nil
	case workflow.ButtonLessons:
		return lessonBook{in.Judgements, in.Catalog, in.Permissions}.propose(m, p, means), nil
	}
	return in.Ignore(m), nil
}
