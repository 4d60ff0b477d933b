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
	"github.com/bobbinhq/bobbin/workflow/store"
)

// intake judges each message that nobody judged yet, in order of arrival: consent, stop
// and clicks are the program's business; the rest is for the agents. It runs at the start
// of a turn and before each model call, so a correction is never later than that.
func (t *turn) intake(ctx context.Context) error {
	t.judging.Lock()
	defer t.judging.Unlock()
	messages, err := t.Unhandled(ctx)
	if err != nil {
		return err
	}
	for _, m := range messages {
		fact, err := t.judge(ctx, m)
		if err != nil {
			return err
		}
		//crash:message_judged
		err = t.Record(ctx, fact...)
		if errors.Is(err, store.ErrStale) {
			said := "That does not count any more; something newer was said or shown."
			if _, approves := part[store.Approval](fact); approves {
				said = "That revision cannot be approved any more; the newest report is the one that counts."
			}
			err = t.Record(ctx, t.refuse(m, workflow.Person{ID: m.User}, "approve", "this revision cannot be approved any more", said+entered(m))...)
		}
		if err != nil {
			return err
		}
		//crash:message_handled
		t.heard(m, fact)
	}
	return nil
}

// heard acts on what was recorded: a stop ends the turn, and a word that makes what is
// under way pointless ends that.
func (t *turn) heard(m workflow.Message, f []store.Part) {
	if t.Session().Phase == workflow.PhaseStopped && t.halt != nil {
		t.halt(errStopped)
	}
	if p := t.here(); p != nil && p.repository.Name != t.Session().Repository && t.halt != nil {
		t.halt(errMoved)
	}
	if handled, _ := part[store.Handled](f); handled.ForAgents && m.Kind != workflow.IncomingAction && m.Kind != workflow.IncomingSent && workflow.Redirects(m.Text) {
		t.overtake()
	}
}

// judge says what follows from one message.
func (t *turn) judge(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	switch m.Kind {
	case workflow.IncomingDelete:
		return t.deleted(ctx, m)
	case workflow.IncomingEdit:
		return t.edited(ctx, m)
	case workflow.IncomingDue:
		return t.due(ctx, m)
	}
	if addressedElsewhere(m) {
		return t.ignore(m), nil
	}
	person, err := t.Slack.Person(ctx, t.Session().Thread, m.User)
	if err != nil {
		return t.unknown(m, err)
	}
	reason := mayTakePart(person)
	var f []store.Part
	switch {
	case m.Kind == workflow.IncomingSent:
		f, err = t.sent(ctx, m, person)
	case reason != "":
		return t.turnAway(m, person, reason), nil
	case m.Kind == workflow.IncomingAction:
		f, err = t.clicked(ctx, m, person)
	case m.Kind == workflow.IncomingForm:
		f, err = t.filled(ctx, m, person)
	default:
		f, err = t.said(ctx, m, person)
	}
	if err != nil {
		return f, err
	}
	return t.reopens(ctx, m, person, f)
}

