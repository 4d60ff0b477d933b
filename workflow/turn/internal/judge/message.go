package judge

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
func (j *Judge) JudgeAll(ctx context.Context) error {
	j.judging.Lock()
	defer j.judging.Unlock()
	j.writers = map[string]workflow.Person{}
	defer func() { j.writers = nil }()
	messages, err := j.Inbox().Unhandled(ctx)
	if err != nil {
		return err
	}
	for _, unread := range messages {
		m := j.Read(unread)
		parts, err := j.JudgeMessage(ctx, m)
		if err != nil {
			return err
		}
		//crash:message_judged
		err = j.Record(ctx, parts...)
		if errors.Is(err, store.ErrStale) {
			said := "That does not count any more; something newer was said or shown."
			if _, approves := ledger.Find[consent.Approval](parts); approves {
				said = "That revision cannot be approved any more; the newest report is the one that counts."
			} else if _, narrows := ledger.Find[consent.Narrowing](parts); narrows {
				said = "That limit came too late: the change is being pushed."
			}
			err = j.Record(ctx, j.Refuse(m, workflow.Person{ID: m.User}, "approve", "this revision cannot be approved any more", said+prompt.EnteredText(m.Message))...)
		}
		if err != nil {
			return err
		}
		//crash:message_handled
		j.Judged(m, parts)
	}
	return nil
}

// Read reads the words of a message.
func (j *Judge) Read(m workflow.Message) intent.Message {
	return j.Words.ReadMessage(m, j.ConsultantNames()...)
}

// JudgeMessage returns the parts that follow from one message.
func (j *Judge) JudgeMessage(ctx context.Context, m intent.Message) ([]store.Part, error) {
	switch m.Kind {
	case workflow.MessageDelete:
		f, err := j.judgeDeletion(ctx, m)
		if err != nil {
			return f, err
		}
		return j.Held.Amend(ctx, m, workflow.Person{ID: m.User}, f)
	case workflow.MessageEdit:
		return j.judgeEdit(ctx, m)
	case workflow.MessageReacted:
		return j.judgeReaction(ctx, m)
	case workflow.MessageAlert:
		return j.judgeAlert(ctx, m)
	case workflow.MessageDue:
		return j.Interview.takeDefault(ctx, m)
	case workflow.MessageRemark:
		return afterPush{j}.judgeRemark(ctx, m)
	}
	if m.Kind == workflow.MessageReply && j.Session().ListsThreads() {
		return j.Ignore(m), nil
	}
	if addressedElsewhere(m) {
		return j.judgeToColleague(ctx, m)
	}
	person, err := j.writer(ctx, m)
	if err != nil {
		return j.Approvals.RefuseUnknown(m, err)
	}
	reason := person.ExclusionReason()
	var f []store.Part
	switch {
	case m.Kind == workflow.MessageSent:
		f, err = j.judgeSent(ctx, m, person)
	case reason != "":
		return j.turnAway(m, person, reason), nil
	case m.Kind == workflow.MessageAction:
		f, err = j.judgePress(ctx, m, person)
	case m.Kind == workflow.MessageForm:
		f, err = j.judgeForm(ctx, m, person)
	default:
		f, err = j.judgeWords(ctx, m, person)
	}
	if err != nil {
		return f, err
	}
	if f, err = j.Objections.Add(ctx, m, person, f); err != nil {
		return f, err
	}
	if f, err = j.Objections.AddWithdrawal(ctx, person, f); err != nil {
		return f, err
	}
	if f, err = j.Held.Reopen(ctx, m, person, f); err != nil {
		return f, err
	}
	if f, err = j.Duplicates.Unjoin(ctx, f); err != nil {
		return f, err
	}
	f = otherThreads{j}.listen(f)
	return j.Held.Amend(ctx, m, person, f)
}

