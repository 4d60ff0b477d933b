package intake

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// JudgeAll judges each message that nobody judged yet, in order of arrival: consent, stop
// and clicks are the program's business; the rest is for the agents. It runs at the start
// of a turn and before each model call, so a correction is never later than that.
func (in *Intake) JudgeAll(ctx context.Context) error {
	in.judging.Lock()
	defer in.judging.Unlock()
	messages, err := in.Inbox().Unhandled(ctx)
	if err != nil {
		return err
	}
	for _, m := range messages {
		fact, err := in.JudgeMessage(ctx, m)
		if err != nil {
			return err
		}
		//crash:message_judged
		err = in.Record(ctx, fact...)
		if errors.Is(err, store.ErrStale) {
			said := "That does not count any more; something newer was said or shown."
			if _, approves := ledger.Find[store.Approval](fact); approves {
				said = "That revision cannot be approved any more; the newest report is the one that counts."
			}
			err = in.Record(ctx, in.Refuse(m, workflow.Person{ID: m.User}, "approve", "this revision cannot be approved any more", said+prompt.EnteredText(m))...)
		}
		if err != nil {
			return err
		}
		//crash:message_handled
		in.Judged(m, fact)
	}
	return nil
}

// JudgeMessage says what follows from one message.
func (in *Intake) JudgeMessage(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	switch m.Kind {
	case workflow.IncomingDelete:
		return in.judgeDeletion(ctx, m)
	case workflow.IncomingEdit:
		return in.judgeEdit(ctx, m)
	case workflow.IncomingDue:
		return in.Interview.takeDefault(ctx, m)
	}
	if addressedElsewhere(m) {
		return in.Ignore(m), nil
	}
	person, err := in.Slack.Person(ctx, in.Session().Thread, m.User)
	if err != nil {
		return in.Approvals.RefuseUnknown(m, err)
	}
	reason := permission.ExclusionReason(person)
	var f []store.Part
	switch {
	case m.Kind == workflow.IncomingSent:
		f, err = in.judgeSent(ctx, m, person)
	case reason != "":
		return in.turnAway(m, person, reason), nil
	case m.Kind == workflow.IncomingAction:
		f, err = in.judgePress(ctx, m, person)
	case m.Kind == workflow.IncomingForm:
		f, err = in.judgeForm(ctx, m, person)
	default:
		f, err = in.judgeWords(ctx, m, person)
	}
	if err != nil {
		return f, err
	}
	return in.Held.Reopen(ctx, m, person, f)
}

