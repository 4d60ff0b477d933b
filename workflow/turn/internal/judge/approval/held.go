package approval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Before an approval, people who may not approve can report, ask and correct like anybody else. Once
// work is approved or stopped, their messages reach no agent: they are held, and offered to people who
// may approve, who can pass them on.

// HoldWords holds a message back until a person who may approve passes it on, and says so in one line. A
// message that only thanks is not held.
func (hw *HeldWords) HoldWords(
	ctx context.Context, m intent.Message, p workflow.Person, why string,
) ([]store.Part, error) {
	f := hw.Ignore(m)
	if m.Says.Acknowledges {
		return f, nil
	}
	return hw.AlsoHold(ctx, f, m, p, why)
}

// AlsoHold is HoldWords for a message that has been judged, such as a stop that says more.
func (hw *HeldWords) AlsoHold(
	ctx context.Context, f []store.Part, m intent.Message, p workflow.Person, why string,
) ([]store.Part, error) {
	said := fmt.Sprintf("%s, this waits for an approver (%s).", p.Name, why)
	if m.Kind != workflow.MessageForm { // the entered text is already in the thread, above this line
		said = strings.TrimSuffix(said, ".") + ": " + quoteShortened(m.Text, maxHeldQuote)
	}
	return hw.hold(ctx, f, m, p.ID, why, hw.ProgramLine(said, passOnButton(m)))
}

func passOnButton(m intent.Message) workflow.Button {
	return workflow.Button{
		ActionID: workflow.ButtonPassOn,
		Label:    "Pass it on",
		Value:    store.NewToken(),
		Means:    strconv.FormatInt(m.ID, 10),
	}
}

// hold marks a message as held, and says so in lines. They call the approvers, unless those were called for
// another message at the same revision before.
func (hw *HeldWords) hold(
	ctx context.Context, f []store.Part, m intent.Message, user, why string, lines []workflow.Line,
) ([]store.Part, error) {
	before, err := hw.Store.Decisions(ctx, hw.Session().ID)
	if err != nil {
		return nil, fmt.Errorf("what is held already: %w", err)
	}
	revision := hw.Session().Revision
	if !slices.ContainsFunc(before, func(d workflow.Decision) bool {
		held := d.What == workflow.DecideSpeak && strings.HasPrefix(d.Reason, heldFor)
		return held && d.Revision == revision
	}) {
		if lines[0].Mentions, err = hw.Permissions.ToMention(ctx); err != nil {
			return nil, err
		}
	}
	ledger.Change(f, func(h *inbox.Handled) { h.Held = true })
	return append(f, consent.Decision{
		What:      workflow.DecideSpeak,
		Reason:    heldFor + why,
		User:      user,
		MessageTS: m.TS,
		Revision:  revision,
	}, store.Replies(lines)), nil
}

// heldFor begins the reason of the decision to hold a message.
const heldFor = "held for an approver: "

// HoldRemark holds back a remark on a pull request until a person who may approve passes it on. The remark is
// nowhere else in the thread, so the line shows all of it: agents get all of it, as that person's own words.
func (hw *HeldWords) HoldRemark(
	ctx context.Context, m intent.Message, on, why string,
) ([]store.Part, error) {
	quoted := " " + quoteShortened(m.Text, maxHeldQuote)
	if quoted != ` "`+m.Text+`"` {
		quoted = "\n" + prompt.Quote(m.Text)
	}
	lines := hw.ProgramLine(fmt.Sprintf("%s wrote on %s, which waits for an approver (%s):%s",
		plaintext.OneLine(m.Value), on, why, quoted), passOnButton(m))
	return hw.hold(ctx, hw.Ignore(m), m, m.User, why, lines)
}

// RefusePress refuses a press that is reserved for people who may approve. The button stays for them.
func (hw *HeldWords) RefusePress(
	ctx context.Context, m intent.Message, p workflow.Person, what workflow.DecisionKind, why string,
) []store.Part {
	said := fmt.Sprintf("This waits for an approver (%s).", why)
	if approvers, err := hw.Permissions.Approvers(ctx); err == nil {
		said = hw.Permissions.RefusalText(ctx, p, why, approvers)
	}
	return hw.Refuse(m, p, what, why, said)
}

// maxHeldQuote is how many characters of a held message are quoted beside its button, so that people see
// which message it passes on.
const maxHeldQuote = 100