// judgeToColleague judges a message that is for another person. It is no word to the bot, but what it has
// against approved work keeps that from being pushed, if its writer may take part.
func (j *Judge) judgeToColleague(ctx context.Context, m intent.Message) ([]store.Part, error) {
	refused, err := j.Objections.RefusedToColleague(ctx, m)
	if err != nil || refused == nil {
		return j.Ignore(m), err
	}
	person, err := j.Slack.Person(ctx, j.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who wrote to a colleague: %w", err)
	}
	if person.ExclusionReason() != "" {
		return j.Ignore(m), nil
	}
	return append(j.Ignore(m), j.Objections.ToColleague(ctx, m, person, refused)...), nil
}

// judgeReaction judges a reaction of a person who may take part.
func (j *Judge) judgeReaction(ctx context.Context, m intent.Message) ([]store.Part, error) {
	person, err := j.Slack.Person(ctx, j.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who reacted: %w", err)
	}
	if person.ExclusionReason() != "" {
		return j.Ignore(m), nil
	}
	return j.Objections.Reacted(ctx, m, person)
}

// writer looks up in Slack who sent a message, after the message came. For plain replies, each author is
// looked up once in a JudgeAll, since Slack allows some hundred such calls a minute. For every message
// that may permit something, the author is looked up separately.
func (j *Judge) writer(ctx context.Context, m intent.Message) (workflow.Person, error) {
	plain := m.Kind == workflow.MessageReply && !m.Says.Decides()
	if p, known := j.writers[m.User]; known && plain {
		return p, nil
	}
	p, err := j.Slack.Person(ctx, j.Session().Thread, m.User)
	if err == nil && plain && j.writers != nil {
		j.writers[m.User] = p
	}
	return p, err
}

// A judgeFunc judges a message of one kind. Its second result is false if the message is of another kind.
type judgeFunc func(context.Context, intent.Message, workflow.Person) ([]store.Part, bool, error)