// judgeWords judges a message: stop, an answer, consent, a command, or words for the agents.
func (in *Intake) judgeWords(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	consent := intent.ReadConsent(m.Text)
	if consent.Kind == intent.ConsentStop {
		return in.stopSession(ctx, m, p)
	}
	if p.Guest && m.TS == in.Session().Thread.TS {
		return in.turnAway(m, p, "guests cannot start work here; ask a full member to"), nil
	}
	if intent.PassesOn(m.Text) {
		return in.Held.PassOn(ctx, m, p, 0)
	}
	held, err := in.Permissions.HoldReason(ctx, p)
	if err != nil {
		return nil, err
	}
	if held != "" && consent.Kind == intent.ConsentScoped {
		return in.Held.HoldWords(m, p, held), nil
	}
	if held == "" {
		for _, judge := range []func(context.Context, workflow.Message, workflow.Person) ([]store.Part, bool, error){in.Held.GoOn, in.Interview.judgeAnswer} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if intent.AllowsPush(m.Text) {
		if w, err := in.Approvals.PendingAllowance(ctx); err != nil {
			return nil, err
		} else if w != nil {
			return in.Approvals.AllowPush(ctx, m, p, "")
		}
	}
	if f, ok, err := in.judgeGoOn(ctx, m, p); ok || err != nil {
		return f, err
	}
	switch waits := in.AwaitsConsent(); {
	case consent.Kind == intent.ConsentApprove, consent.Kind == intent.ConsentScoped:
		return in.Approvals.Approve(ctx, m, p, in.Session().Revision, consent.Scope)
	case waits && intent.Adopts(m.Text) && in.NewestReportKind() == workflow.ReportRequest: // "yes please do this", under it
		return in.Approvals.Approve(ctx, m, p, in.Session().Revision, "")
	case consent.Kind == intent.ConsentUnclear && waits:
		return in.Approvals.AskConsent(m, p, consent.Scope), nil
	}
	if held == "" {
		for _, judge := range []func(context.Context, workflow.Message, workflow.Person) ([]store.Part, bool, error){in.Held.Adopt, in.judgeCommand} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if in.Session().Branch != "" && intent.AsksAboutDiff(m.Text) {
		return in.askExplainer(m), nil
	}
	if held != "" {
		return in.Held.HoldWords(m, p, held), nil
	}
	return in.ForAgents(m, ""), nil
}

// judgePress judges a button: its row says what it stands for.
func (in *Intake) judgePress(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	if m.ActionID == "stop" {
		ended, err := in.RunEnded(ctx, m.Value)
		if err == nil && ended {
			return in.Answer(m, p.Name+": that run is over already, so nothing was stopped."), nil
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
	if !ok {
		in.Log.Warn("a button that was never shown", "user", m.User, "action", m.ActionID)
		return in.Ignore(m), nil
	}
	switch m.ActionID {
	case approval.ActionPassOn:
		row, err := strconv.ParseInt(means, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("a button that passes %q on: %w", means, err)
		}
		return in.Held.PassOn(ctx, m, p, row)
	case approval.ActionGoOn:
		return in.Held.Resume(ctx, m, p, means)
	case "option", "wrap_up", "consult", workflow.ActionRepository, workflow.ActionChoose:
		if why, err := in.Permissions.HoldReason(ctx, p); why != "" || err != nil {
			return in.Held.RefusePress(m, p, "speak", why), err
		}
	}
	switch m.ActionID {
	case "fix_it":
		return in.Approvals.Approve(ctx, m, p, revision, means)
	case "push_it":
		return in.Approvals.AllowPush(ctx, m, p, means)
	case workflow.ActionCorrect, workflow.ActionFixLimited, workflow.ActionRepository:
		return in.offerForm(m, p), nil
	case workflow.ActionChoose:
		return in.chooseRepository(ctx, m, p, means)
	case "confirm":
		return in.Approvals.ConfirmUnderstanding(ctx, m, p, revision)
	case "option", "wrap_up":
		return in.Interview.judgeOption(ctx, m, p, means)
	case "consult":
		return in.askConsultant(m, p, ""), nil
	}
	return in.Ignore(m), nil
}

// stopSession ends what is under way; anybody who may take part can say it. Work that was approved
// goes on only at the word of somebody who may approve.
func (in *Intake) stopSession(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	return in.stopParts(ctx, m, p, "Stopped, as "+p.Name+" asked.")
}

func (in *Intake) stopParts(ctx context.Context, m workflow.Message, p workflow.Person, said string) ([]store.Part, error) {
	mark := m.TS
	if !permission.IsMessage(m.Kind) {
		mark = fmt.Sprintf("0:%d", m.ID) // before any words
	}
	update := store.Update{ClearStop: true, Open: ledger.Rest, Change: func(s *workflow.Session) { s.Halted = mark }}
	f := append(in.Ignore(m), store.Decision{What: "stop", Allowed: true, User: p.ID, MessageTS: m.TS})
	how, buttons, err := in.howToGoOn(ctx, p, mark)
	if err != nil {
		return nil, err
	}
	if in.Session().Phase == workflow.PhaseStopped {
		if m.Kind == workflow.IncomingMention || buttons != nil {
			f = append(f, store.Lines(in.ProgramLine("It is stopped already. The work so far is kept; "+how, buttons...)))
		}
		return append(f, update), nil
	}
	if q, err := in.Store.Waiting(ctx, in.Session().ID); err != nil {
		return nil, err
	} else if q != nil { // what is written next is no answer to it
		f = append(f, store.Answer{Question: q.ID, Text: "stopped", User: p.ID})
	}
	update.Events = []workflow.Event{workflow.EventStop}
	return append(f, update, store.Lines(in.ProgramLine(said+" The work so far is kept; "+how, buttons...))), nil
}

// howToGoOn says what lets stopped work go on, and has the button for it where something
// was approved.
func (in *Intake) howToGoOn(ctx context.Context, p workflow.Person, mark string) (string, []workflow.Button, error) {
	approval, err := in.StandingApproval(ctx)
	if err != nil {
		return "", nil, err
	}
	if approval != nil {
		return "write \"go on\" here to go on.", in.Held.GoOnButton(mark), nil
	}
	if why, _, err := in.Permissions.ApprovalRefusal(ctx, p); err != nil || why != "" {
		return "it goes on when somebody who may approve writes here.", nil, nil
	}
	return "write here to go on.", nil, nil
}

// judgeDeletion: without its request a session stops; another deleted message is told to the agents.
func (in *Intake) judgeDeletion(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	if m.TS != in.Session().Thread.TS {
		read, err := in.Inbox().ReadByAgents(ctx, m.TS, m.ID)
		if err != nil || !read {
			return in.Ignore(m), err
		}
		approval, err := in.StandingApproval(ctx)
		f := in.ForAgents(m, "A message of the thread was deleted. Do not rely on it any more, nor on what was attached to it.")
		f = append(f, store.Withdrawn(m.TS))
		if approval != nil || in.Session().Phase == workflow.PhaseStopped { // nobody's word to go on
			ledger.Change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
		}
		return f, err
	}
	f, err := in.stopParts(ctx, m, workflow.Person{ID: m.User}, "Stopped: the request was deleted.")
	if u, _ := ledger.Find[store.Update](f); len(u.Events) == 0 { // it was stopped before, and that stop's button stays
		f = ledger.Without[store.Lines](f)
		ledger.Change(f, func(u *store.Update) { u.Change = nil })
	}
	return f, err
}

// judgeEdit: the new text is a correction, of whoever may take part. It is never consent,
// whatever it says. What is not in the inbox was written before there was a session, and
// read with the thread.
func (in *Intake) judgeEdit(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	before, err := in.Inbox().Original(ctx, m.TS, m.ID)
	if err != nil {
		return nil, err
	}
	if before == m.Text || addressedElsewhere(m) {
		return in.Ignore(m), nil
	}
	person, err := in.Slack.Person(ctx, in.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who edited: %w", err)
	}
	if permission.ExclusionReason(person) != "" {
		return in.Ignore(m), nil
	}
	if held, err := in.Permissions.HoldReason(ctx, person); err != nil {
		return nil, err
	} else if held != "" {
		return in.Held.HoldWords(m, person, held), nil
	}
	f := in.ForAgents(m, "A message of the thread was edited. It reads now:\n"+prompt.Fence("message", in.Slack.Readable(ctx, m.Text)))
	if in.Session().Phase == workflow.PhaseStopped { // it takes a new message to go on
		ledger.Change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
	}
	return f, nil
}

// turnAway: a stop that was asked by somebody who may not is cleared. Only a request gets
// an answer; other words of such people get none.
func (in *Intake) turnAway(m workflow.Message, p workflow.Person, reason string) []store.Part {
	f := in.Ignore(m)
	ledger.Change(f, func(h *store.Handled) { h.Held = permission.IsMessage(m.Kind) }) // until somebody who may approve makes it their own
	if m.TS == in.Session().Thread.TS {
		f = append(f, store.Update{Change: func(s *workflow.Session) { s.Title = "" }}) // what was not taken names nothing
	}
	if m.TS == in.Session().Thread.TS || m.Kind == workflow.IncomingMention || m.Kind == workflow.IncomingSent || m.Kind == workflow.IncomingAction || m.Kind == workflow.IncomingForm {
		f = append(f, store.Lines(in.ProgramLine("I cannot take this: "+reason+".")))
	}
	f = append(f, store.Update{ClearStop: true})
	f = append(f, store.Decision{What: "speak", Reason: reason, User: p.ID, MessageTS: m.TS})
	return f
}

// elsewhere matches a message that begins by addressing a person.
var elsewhere = regexp.MustCompile(`^\s*<@[UW][A-Z0-9]+(\|[^>]*)?>`)

// addressedElsewhere: the gateway has removed the bot's own mention, so a message that
// begins with one is for somebody else; a mention of the bot anywhere makes it ours.
func addressedElsewhere(m workflow.Message) bool {
	return (m.Kind == workflow.IncomingReply || m.Kind == workflow.IncomingEdit) && elsewhere.MatchString(m.Text)
}

// Intake judges each message that nobody judged yet.
type Intake struct {
	approval.Judgements
	Catalog     *catalog.Catalog
	Permissions *permission.Permissions
	Approvals   *approval.Approvals
	Held        *approval.HeldWords
	Interview   *Interview
	Budget      *budget.Budget
	Skills      []skill.Skill
	Judged      func(workflow.Message, []store.Part) // called after each message was judged

	judging sync.Mutex // intake, which every agent of the turn calls between its model calls
}