// unknown: where Slack does not say who wrote, an approval is refused; other words are
// judged when Slack answers again.
func (t *turn) unknown(m workflow.Message, err error) ([]store.Part, error) {
	kind := workflow.ReadConsent(m.Text).Kind
	permits := slices.Contains([]string{"fix_it", "push_it", "confirm", workflow.ActionFixLimited, actionGoOn, actionPassOn}, m.ActionID)
	if m.Kind == workflow.IncomingSent || !permits && !workflow.AllowsPush(m.Text) && kind != workflow.ConsentApprove && kind != workflow.ConsentScoped {
		return nil, fmt.Errorf("read who wrote: %w", err)
	}
	t.log.Warn("approval refused: cannot read who gave it", "user", m.User, "err", err)
	return t.refuse(m, workflow.Person{ID: m.User}, "approve", "the person could not be looked up",
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
func (t *turn) said(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	consent := workflow.ReadConsent(m.Text)
	if consent.Kind == workflow.ConsentStop {
		return t.stop(ctx, m, p)
	}
	if p.Guest && m.TS == t.Session().Thread.TS {
		return t.turnAway(m, p, "guests cannot start work here; ask a full member to"), nil
	}
	if workflow.PassesOn(m.Text) {
		return t.passOn(ctx, m, p, 0)
	}
	held, err := t.heldBack(ctx, p)
	if err != nil {
		return nil, err
	}
	if held != "" && consent.Kind == workflow.ConsentScoped {
		return t.holdWords(m, p, held), nil
	}
	if held == "" {
		for _, judge := range []func(context.Context, workflow.Message, workflow.Person) ([]store.Part, bool, error){t.goOn, t.answered} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if workflow.AllowsPush(m.Text) {
		if w, err := t.waiting(ctx); err != nil {
			return nil, err
		} else if w != nil {
			return t.allow(ctx, m, p, "")
		}
	}
	if f, ok, err := t.allows(ctx, m, p); ok || err != nil {
		return f, err
	}
	switch waits := t.waitsForConsent(); {
	case consent.Kind == workflow.ConsentApprove, consent.Kind == workflow.ConsentScoped:
		return t.approve(ctx, m, p, t.Session().Revision, consent.Scope)
	case waits && workflow.Adopts(m.Text) && t.newestKind() == reportRequest: // "yes please do this", under it
		return t.approve(ctx, m, p, t.Session().Revision, "")
	case consent.Kind == workflow.ConsentUnclear && waits:
		return t.askConsent(m, p, consent.Scope), nil
	}
	if held == "" {
		for _, judge := range []func(context.Context, workflow.Message, workflow.Person) ([]store.Part, bool, error){t.adopts, t.commanded} {
			if f, ok, err := judge(ctx, m, p); ok || err != nil {
				return f, err
			}
		}
	}
	if t.Session().Branch != "" && workflow.AsksAboutDiff(m.Text) {
		return t.explainDiff(m), nil
	}
	if held != "" {
		return t.holdWords(m, p, held), nil
	}
	return t.forAgents(m, ""), nil
}

// waitsForConsent: a report or a plan stands in the thread and nothing else goes on.
func (t *turn) waitsForConsent() bool {
	p := t.Session().Phase
	return p == workflow.PhaseReported || p == workflow.PhasePlanShown
}

// clicked judges a button: its row says what it stands for.
func (t *turn) clicked(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	if m.ActionID == "stop" {
		ended, err := t.RunEnded(ctx, m.Value)
		if err == nil && ended {
			return t.answer(m, p.Name+": that run is over already, so nothing was stopped."), nil
		}
		if err != nil {
			return nil, err
		}
		return t.stop(ctx, m, p)
	}
	revision, means, ok, err := t.Button(ctx, m.ActionID, m.Value)
	if err != nil {
		return nil, err
	}
	if !ok {
		t.log.Warn("a button that was never shown", "user", m.User, "action", m.ActionID)
		return t.ignore(m), nil
	}
	switch m.ActionID {
	case actionPassOn:
		row, err := strconv.ParseInt(means, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("a button that passes %q on: %w", means, err)
		}
		return t.passOn(ctx, m, p, row)
	case actionGoOn:
		return t.resume(ctx, m, p, means)
	case "option", "wrap_up", "consult", workflow.ActionRepository, workflow.ActionChoose:
		if why, err := t.heldBack(ctx, p); why != "" || err != nil {
			return t.waitsFor(m, p, "speak", why), err
		}
	}
	switch m.ActionID {
	case "fix_it":
		return t.approve(ctx, m, p, revision, means)
	case "push_it":
		return t.allow(ctx, m, p, means)
	case workflow.ActionCorrect, workflow.ActionFixLimited, workflow.ActionRepository:
		return t.formPressed(m, p), nil
	case workflow.ActionChoose:
		return t.choseRepository(ctx, m, p, means)
	case "confirm":
		return t.confirmed(ctx, m, p, revision)
	case "option", "wrap_up":
		return t.chose(ctx, m, p, means)
	case "consult":
		return t.consultation(m, p, ""), nil
	}
	return t.ignore(m), nil
}

// stop ends what is under way; anybody who may take part can say it. Work that was approved
// goes on only at the word of somebody who may approve.
func (t *turn) stop(ctx context.Context, m workflow.Message, p workflow.Person) ([]store.Part, error) {
	return t.stopped(ctx, m, p, "Stopped, as "+p.Name+" asked.")
}

func (t *turn) stopped(ctx context.Context, m workflow.Message, p workflow.Person, said string) ([]store.Part, error) {
	mark := m.TS
	if !isMessage(m.Kind) {
		mark = fmt.Sprintf("0:%d", m.ID) // before any words
	}
	update := store.Update{ClearStop: true, Open: no, Change: func(s *workflow.Session) { s.Halted = mark }}
	f := append(t.ignore(m), store.Decision{What: "stop", Allowed: true, User: p.ID, MessageTS: m.TS})
	how, buttons, err := t.howToGoOn(ctx, p, mark)
	if err != nil {
		return nil, err
	}
	if t.Session().Phase == workflow.PhaseStopped {
		if m.Kind == workflow.IncomingMention || buttons != nil {
			f = append(f, store.Lines(t.program("It is stopped already. The work so far is kept; "+how, buttons...)))
		}
		return append(f, update), nil
	}
	if q, err := t.Store.Waiting(ctx, t.Session().ID); err != nil {
		return nil, err
	} else if q != nil { // what is written next is no answer to it
		f = append(f, store.Answer{Question: q.ID, Text: "stopped", User: p.ID})
	}
	update.Events = []workflow.Event{workflow.EventStop}
	return append(f, update, store.Lines(t.program(said+" The work so far is kept; "+how, buttons...))), nil
}

// howToGoOn says what lets stopped work go on, and has the button for it where something
// was approved.
func (t *turn) howToGoOn(ctx context.Context, p workflow.Person, mark string) (string, []workflow.Button, error) {
	approval, err := t.approval(ctx)
	if err != nil {
		return "", nil, err
	}
	if approval != nil {
		return "write \"go on\" here to go on.", t.goOnButton(mark), nil
	}
	if why, _, err := t.mayNotApprove(ctx, p); err != nil || why != "" {
		return "it goes on when somebody who may approve writes here.", nil, nil
	}
	return "write here to go on.", nil, nil
}

// deleted: without its request a session stops; another deleted message is told to the agents.
func (t *turn) deleted(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	if m.TS != t.Session().Thread.TS {
		read, err := t.ReadByAgents(ctx, m.TS, m.ID)
		if err != nil || !read {
			return t.ignore(m), err
		}
		approval, err := t.approval(ctx)
		f := t.forAgents(m, "A message of the thread was deleted. Do not rely on it any more, nor on what was attached to it.")
		f = append(f, store.Withdrawn(m.TS))
		if approval != nil || t.Session().Phase == workflow.PhaseStopped { // nobody's word to go on
			change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
		}
		return f, err
	}
	f, err := t.stopped(ctx, m, workflow.Person{ID: m.User}, "Stopped: the request was deleted.")
	if u, _ := part[store.Update](f); len(u.Events) == 0 { // it was stopped before, and that stop's button stays
		f = without[store.Lines](f)
		change(f, func(u *store.Update) { u.Change = nil })
	}
	return f, err
}

// edited: the new text is a correction, of whoever may take part. It is never consent,
// whatever it says. What is not in the inbox was written before there was a session, and
// read with the thread.
func (t *turn) edited(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	before, err := t.Original(ctx, m.TS, m.ID)
	if err != nil {
		return nil, err
	}
	if before == m.Text || addressedElsewhere(m) {
		return t.ignore(m), nil
	}
	person, err := t.Slack.Person(ctx, t.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who edited: %w", err)
	}
	if mayTakePart(person) != "" {
		return t.ignore(m), nil
	}
	if held, err := t.heldBack(ctx, person); err != nil {
		return nil, err
	} else if held != "" {
		return t.holdWords(m, person, held), nil
	}
	f := t.forAgents(m, "A message of the thread was edited. It reads now:\n"+fence("message", t.Slack.Readable(ctx, m.Text)))
	if t.Session().Phase == workflow.PhaseStopped { // it takes a new message to go on
		change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
	}
	return f, nil
}

// forAgents gives the message to the agents and opens the session for them.
func (t *turn) forAgents(m workflow.Message, told string) []store.Part {
	update := store.Update{Open: yes}
	if t.Session().Title == "" && isMessage(m.Kind) {
		update.Change = func(s *workflow.Session) { s.Title = firstLine(strings.TrimSpace(m.Text)) }
	}
	switch p := t.Session().Phase; {
	case p == workflow.PhaseReported && t.newestKind() == reportDiagnosis:
		update.Events = []workflow.Event{workflow.EventDiagnose}
	case p.Ended(), t.waitsForConsent():
		update.Events = []workflow.Event{workflow.EventRequest}
	}
	return []store.Part{store.Handled{ID: m.ID, ForAgents: true, Shown: told}, update}
}

func (t *turn) ignore(m workflow.Message) []store.Part {
	return []store.Part{store.Handled{ID: m.ID}}
}

// answer is said by the program itself, without an agent.
func (t *turn) answer(m workflow.Message, text string, buttons ...workflow.Button) []store.Part {
	f := t.ignore(m)
	f = append(f, store.Lines(t.program(text, buttons...)))
	return f
}

func (t *turn) refuse(m workflow.Message, p workflow.Person, what, reason, said string) []store.Part {
	f := t.answer(m, said)
	f = append(f, store.Decision{What: what, Reason: reason, User: p.ID, MessageTS: m.TS, Revision: t.Session().Revision})
	return f
}

// turnAway: a stop that was asked by somebody who may not is cleared. Only a request gets
// an answer; other words of such people get none.
func (t *turn) turnAway(m workflow.Message, p workflow.Person, reason string) []store.Part {
	f := t.ignore(m)
	change(f, func(h *store.Handled) { h.Held = isMessage(m.Kind) }) // until somebody who may approve makes it their own
	if m.TS == t.Session().Thread.TS {
		f = append(f, store.Update{Change: func(s *workflow.Session) { s.Title = "" }}) // what was not taken names nothing
	}
	if m.TS == t.Session().Thread.TS || m.Kind == workflow.IncomingMention || m.Kind == workflow.IncomingSent || m.Kind == workflow.IncomingAction || m.Kind == workflow.IncomingForm {
		f = append(f, store.Lines(t.program("I cannot take this: "+reason+".")))
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