// judgeWords judges a plain message: a stop, an answer, consent, a command, or words for the agents. The
// order of the checks decides.
func (j *Judge) judgeWords(ctx context.Context, m intent.Message, p workflow.Person) ([]store.Part, error) {
	consent := m.Says.Consent
	if stops, err := j.Objections.Stops(ctx, m.Says); err != nil {
		return nil, err
	} else if stops || consent.Kind == intent.ConsentStop {
		if fresh, err := (otherThreads{j}).isFresh(ctx); err != nil {
			return nil, err
		} else if fresh {
			return otherThreads{j}.nameThreads(ctx, m, p)
		}
		return j.stopSession(ctx, m, p)
	}
	if p.Guest && m.TS == j.Session().Thread.TS {
		return j.turnAway(m, p, "guests cannot start work here; ask a full member to"), nil
	}
	for _, judge := range []judgeFunc{j.Objections.Withdraw, j.Objections.AfterPush} {
		if f, ok, err := judge(ctx, m, p); ok || err != nil {
			return f, err
		}
	}
	if m.Says.PassesOn {
		return j.Held.PassOn(ctx, m, p, 0)
	}
	book := lessonBook{j.Judgements, j.Catalog, j.Permissions}
	if f, ok, err := book.judge(ctx, m, p); ok || err != nil {
		return f, err
	}
	if m.Says.Backport {
		return j.Approvals.Backport(ctx, m, p, approval.Backport{Releases: m.Says.Releases})
	}
	held, err := j.Permissions.HoldReason(ctx, p)
	if err != nil {
		return nil, err
	}
	if held != "" && consent.Kind == intent.ConsentScoped {
		return j.Held.HoldWords(m, p, held), nil
	}
	if held == "" {
		for _, judge := range []judgeFunc{j.Held.GoOn, inquiries{j.Judgements}.askAgain, j.Interview.judgeAnswer} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if m.Says.Push.Allows {
		if asked, err := j.asksForPush(ctx, m); err != nil {
			return nil, err
		} else if asked {
			return j.Approvals.AllowPush(ctx, m, p, "")
		}
	}
	if f, ok, err := j.judgeGoOn(ctx, m, p); ok || err != nil {
		return f, err
	}
	if f, ok, err := j.judgeConsent(ctx, m, p, consent); ok || err != nil {
		return f, err
	}
	if held == "" {
		for _, judge := range []judgeFunc{j.Held.Adopt, j.judgeCommand} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if j.Session().Branch != "" && m.Says.AsksAboutDiff {
		return inquiries{j.Judgements}.explain(m), nil
	}
	if j.Session().Branch != "" && m.Says.AsksForReview {
		return inquiries{j.Judgements}.review(m), nil
	}
	if m.Says.AsksWhoKnows && (j.Session().Revision > 0 || j.Session().Branch != "" || m.Says.NamesFile) {
		return inquiries{j.Judgements}.owners(m), nil
	}
	if held != "" {
		return j.Held.HoldWords(m, p, held), nil
	}
	return j.giveToWork(ctx, m)
}

// asksForPush reports whether words for a push are to be judged: the question waits, or they say "all the same" of
// approved work before it is asked, which is answered.
func (j *Judge) asksForPush(ctx context.Context, m intent.Message) (bool, error) {
	w, err := j.Approvals.PendingAllowance(ctx)
	if err != nil || w != nil || !m.Says.Push.AllTheSame {
		return w != nil, err
	}
	a, err := j.StandingApproval(ctx)
	return a != nil, err
}

// judgeConsent judges words of consent. ok reports whether the message was an approval, may have been meant as one, or
// limits one.
func (j *Judge) judgeConsent(
	ctx context.Context, m intent.Message, p workflow.Person, c intent.Consent,
) (f []store.Part, ok bool, err error) {
	if f, ok, err = j.Approvals.Narrow(ctx, m, p); ok || err != nil {
		return f, ok, err
	}
	if c, err = j.consentInContext(ctx, m, c); err != nil {
		return nil, false, err
	}
	consents := c.Kind == intent.ConsentApprove || c.Kind == intent.ConsentScoped
	ask := c.Kind == intent.ConsentUnclear && j.AwaitsConsent()
	if consents && j.AwaitsConsent() {
		if ask, err = j.Approvals.TalkAbove(ctx, m); err != nil {
			return nil, false, err
		}
	}
	if ask {
		// From a person who may not approve, what is unclear is a message like any other.
		why, _, err := j.Permissions.ApprovalRefusal(ctx, p)
		if err != nil {
			f, err = j.Approvals.RefuseUnknown(m, err)
			return f, true, err
		} else if why == "" {
			return j.Approvals.AskConsent(m, p, c), true, nil
		}
	}
	if !consents {
		return nil, false, nil
	}
	if c.Scope == "" && j.AwaitsConsent() {
		if c.Scope, err = j.Approvals.LimitAsked(ctx, m); err != nil {
			return nil, false, err
		}
	}
	f, err = j.Approvals.Approve(ctx, m, p, j.Session().Revision, c.Scope)
	return f, true, err
}

// consentInContext corrects what words of consent mean by their context: a bare "yes" may answer another
// person, loose words are no consent if nothing waits for one, and a limit during approved work is a
// correction. "Yes please do this" right below a restated request approves it; where somebody wrote in between,
// or where the words do not say to build it ("please look into that"), they may mean something else.
func (j *Judge) consentInContext(ctx context.Context, m intent.Message, c intent.Consent) (intent.Consent, error) {
	nothingWaits := c.NeedsWaitingReport && !j.AwaitsConsent()
	if nothingWaits {
		reading, err := j.Approvals.ReadsRemarks(ctx)
		if err != nil {
			return c, err
		}
		stopped, err := j.Approvals.StoppedReport(ctx)
		if err != nil {
			return c, err
		}
		nothingWaits = !reading && !stopped
	}
	consents := c.Kind == intent.ConsentApprove || c.Kind == intent.ConsentScoped
	switch {
	case !consents && j.AwaitsConsent() && j.Session().ReportKind == workflow.ReportRequest && m.Says.Adopts:
		talk, err := j.Approvals.WroteSince(ctx, m, "")
		if err != nil {
			return c, err
		}
		c = intent.Consent{Kind: intent.ConsentUnclear}
		if !talk && m.Says.AdoptsToBuild {
			c.Kind = intent.ConsentApprove
		}
	case c.Kind == intent.ConsentScoped && j.Session().Phase.MayWrite():
		c.Kind = intent.ConsentNone
	case nothingWaits:
		c.Kind = intent.ConsentNone
	case c.WithoutGoAhead:
		talk, err := j.Approvals.WroteSince(ctx, m, m.User)
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
func (j *Judge) judgePress(ctx context.Context, m intent.Message, p workflow.Person) ([]store.Part, error) {
	if m.ActionID == "stop" {
		ended, err := j.RunEnded(ctx, m.Value)
		if err == nil && ended {
			// The press may have come while the run went on, and then it asked for a stop.
			return append(j.Answer(m, p.Name+": that run is over already, so nothing was stopped."), store.Update{ClearStop: true}), nil
		}
		if err != nil {
			return nil, err
		}
		return j.stopSession(ctx, m, p)
	}
	revision, means, ok, err := j.Button(ctx, m.ActionID, m.Value)
	if err != nil {
		return nil, err
	}
	if ok {
		if ok, err = j.IsInMessage(ctx, m.Value, m.TS); err != nil {
			return nil, err
		}
	}
	if !ok {
		j.Log.Warn("a button that was never shown in that message", "user", m.User, "action", m.ActionID)
		return j.Ignore(m), nil
	}
	switch m.ActionID {
	case workflow.ButtonPassOn:
		row, err := strconv.ParseInt(means, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("a button that passes %q on: %w", means, err)
		}
		return j.Held.PassOn(ctx, m, p, row)
	case approval.ActionGoOn:
		return j.Held.Resume(ctx, m, p, means)
	case workflow.ButtonPutBack:
		return j.Approvals.PutBack(ctx, m, p, means)
	case "option", "wrap_up", "take_defaults", "consult", workflow.ButtonRepository, workflow.ButtonChoose, workflow.ButtonLessons, workflow.ButtonJoin, workflow.ButtonBroken:
		if why, err := j.Permissions.HoldReason(ctx, p); why != "" || err != nil {
			return j.Held.RefusePress(m, p, "speak", why), err
		}
	}
	switch m.ActionID {
	case workflow.ButtonBackport:
		return j.Approvals.Backport(ctx, m, p, approval.BackportOf(means))
	case workflow.ButtonFixThere:
		return j.Approvals.FixChecks(ctx, m, p, means)
	case workflow.ButtonWorks, workflow.ButtonBroken:
		return afterPush{j}.judgeOutcome(m, p), nil
	case "fix_it":
		return j.Approvals.Approve(ctx, m, p, revision, means)
	case workflow.ButtonTakeUp:
		return j.Approvals.TakeUp(ctx, m, p, revision, means)
	case "push_it":
		return j.Approvals.AllowPush(ctx, m, p, means)
	case workflow.ButtonCorrect, workflow.ButtonFixLimited, workflow.ButtonRepository, workflow.ButtonDetails:
		return j.offerForm(m, p, means), nil
	case workflow.ButtonShowDiff, workflow.ButtonExplain:
		m.Text = map[string]string{workflow.ButtonShowDiff: "Show me the diff.", workflow.ButtonExplain: "Why is the change as it is?"}[m.ActionID]
		return inquiries{j.Judgements}.explain(m), nil
	case workflow.ButtonStopThread:
		return otherThreads{j}.passStop(ctx, m, p, means)
	case workflow.ButtonJoin:
		return j.Duplicates.Join(ctx, m.Message, p, means)
	case workflow.ButtonChoose:
		return j.chooseRepository(ctx, m, p, means)
	case "confirm":
		return j.Approvals.ConfirmUnderstanding(ctx, m, p, revision)
	case "option", "wrap_up", "take_defaults":
		return j.Interview.judgeOption(ctx, m, p, means)
	case "consult":
		return inquiries{j.Judgements}.askConsultant(m, p, ""), nil
	case workflow.ButtonLessons:
		return lessonBook{j.Judgements, j.Catalog, j.Permissions}.propose(m, p, means), nil
	}
	return j.Ignore(m), nil
}
