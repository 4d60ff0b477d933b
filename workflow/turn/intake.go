package turn

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// intake judges each message that nobody judged yet, in order of arrival: consent, stop
// and clicks are the program's business; the rest is for the agents. It runs at the start
// of a turn and before each model call, so a correction is never later than that.
func (in *Intake) intake(ctx context.Context) error {
	in.judging.Lock()
	defer in.judging.Unlock()
	messages, err := in.Unhandled(ctx)
	if err != nil {
		return err
	}
	for _, m := range messages {
		fact, err := in.judge(ctx, m)
		if err != nil {
			return err
		}
		//crash:message_judged
		err = in.Record(ctx, fact...)
		if errors.Is(err, store.ErrStale) {
			said := "That does not count any more; something newer was said or shown."
			if _, approves := part[store.Approval](fact); approves {
				said = "That revision cannot be approved any more; the newest report is the one that counts."
			}
			err = in.Record(ctx, in.Approvals.refuse(m, workflow.Person{ID: m.User}, "approve", "this revision cannot be approved any more", said+entered(m))...)
		}
		if err != nil {
			return err
		}
		//crash:message_handled
		in.handled(m, fact)
	}
	return nil
}

// heard acts on what was recorded: a stop ends the turn, and a word that makes what is
// under way pointless ends that.
func (t *turn) heard(m workflow.Message, f []store.Part) {
	if t.Session().Phase == workflow.PhaseStopped && t.halt != nil {
		t.halt(errStopped)
	}
	if p := t.Trees.here(); p != nil && p.repository.Name != t.Session().Repository && t.halt != nil {
		t.halt(errMoved)
	}
	if handled, _ := part[store.Handled](f); handled.ForAgents && m.Kind != workflow.IncomingAction && m.Kind != workflow.IncomingSent && intent.Redirects(m.Text) {
		t.Runtime.overtake()
	}
}

// judge says what follows from one message.
func (in *Intake) judge(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	switch m.Kind {
	case workflow.IncomingDelete:
		return in.deleted(ctx, m)
	case workflow.IncomingEdit:
		return in.edited(ctx, m)
	case workflow.IncomingDue:
		return in.due(ctx, m)
	}
	if addressedElsewhere(m) {
		return in.Approvals.ignore(m), nil
	}
	person, err := in.Slack.Person(ctx, in.Session().Thread, m.User)
	if err != nil {
		return in.Approvals.unknown(m, err)
	}
	reason := mayTakePart(person)
	var f []store.Part
	switch {
	case m.Kind == workflow.IncomingSent:
		f, err = in.sent(ctx, m, person)
	case reason != "":
		return in.turnAway(m, person, reason), nil
	case m.Kind == workflow.IncomingAction:
		f, err = in.clicked(ctx, m, person)
	case m.Kind == workflow.IncomingForm:
		f, err = in.filled(ctx, m, person)
	default:
		f, err = in.said(ctx, m, person)
	}
	if err != nil {
		return f, err
	}
	return in.Approvals.reopens(ctx, m, person, f)
}

// unknown: where Slack does not say who wrote, an approval is refused; other words are
// judged when Slack answers again.
func (ap *Approvals) unknown(m workflow.Message, err error) ([]store.Part, error) {
	kind := intent.ReadConsent(m.Text).Kind
	permits := slices.Contains([]string{"fix_it", "push_it", "confirm", workflow.ActionFixLimited, actionGoOn, actionPassOn}, m.ActionID)
	if m.Kind == workflow.IncomingSent || !permits && !intent.AllowsPush(m.Text) && kind != intent.ConsentApprove && kind != intent.ConsentScoped {
		return nil, fmt.Errorf("read who wrote: %w", err)
	}
	ap.log.Warn("approval refused: cannot read who gave it", "user", m.User, "err", err)
	return ap.refuse(m, workflow.Person{ID: m.User}, "approve", "the person could not be looked up",
		"Slack does not tell me who you are at this moment, so I take no approval. Please try again."+entered(m)), nil
}

