package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// SayUnlessNewest posts a line unless the session's newest line has the same text: the program may have
// died after it recorded that line and before it did what the line announces.
func (l *Ledger) SayUnlessNewest(ctx context.Context, text string) error {
	lines, err := l.Store.Lines(ctx, l.Session().ID)
	if err != nil || len(lines) > 0 && lines[len(lines)-1].Text == text {
		return err
	}
	return l.Record(ctx, store.Lines(l.ProgramLine(text)))
}

// SayIfNew posts a line unless the session has a line that begins with the same sentence.
func (l *Ledger) SayIfNew(ctx context.Context, text string) {
	first, _, _ := strings.Cut(text, ". ")
	lines, err := l.Store.Lines(ctx, l.Session().ID)
	begins := func(l store.PostedLine) bool { return strings.HasPrefix(l.Text, first) }
	if err == nil && slices.ContainsFunc(lines, begins) {
		return
	}
	if err := cmp.Or(err, l.Record(ctx, store.Lines(l.ProgramLine(text)))); err != nil {
		l.Log.Warn("a line was not posted", "err", err)
	}
}

// SayOnce posts a line unless this turn posted one under the same key before, or the session's newest
// line begins with key: a turn may be repeated after a crash.
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
	lines, err := l.Store.Lines(ctx, l.Session().ID)
	if err == nil && len(lines) > 0 && strings.HasPrefix(lines[len(lines)-1].Text, key) {
		return
	}
	if err := cmp.Or(err, l.Record(ctx, store.Lines(l.ProgramLine(text)))); err != nil {
		l.Log.Warn("the thread was not told of a wait", "err", err)
	}
}

// ProgramLine returns a line that the program itself says, in the orchestrator's name. The program vouches
// for the first line of the text.
func (l *Ledger) ProgramLine(text string, buttons ...workflow.Button) []workflow.Line {
	lines := l.AgentLine(text, buttons...)
	lines[0].Vouched = []int{0}
	return lines
}

// ProgramText is like ProgramLine with a text that says which of its lines the program vouches for.
func (l *Ledger) ProgramText(text workflow.Text, buttons ...workflow.Button) []workflow.Line {
	lines := l.AgentLine(text.String(), buttons...)
	lines[0].Vouched = text.Vouched()
	return lines
}

// AgentLine returns a line with the orchestrator's own words, for which the program does not vouch.
func (l *Ledger) AgentLine(text string, buttons ...workflow.Button) []workflow.Line {
	return []workflow.Line{{Agent: l.Agents[agent.Orchestrator].Signature(), Text: text, Buttons: buttons}}
}

// VouchBelow adds a line that the program vouches for below each text, unless said is empty.
func VouchBelow(lines []workflow.Line, said string) []workflow.Line {
	if said == "" {
		return lines
	}
	for i := range lines {
		lines[i].Text += "\n" + plaintext.OneLine(said)
		lines[i].Vouched = append(lines[i].Vouched, strings.Count(lines[i].Text, "\n"))
	}
	return lines
}

// ProgressLine returns a line in the orchestrator's name that only reports progress.
func (l *Ledger) ProgressLine(text string) []workflow.Line {
	line := l.ProgramLine(text)
	line[0].Progress = true
	return line
}

// DetailsButton returns a button that opens a modal with the text.
func DetailsButton(text string) workflow.Button {
	return workflow.Button{
		ActionID: workflow.ButtonDetails,
		Label:    "Details",
		Value:    store.NewToken(),
		Means:    text,
	}
}

// PutBackButton returns a button with which a person who may approve puts exactly that removal back.
func PutBackButton(r workflow.Removal) workflow.Button {
	return workflow.Button{
		ActionID: workflow.ButtonPutBack,
		Label:    "Put it back",
		Value:    store.NewToken(),
		Means:    r.Hash,
	}
}

var Wake, Rest = ptr(true), ptr(false)

func ptr[T any](v T) *T { return &v }