// PassOn gives held messages to the agents, in the name of a person who may approve: the message of that
// inbox row or, if row is 0, all that were offered above m.
func (hw *HeldWords) PassOn(
	ctx context.Context, m intent.Message, p workflow.Person, row int64,
) ([]store.Part, error) {
	refused := func(reason, said string) ([]store.Part, error) {
		return hw.Refuse(m, p, workflow.DecideAdopt, reason, said), nil
	}
	why, approvers, err := hw.Permissions.ApprovalRefusal(ctx, p)
	if err != nil {
		hw.Log.Warn("nothing is passed on: cannot read who may approve", "user", p.ID, "err", err)
		why = "Slack does not tell who may approve at this moment"
	}
	if why != "" {
		return refused(why, hw.Permissions.RefusalText(ctx, p, why, approvers))
	}
	rows := []int64{row}
	if row == 0 {
		if rows, err = hw.Inbox().Offered(ctx, m.TS); err != nil {
			return nil, err
		}
	}
	passed, err := hw.readPassed(ctx, m, rows)
	switch {
	case err != nil:
		hw.Log.Warn("nothing is passed on: cannot read the messages", "err", err)
		return refused("the message could not be read",
			"Slack does not let me read that message at this moment. Please try again.")
	case len(passed.rows) == 0:
		return refused("nothing waits",
			"There is nothing to pass on. It was passed on already, or changed since.")
	}
	if s := hw.Session(); s.Halted != "" && passed.goOn {
		if passed.beforeStop || permission.IsMessage(m.Kind) && WrittenBefore(m.Message, s.Halted) {
			return hw.Refuse(m, p, workflow.DecideResume, "written before the stop",
				"That was written before somebody said stop. Please press the button of that stop, or write "+
					"\"go on\"."), nil
		}
		f, err := hw.Resume(ctx, m, p, s.Halted)
		if _, ok := ledger.Find[consent.Permission](f); ok {
			f = append(f, inbox.Passed(passed.over))
		}
		return f, err
	}
	f := hw.ForAgents(m, fmt.Sprintf("%s, who may approve, passes on what others wrote. "+
		"Take it as %s's own words: what was approved sets its bounds.\n%s",
		prompt.PersonName(p.Name), prompt.PersonName(p.Name), strings.Join(passed.told, "\n")))
	f = append(f, inbox.Passed(passed.over), consent.Amendment{Text: strings.Join(passed.words, "\n")})
	f = append(f,
		permission.NewPermission(m.Message, p, workflow.PermitAdopt, hw.Session().Revision, passed.rows...))
	f = append(f, consent.Decision{
		What:      workflow.DecideAdopt,
		Allowed:   true,
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  hw.Session().Revision,
	})
	q, err := hw.Store.Waiting(ctx, hw.Session().ID)
	if err != nil {
		return nil, err
	}
	if q != nil && !hw.AwaitsConsent() {
		below, err := hw.belowQuestion(ctx, passed)
		if err != nil {
			return nil, err
		}
		if below {
			ledger.Change(f, func(h *inbox.Handled) { h.Answers = true })
			f = append(f, progress.Answer{Question: q.ID, Text: strings.Join(passed.said, ", "), User: p.ID})
		}
	}
	if m.Kind != workflow.MessageAction {
		f = append(f, store.Lines(hw.ProgramLine(fmt.Sprintf("Passed on, as %s said: %s", p.Name,
			strings.Join(passed.said, ", ")))))
	}
	return f, nil
}

// belowQuestion reports whether all that is passed on was written in the thread below the newest question.
// What was written before it answers another one, and a remark or a correction in a form answers none.
func (hw *HeldWords) belowQuestion(ctx context.Context, passed passing) (bool, error) {
	shown, _, err := hw.Store.QuestionTS(ctx, hw.Session().ID)
	return shown != "" && !slices.ContainsFunc(passed.messages, func(h workflow.Message) bool {
		return h.Kind != workflow.MessageMention && h.Kind != workflow.MessageReply || h.TS < shown
	}), err
}

// passing holds the messages that a person passes on.
type passing struct {
	messages []workflow.Message
	// rows: the messages passed on; over: all that stop waiting, with older versions of the same messages
	rows, over []int64
	told, said []string // told: texts for agents; said: quotes for the thread
	words      []string // texts for the record of what was approved
	goOn       bool     // all messages say only that stopped work may go on
	beforeStop bool     // one of the messages is from before the newest stop
}