// mayTakePart: guests may add to a thread but not start one; strangers and bots may not.
func mayTakePart(p workflow.Person) string {
	switch {
	case p.Bot:
		return "bots are not heard"
	case p.Stranger:
		return "people from outside this workspace are not heard here"
	case p.Deleted:
		return "that account is deactivated"
	}
	return ""
}

// said judges a message: stop, an answer, consent, a command, or words for the agents.
func (in *Intake) said(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	consent := intent.ReadConsent(m.Text)
	if consent.Kind == intent.ConsentStop {
		return in.stop(ctx, m, p)
	}
	if p.Guest && m.TS == in.Session().Thread.TS {
		return in.turnAway(m, p, "guests cannot start work here; ask a full member to"), nil
	}
	if intent.PassesOn(m.Text) {
		return in.Approvals.passOn(ctx, m, p, 0)
	}
	held, err := in.Permissions.heldBack(ctx, p)
	if err != nil {
		return nil, err
	}
	if held != "" && consent.Kind == intent.ConsentScoped {
		return in.Approvals.holdWords(m, p, held), nil
	}
	if held == "" {
		for _, judge := range []func(context.Context, workflow.Message, workflow.Person) ([]store.Part, bool, error){in.Approvals.goOn, in.answered} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if intent.AllowsPush(m.Text) {
		if w, err := in.Approvals.waiting(ctx); err != nil {
			return nil, err
		} else if w != nil {
			return in.Approvals.allow(ctx, m, p, "")
		}
	}
	if f, ok, err := in.allows(ctx, m, p); ok || err != nil {
		return f, err
	}
	switch waits := in.waitsForConsent(); {
	case consent.Kind == intent.ConsentApprove, consent.Kind == intent.ConsentScoped:
		return in.Approvals.approve(ctx, m, p, in.Session().Revision, consent.Scope)
	case waits && intent.Adopts(m.Text) && in.newestKind() == reportRequest: // "yes please do this", under it
		return in.Approvals.approve(ctx, m, p, in.Session().Revision, "")
	case consent.Kind == intent.ConsentUnclear && waits:
		return in.Approvals.askConsent(m, p, consent.Scope), nil
	}
	if held == "" {
		for _, judge := range []func(context.Context, workflow.Message, workflow.Person) ([]store.Part, bool, error){in.Approvals.adopts, in.commanded} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if in.Session().Branch != "" && intent.AsksAboutDiff(m.Text) {
		return in.explainDiff(m), nil
	}
	if held != "" {
		return in.Approvals.holdWords(m, p, held), nil
	}
	return in.Approvals.forAgents(m, ""), nil
}

// waitsForConsent: a report or a plan stands in the thread and nothing else goes on.
func (l *Ledger) waitsForConsent() bool {
	p := l.Session().Phase
	return p == workflow.PhaseReported || p == workflow.PhasePlanShown
}

// clicked judges a button: its row says what it stands for.
func (in *Intake) clicked(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	if m.ActionID == "stop" {
		ended, err := in.RunEnded(ctx, m.Value)
		if err == nil && ended {
			return in.Approvals.answer(m, p.Name+": that run is over already, so nothing was stopped."), nil
		}
		if err != nil {
			return nil, err
		}
		return in.stop(ctx, m, p)
	}
	revision, means, ok, err := in.Button(ctx, m.ActionID, m.Value)
	if err != nil {
		return nil, err
	}
	if !ok {
		in.log.Warn("a button that was never shown", "user", m.User, "action", m.ActionID)
		return in.Approvals.ignore(m), nil
	}
	switch m.ActionID {
	case actionPassOn:
		row, err := strconv.ParseInt(means, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("a button that passes %q on: %w", means, err)
		}
		return in.Approvals.passOn(ctx, m, p, row)
	case actionGoOn:
		return in.Approvals.resume(ctx, m, p, means)
	case "option", "wrap_up", "consult", workflow.ActionRepository, workflow.ActionChoose:
		if why, err := in.Permissions.heldBack(ctx, p); why != "" || err != nil {
			return in.Approvals.waitsFor(m, p, "speak", why), err
		}
	}
	switch m.ActionID {
	case "fix_it":
		return in.Approvals.approve(ctx, m, p, revision, means)
	case "push_it":
		return in.Approvals.allow(ctx, m, p, means)
	case workflow.ActionCorrect, workflow.ActionFixLimited, workflow.ActionRepository:
		return in.formPressed(m, p), nil
	case workflow.ActionChoose:
		return in.choseRepository(ctx, m, p, means)
	case "confirm":
		return in.Approvals.confirmed(ctx, m, p, revision)
	case "option", "wrap_up":
		return in.chose(ctx, m, p, means)
	case "consult":
		return in.consultation(m, p, ""), nil
	}
	return in.Approvals.ignore(m), nil
}

// stop ends what is under way; anybody who may take part can say it. Work that was approved
// goes on only at the word of somebody who may approve.
func (in *Intake) stop(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	return in.stopped(ctx, m, p, "Stopped, as "+p.Name+" asked.")
}

func (in *Intake) stopped(ctx context.Context, m workflow.Message, p workflow.Person, said string) ([]store.Part, error) {
	mark := m.TS
	if !isMessage(m.Kind) {
		mark = fmt.Sprintf("0:%d", m.ID) // before any words
	}
	update := store.Update{ClearStop: true, Open: no, Change: func(s *workflow.Session) { s.Halted = mark }}
	f := append(in.Approvals.ignore(m), store.Decision{What: "stop", Allowed: true, User: p.ID, MessageTS: m.TS})
	how, buttons, err := in.howToGoOn(ctx, p, mark)
	if err != nil {
		return nil, err
	}
	if in.Session().Phase == workflow.PhaseStopped {
		if m.Kind == workflow.IncomingMention || buttons != nil {
			f = append(f, store.Lines(in.program("It is stopped already. The work so far is kept; "+how, buttons...)))
		}
		return append(f, update), nil
	}
	if q, err := in.Store.Waiting(ctx, in.Session().ID); err != nil {
		return nil, err
	} else if q != nil { // what is written next is no answer to it
		f = append(f, store.Answer{Question: q.ID, Text: "stopped", User: p.ID})
	}
	update.Events = []workflow.Event{workflow.EventStop}
	return append(f, update, store.Lines(in.program(said+" The work so far is kept; "+how, buttons...))), nil
}

// howToGoOn says what lets stopped work go on, and has the button for it where something
// was approved.
func (in *Intake) howToGoOn(ctx context.Context, p workflow.Person, mark string) (string, []workflow.Button, error) {
	approval, err := in.approval(ctx)
	if err != nil {
		return "", nil, err
	}
	if approval != nil {
		return "write \"go on\" here to go on.", in.Approvals.goOnButton(mark), nil
	}
	if why, _, err := in.Permissions.mayNotApprove(ctx, p); err != nil || why != "" {
		return "it goes on when somebody who may approve writes here.", nil, nil
	}
	return "write here to go on.", nil, nil
}

// deleted: without its request a session stops; another deleted message is told to the agents.
func (in *Intake) deleted(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	if m.TS != in.Session().Thread.TS {
		read, err := in.ReadByAgents(ctx, m.TS, m.ID)
		if err != nil || !read {
			return in.Approvals.ignore(m), err
		}
		approval, err := in.approval(ctx)
		f := in.Approvals.forAgents(m, "A message of the thread was deleted. Do not rely on it any more, nor on what was attached to it.")
		f = append(f, store.Withdrawn(m.TS))
		if approval != nil || in.Session().Phase == workflow.PhaseStopped { // nobody's word to go on
			change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
		}
		return f, err
	}
	f, err := in.stopped(ctx, m, workflow.Person{ID: m.User}, "Stopped: the request was deleted.")
	if u, _ := part[store.Update](f); len(u.Events) == 0 { // it was stopped before, and that stop's button stays
		f = without[store.Lines](f)
		change(f, func(u *store.Update) { u.Change = nil })
	}
	return f, err
}

// edited: the new text is a correction, of whoever may take part. It is never consent,
// whatever it says. What is not in the inbox was written before there was a session, and
// read with the thread.
func (in *Intake) edited(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	before, err := in.Original(ctx, m.TS, m.ID)
	if err != nil {
		return nil, err
	}
	if before == m.Text || addressedElsewhere(m) {
		return in.Approvals.ignore(m), nil
	}
	person, err := in.Slack.Person(ctx, in.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who edited: %w", err)
	}
	if mayTakePart(person) != "" {
		return in.Approvals.ignore(m), nil
	}
	if held, err := in.Permissions.heldBack(ctx, person); err != nil {
		return nil, err
	} else if held != "" {
		return in.Approvals.holdWords(m, person, held), nil
	}
	f := in.Approvals.forAgents(m, "A message of the thread was edited. It reads now:\n"+fence("message", in.Slack.Readable(ctx, m.Text)))
	if in.Session().Phase == workflow.PhaseStopped { // it takes a new message to go on
		change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
	}
	return f, nil
}

// forAgents gives the message to the agents and opens the session for them.
func (ap *Approvals) forAgents(m workflow.Message, told string) []store.Part {
	update := store.Update{Open: yes}
	if ap.Session().Title == "" && isMessage(m.Kind) {
		update.Change = func(s *workflow.Session) { s.Title = firstLine(strings.TrimSpace(m.Text)) }
	}
	switch p := ap.Session().Phase; {
	case p == workflow.PhaseReported && ap.newestKind() == reportDiagnosis:
		update.Events = []workflow.Event{workflow.EventDiagnose}
	case p.Ended(), ap.waitsForConsent():
		update.Events = []workflow.Event{workflow.EventRequest}
	}
	return []store.Part{store.Handled{ID: m.ID, ForAgents: true, Shown: told}, update}
}

func (ap *Approvals) ignore(m workflow.Message) []store.Part {
	return []store.Part{store.Handled{ID: m.ID}}
}

// answer is said by the program itself, without an agent.
func (ap *Approvals) answer(m workflow.Message, text string, buttons ...workflow.Button) []store.Part {
	f := ap.ignore(m)
	f = append(f, store.Lines(ap.program(text, buttons...)))
	return f
}

func (ap *Approvals) refuse(m workflow.Message, p workflow.Person, what, reason, said string) []store.Part {
	f := ap.answer(m, said)
	f = append(f, store.Decision{What: what, Reason: reason, User: p.ID, MessageTS: m.TS, Revision: ap.Session().Revision})
	return f
}

// turnAway: a stop that was asked by somebody who may not is cleared. Only a request gets
// an answer; other words of such people get none.
func (in *Intake) turnAway(m workflow.Message, p workflow.Person, reason string) []store.Part {
	f := in.Approvals.ignore(m)
	change(f, func(h *store.Handled) { h.Held = isMessage(m.Kind) }) // until somebody who may approve makes it their own
	if m.TS == in.Session().Thread.TS {
		f = append(f, store.Update{Change: func(s *workflow.Session) { s.Title = "" }}) // what was not taken names nothing
	}
	if m.TS == in.Session().Thread.TS || m.Kind == workflow.IncomingMention || m.Kind == workflow.IncomingSent || m.Kind == workflow.IncomingAction || m.Kind == workflow.IncomingForm {
		f = append(f, store.Lines(in.program("I cannot take this: "+reason+".")))
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
