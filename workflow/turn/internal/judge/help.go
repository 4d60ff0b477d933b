package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/view"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// A Helper knows what people are told who ask what the bot can do.
type Helper interface {
	Help(ctx context.Context, q workflow.HelpQuestion) (workflow.Help, error)
}

// asksForHelp reports whether the message is empty, or only asks what the bot can do or does. A greeting
// counts if it calls the bot at the top of a channel or in a direct message. A message with files says
// something.
func (c *Case) asksForHelp() bool {
	says := c.says()
	greets := says.OnlyGreets && c.begins() && isKind(workflow.MessageMention)(c)
	asks := says.AsksForHelp || says.AsksForStatus || greets
	return asks && c.Message.App() == "" && !get(c, &c.hasFiles)
}

// hasFiles reports whether files were shared with the message. Of a mention's two events one may come without
// them, so Slack is asked if none is known.
func (j *Judge) hasFiles(ctx context.Context, m intent.Message) (bool, error) {
	known, err := j.Store.Attachments(ctx, j.Session().ID)
	if err != nil {
		return false, fmt.Errorf("read the files of a message: %w", err)
	}
	if slices.ContainsFunc(known, func(a workflow.Attachment) bool { return a.Message == m.TS }) {
		return true, nil
	}
	_, files, _, err := j.Slack.Reread(ctx, j.Session().ThreadOf(m.TS), m.TS)
	if err != nil {
		j.Log.Warn("cannot read whether a message has files", "err", err)
	}
	return len(files) > 0, nil
}

// giveHelp answers who asks what the bot can do. Everybody may read the answer below a message that begins a
// thread; elsewhere its writer alone. Who asks in a thread what the bot does is told only that.
func (j *Judge) giveHelp(ctx context.Context, c *Case) ([]store.Part, error) {
	m := c.Message
	s := c.Session
	if c.says().AsksForStatus && !c.begins() {
		return append(j.Ignore(m), whisper(c, j.ProgramLine(j.sayThread(c)))), nil
	}
	q := workflow.HelpQuestion{Channel: s.Thread.Channel}
	if c.begins() && !strings.HasPrefix(q.Channel, "D") {
		outsiders, err := j.Slack.Outsiders(ctx, s.Thread.Channel)
		q.Guests = outsiders || err != nil
	} else {
		q.Reader = c.person()
	}
	help, err := j.helpFor(ctx, q)
	if err != nil {
		return nil, err
	}
	if !c.begins() {
		help.Thread = j.sayThread(c)
	}
	said := j.ProgramLine(help.Markdown())
	if c.begins() {
		untitled := func(s *workflow.Session) { s.Title = "" }
		return append(j.Ignore(m), store.Lines(said), store.Update{Change: untitled}), nil
	}
	if outsiders, err := j.Slack.Outsiders(ctx, s.Thread.Channel); outsiders || err != nil {
		// it names what outsiders may not know of, so it is not said in the thread instead
		return append(j.Ignore(m), store.Hint{Key: helpKey(m), User: m.User, Text: said[0].String()}), nil
	}
	return append(j.Ignore(m), whisper(c, said)), nil
}

// whisper returns a line that the writer of the message alone sees, or everybody in the thread if Slack shows
// it to nobody alone.
func whisper(c *Case, said []workflow.Line) store.PrivateLine {
	m := c.Message
	return store.PrivateLine{Key: helpKey(m), User: m.User, Name: c.person().Name, Line: said[0]}
}

func helpKey(m intent.Message) string { return fmt.Sprint("help:", m.ID) }

func (j *Judge) helpFor(ctx context.Context, q workflow.HelpQuestion) (workflow.Help, error) {
	if j.Helper == nil {
		return workflow.Help{}, nil
	}
	help, err := j.Helper.Help(ctx, q)
	help.Page = "" // its link is for one person and some hours, and this is recorded
	return help, err
}

// standsHeld says how a thread stands for somebody whose words are held back there.
func (c *Case) standsHeld() string {
	s := c.Session
	switch {
	case c.questionWaits():
		return "I wait for the answer of somebody who may approve to my question."
	case s.Phase == workflow.PhaseStopped:
		return "It is stopped, until somebody who may approve lets it go on."
	case s.Phase == workflow.PhasePaused:
		return "It waits for the decision of somebody who may approve."
	case s.Open:
		return "I am at work."
	}
	return "It rests."
}

// sayThread says what the thread waits for, and what the person of the case can say in it.
func (j *Judge) sayThread(c *Case) string {
	s := c.Session
	switch may := get(c, &c.mayApprove); {
	case may.err == nil && may.why == "" || get(c, &c.nothingRan):
	case get(c, &c.held) != "":
		return c.standsHeld() + " What you write here waits until somebody who may approve passes it on; " +
			`"stop" and an objection count at once.`
	case s.Phase.AwaitsConsent():
		return "It waits for somebody who may approve. If something is wrong, say what, and I look again."
	}
	switch {
	case get(c, &c.nothingRan):
		return `Nobody asked me anything here yet. To have this thread looked into, mention me and write ` +
			`"look into this".`
	case c.questionWaits():
		return "I wait for the answer to my question: press one of its buttons, or reply."
	case s.Phase == workflow.PhasePlanShown:
		return `A plan waits for its approval: "Start", or "approve" in a reply; anything else corrects it.`
	case s.Phase.AwaitsConsent():
		return `A report waits for its approval: "fix it", or say what is wrong.`
	case s.Phase == workflow.PhaseStopped:
		return `It is stopped. Somebody who may approve can say "go on".`
	case s.Phase == workflow.PhasePaused:
		return "It waits for a decision: my newest message with buttons says which."
	case s.Open:
		return `I am at work. Reply to correct me, or say "stop".`
	}
	return "It rests. Reply to go on with it."
}

// welcome adds, below the first direct message of a person that asks for something, where help is.
func (j *Judge) welcome(ctx context.Context, c *Case, f []store.Part) ([]store.Part, error) {
	s := c.Session
	if !c.begins() || !strings.HasPrefix(s.Thread.Channel, "D") {
		return f, nil
	}
	if u, ok := ledger.Find[store.Update](f); !ok || u.Open == nil || !*u.Open {
		return f, nil
	}
	first, err := view.IsFirst(ctx, j.Store.DB, s)
	if err != nil || !first {
		return f, err
	}
	said := "This is your first message to me: `help` says what I can do, who may approve and what it costs."
	return append(f, store.Lines(j.ProgramLine(said))), nil
}