// readPassed reads those of the held messages that were written before m and still say what they said
// when they were held.
func (hw *HeldWords) readPassed(ctx context.Context, m intent.Message, rows []int64) (p passing, err error) {
	all, err := hw.Inbox().Held(ctx)
	if err != nil {
		return p, err
	}
	p.goOn = true
	for _, h := range all {
		if !slices.Contains(rows, h.ID) || h.ID > m.ID {
			continue
		}
		if stands, err := hw.readsAsBefore(ctx, h); err != nil {
			return p, err
		} else if !stands {
			continue
		}
		for _, o := range all {
			if o.ID == h.ID || o.TS == h.TS && o.TS != "" && o.Kind != workflow.MessageForm {
				p.over = append(p.over, o.ID)
			}
		}
		p.goOn = p.goOn && hw.Words.SaysGoOn(h.Text)
		p.beforeStop = p.beforeStop || WrittenBefore(h, hw.Session().Halted)
		wrote := hw.PersonName(ctx, h.User) + " wrote"
		if h.Kind == workflow.MessageSent {
			wrote = fmt.Sprintf("%s sent a message of %s", hw.PersonName(ctx, h.User), hw.WriterOf(ctx, h))
		} else if h.Kind == workflow.MessageRemark {
			on, _, err := hw.Permissions.Catalog.RemarkedOn(ctx, h)
			if err != nil {
				return p, err
			}
			wrote = prompt.PersonName(h.Value) + " wrote on " + on
		}
		p.messages = append(p.messages, h)
		p.rows = append(p.rows, h.ID)
		p.said = append(p.said, quoteShortened(h.Text, maxHeldQuote))
		words := hw.Slack.Readable(ctx, h.Text)
		p.told = append(p.told, wrote+":\n"+prompt.Fence("message", words))
		p.words = append(p.words, wrote+": "+words)
	}
	return p, nil
}

// PressedStop returns the mark of a stop that is no message: a press, a deletion or a form. It sorts before
// the ts of any message, and says when the stop was made and what its row is. Marks of older releases have
// only the row.
func PressedStop(m workflow.Message) string {
	return fmt.Sprintf("0:%d.%06d:%d", m.At.Unix(), m.At.Nanosecond()/1000, m.ID)
}

// WrittenBefore reports whether a message is from before the stop with that mark, though it may have come
// after it: Slack delivers late what could not be stored, and a gap is read afterwards. The mark of a stop in
// words is its ts, that of another one ends with its row. What has no ts is taken to be from before a stop in
// words.
func WrittenBefore(m workflow.Message, mark string) bool {
	if !strings.HasPrefix(mark, "0:") {
		return m.TS < mark
	}
	last := strings.LastIndexByte(mark, ':')
	row, err := strconv.ParseInt(mark[last+1:], 10, 64)
	if err != nil || m.ID < row {
		return true
	}
	_, at, _ := strings.Cut(mark[:last], ":")
	_, err = strconv.ParseFloat(at, 64)
	return err == nil && permission.IsMessage(m.Kind) && m.TS < at
}

// GoOnButton returns the button that lets work go on after the stop with that mark. It does not count
// after a later stop.
func GoOnButton(mark string) []workflow.Button {
	return []workflow.Button{{
		ActionID: workflow.ButtonGoOn, Label: "Go on", Value: store.NewToken(), Means: mark,
	}}
}

// GoOn asks a person who may approve whether a message lets stopped work go on. Only a message that says so
// (intent.Reading.GoesOn), and is no answer to others who talk above it, does without being asked about.
// toAgents says that the agents read it, too.
func (hw *HeldWords) GoOn(
	ctx context.Context, m intent.Message, p workflow.Person, toAgents bool,
) []store.Part {
	s := hw.Session()
	f := hw.Ignore(m)
	if toAgents {
		f = hw.ForAgents(m, "")
	}
	question := fmt.Sprintf("%s, shall I read %s as your word that the stopped work goes on (revision %d)? "+
		"Press the button, or write \"go on\" and nothing else.", p.Name, hw.QuoteWords(ctx, m), s.Revision)
	asked := consent.Decision{
		What:      workflow.DecideResume,
		Reason:    "unclear, asked",
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  s.Revision,
	}
	return append(f, store.Lines(hw.ProgramLine(question, GoOnButton(s.Halted)...)), asked)
}

