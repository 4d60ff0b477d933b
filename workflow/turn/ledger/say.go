package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// SayUnlessNewest says what the session's newest line does not say already: the program may
// have died between that line and what it tells of.
func (l *Ledger) SayUnlessNewest(ctx context.Context, text string) error {
	said, err := l.Store.Lines(ctx, l.Session().ID)
	if err != nil || len(said) > 0 && said[len(said)-1].Text == text {
		return err
	}
	return l.Record(ctx, store.Lines(l.ProgramLine(text)))
}

// SayIfNew says a line unless one that begins with the same sentence was said in this session.
func (l *Ledger) SayIfNew(ctx context.Context, text string) {
	first, _, _ := strings.Cut(text, ". ")
	said, err := l.Store.Lines(ctx, l.Session().ID)
	if err == nil && slices.ContainsFunc(said, func(l store.PostedLine) bool { return strings.HasPrefix(l.Text, first) }) {
		return
	}
	if err := cmp.Or(err, l.Record(ctx, store.Lines(l.ProgramLine(text)))); err != nil {
		l.Log.Warn("the thread was not told of the packages", "err", err)
	}
}

// SayOnce says a line unless this turn said one of its kind before, or the session's
// newest line is one: a turn may be done again after a crash.
func (l *Ledger) SayOnce(ctx context.Context, key, text string) {
	l.mu.Lock()
	known := l.warned[key]
	if l.warned == nil {
		l.warned = map[string]bool{}
	}
	l.warned[key] = true
	l.mu.Unlock()
	if known {
		return
	}
	said, err := l.Store.Lines(ctx, l.Session().ID)
	if err == nil && len(said) > 0 && strings.HasPrefix(said[len(said)-1].Text, key) {
		return
	}
	if err := cmp.Or(err, l.Record(ctx, store.Lines(l.ProgramLine(text)))); err != nil {
		l.Log.Warn("the thread was not told of a wait", "err", err)
	}
}

// ProgramLine is a line in the orchestrator's name that the program itself says.
func (l *Ledger) ProgramLine(text string, buttons ...outgoing.Button) []outgoing.Line {
	return []outgoing.Line{{Agent: l.Agents[agent.Orchestrator].Signature(), Text: text, Buttons: buttons}}
}

// ProgressLine is a line in the orchestrator's name that only tells how the work goes on.
func (l *Ledger) ProgressLine(text string) []outgoing.Line {
	line := l.ProgramLine(text)
	line[0].Progress = true
	return line
}

// DetailsButton shows the text to whoever presses it, in a modal.
func DetailsButton(text string) outgoing.Button {
	return outgoing.Button{ActionID: button.Details, Label: "Details", Value: store.NewToken(), Means: text}
}

// PutBackButton lets somebody who may approve have exactly that put back.
func PutBackButton(r permit.Removal) outgoing.Button {
	return outgoing.Button{ActionID: button.PutBack, Label: "Put it back", Value: store.NewToken(), Means: r.Hash}
}

var Wake, Rest = ptr(true), ptr(false)

func ptr[T any](v T) *T { return &v }
