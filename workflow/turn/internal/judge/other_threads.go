package judge

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/view"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// otherThreads judges a stop in a thread in which nothing ever ran, such as "@bobbin stop" at the top of a
// channel: it is about other threads. They are named, each with a button that stops it, and this thread stays
// one to which the bot does not listen until it is called again.
type otherThreads struct{ *Judge }

// maxThreads is how many threads one line names.
const maxThreads = 5

// isFresh reports whether agents were given nothing in this thread and nothing was shown in it.
func (o otherThreads) isFresh(ctx context.Context) (bool, error) {
	s := o.Session()
	if s.Open || s.Revision > 0 || s.Phase != workflow.PhaseExploring {
		return false, nil
	}
	read, err := o.Inbox().Read(ctx)
	if err != nil || len(read) > 0 {
		return false, err
	}
	asked, err := o.Store.Inquiries(ctx, s.ID)
	return len(asked) == 0, err
}

// nameThreads returns the parts of the line that names the threads at work.
func (o otherThreads) nameThreads(
	ctx context.Context, m intent.Message, p workflow.Person,
) ([]store.Part, error) {
	s := o.Session()
	at := "in this channel"
	direct := strings.HasPrefix(s.Thread.Channel, "D")
	of := view.SessionFilter{Channel: s.Thread.Channel, Except: s.ID}
	if direct {
		at = "here"
		of.Requester = p.ID
	}
	all, err := view.AtWork(ctx, o.Store.DB, of)
	if err != nil {
		return nil, err
	}
	var named []string
	var buttons []workflow.Button
	more := 0
	for _, other := range all {
		switch {
		case other.Thread.Channel != s.Thread.Channel && !o.mayName(ctx, other.ID):
			continue
		case len(named) == maxThreads:
			more++
			continue
		}
		by := plaintext.OneLine(o.nameOf(ctx, other.Requester))
		named = append(named, fmt.Sprintf("%s, asked by %s", o.Duplicates.Link(other), by))
		buttons = append(buttons, workflow.Button{
			ActionID: workflow.ButtonStopThread,
			Label:    "Stop: " + plaintext.CutLine(o.Duplicates.Title(other.Title), 40),
			Style:    "danger",
			Value:    store.NewToken(),
			Means:    other.ID,
		})
	}
	said := "Nothing is at work " + at + ", so there is nothing to stop."
	if len(named) > 0 {
		said = "Nothing runs in this thread. At work " + at + ": " + strings.Join(named, "; ") + "."
	}
	if more > 0 {
		said += fmt.Sprintf(" And %d more: write \"stop\" in each.", more)
	}
	f := append(
		o.Answer(m, said, buttons...),
		store.Update{ClearStop: true, Change: func(s *workflow.Session) {
			s.Title = ""
			s.ListThreads(m.ID)
		}},
	)
	return append(
		f, consent.Decision{
			What:      workflow.DecideStop,
			Reason:    "nothing ran in this thread",
			User:      p.ID,
			MessageTS: m.TS,
		},
	), nil
}

// mayName reports whether everybody who reads this thread may see that session of another channel.
func (o otherThreads) mayName(ctx context.Context, session string) bool {
	return o.Duplicates.Readers != nil && o.Duplicates.MayName(ctx, session)
}

// nameOf returns a person's name for people.
func (o otherThreads) nameOf(ctx context.Context, user string) string {
	if user == "" {
		return "an app"
	}
	if p, err := o.Slack.Person(ctx, o.Session().Thread, user); err == nil && p.Name != "" {
		return p.Name
	}
	return "somebody"
}

// passStop judges a press that stops another thread: it counts there like a press of a Stop button in it, and
// is judged and answered there.
func (o otherThreads) passStop(
	ctx context.Context, m intent.Message, p workflow.Person, session string,
) ([]store.Part, error) {
	all, err := view.AtWork(ctx, o.Store.DB, view.SessionFilter{Session: session})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return o.Answer(m, p.Name+": nothing is at work in that thread any more."), nil
	}
	f := o.Answer(m,
		fmt.Sprintf("Told %s to stop, as %s asked. It answers there.", o.Duplicates.Link(all[0]), p.Name))
	return append(f, inbox.PressedElsewhere{Session: session, Press: m.IncomingEvent}), nil
}

// listen drops the mark of a thread that only names others when it is called again. Plain replies in it are
// for nobody here; they come only at the same moment as the line.
func (o otherThreads) listen(f []store.Part) []store.Part {
	if !o.Session().ListsThreads() {
		return f
	}
	if u, ok := ledger.Find[store.Update](f); !ok || u.Open == nil || !*u.Open {
		return f
	}
	return append(f, store.Update{Change: func(s *workflow.Session) {
		if s.ListsThreads() {
			s.Halted = ""
		}
	}})
}