// Resume lets approved work go on after the stop with that mark. When the parts are recorded, the
// message that offered it gets a note of who let the work go on (store.Turn.Record).
func (hw *HeldWords) Resume(
	ctx context.Context, m intent.Message, p workflow.Person, mark string,
) ([]store.Part, error) {
	s := hw.Session()
	why, approvers, err := hw.Permissions.ApprovalRefusal(ctx, p)
	if err != nil {
		hw.Log.Warn("nothing goes on: cannot read who may approve", "user", p.ID, "err", err)
		why = "Slack does not tell who may approve at this moment"
	}
	if why != "" {
		return hw.Refuse(m, p, workflow.DecideResume, why,
			hw.Permissions.RefusalText(ctx, p, why, approvers)), nil
	}
	a, err := hw.StandingApproval(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case a == nil || s.Halted == "":
		return hw.Refuse(m, p, workflow.DecideResume, "nothing is stopped",
			"Nothing is stopped that could go on."), nil
	case mark != s.Halted:
		return hw.Refuse(m, p, workflow.DecideResume, "an older stop", "Somebody said stop again since. "+
			"Please press the newest button, or write \"go on\"."), nil
	}
	void, err := hw.void(ctx, a)
	if err != nil {
		return nil, err
	}
	told := fmt.Sprintf("%s lets the stopped work go on. What was approved as revision %d stands. "+
		"Delegate again what was interrupted; its files are kept.", prompt.PersonName(p.Name), s.Revision)
	if void != nil {
		told = fmt.Sprintf(
			"%s lets the stopped work go on. The approval of revision %d was taken back: do the work and "+
				"call finish, which asks for a new word before the push.",
			prompt.PersonName(p.Name), s.Revision,
		)
	}
	if permission.IsMessage(m.Kind) && !m.Says.SaysGoOn {
		told += " Their words:\n" + prompt.Fence("message", hw.Slack.Readable(ctx, m.Text))
	}
	f := hw.ForAgents(m, told)
	f = append(f, progress.ResumedInquiries{},
		permission.NewPermission(m.Message, p, workflow.PermitResume, s.Revision))
	f = append(f,
		consent.Decision{
			What:      workflow.DecideResume,
			Allowed:   true,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  s.Revision,
		})
	return f, nil
}

// Reopen adds a permission of p to parts that open a stopped session without an approval. If p may not
// approve, or wrote before the stop, it refuses instead, and the session stays stopped.
func (hw *HeldWords) Reopen(
	ctx context.Context, m intent.Message, p workflow.Person, f []store.Part,
) ([]store.Part, error) {
	s := hw.Session()
	opens := slices.ContainsFunc(f, func(x store.Part) bool {
		u, _ := x.(store.Update)
		return u.Opens() || slices.Contains(u.Events, workflow.EventRequest) ||
			slices.Contains(u.OptionalEvents, workflow.EventRequest)
	})
	if _, permitted := ledger.Find[consent.Permission](f); s.Phase != workflow.PhaseStopped || s.Joined() ||
		!opens || permitted {
		return f, nil
	}
	if why, err := hw.Permissions.HoldReason(ctx, p); err != nil {
		return f, err
	} else if why != "" {
		return hw.RefusePress(ctx, m, p, workflow.DecideResume, why), nil
	}
	if a, err := hw.StandingApproval(ctx); err != nil || a != nil {
		return f, err
	}
	if (m.Kind == workflow.MessageMention || m.Kind == workflow.MessageReply) &&
		WrittenBefore(m.Message, s.Halted) {
		return hw.Refuse(m, p, workflow.DecideResume, "written before the stop",
			"That was written before somebody said stop. Write here again, and I go on."), nil
	}
	f = append(f, progress.ResumedInquiries{},
		permission.NewPermission(m.Message, p, workflow.PermitResume, s.Revision))
	return f, nil
}

// WriterOf returns in words who wrote a message that another person sent to the bot.
func (hw *HeldWords) WriterOf(ctx context.Context, m workflow.Message) string {
	switch {
	case m.Value == "":
		return "an app"
	case m.Value == m.User:
		return "the same person"
	}
	if w, err := hw.Slack.Person(ctx, hw.Session().Thread, m.Value); err == nil && w.Name != "" {
		return prompt.PersonName(w.Name)
	}
	return prompt.PersonName(m.Value)
}

// quoteShortened returns a text in one line, in quotation marks, cut after most characters.
func quoteShortened(text string, most int) string {
	return `"` + plaintext.CutLine(plaintext.OneLine(text), most) + `"`
}
