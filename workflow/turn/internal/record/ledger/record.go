package ledger

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// SecretFinder returns the finder of the secrets that the program was configured with and, while the
// repository is open, of those in its files of environment variables: commands and tests may print
// them.
func (l *Ledger) SecretFinder() *redact.Finder {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hidden != nil {
		return l.hidden
	}
	return l.Secrets
}

// SetRepository sets the finder of secrets and the finder of lines of code for as long as the
// repository is open.
func (l *Ledger) SetRepository(hidden *redact.Finder, locate func(string) *workflow.Code) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hidden = hidden
	l.locate = locate
}

// codeLinks finds the lines of code that a text names. It returns nil if the repository is not open.
func (l *Ledger) codeLinks(text string) *workflow.Code {
	l.mu.Lock()
	locate := l.locate
	l.mu.Unlock()
	if locate == nil {
		return nil
	}
	return locate(text)
}

// Record records the parts, each of which masks the secrets in what people or agents are shown of it. It
// logs each change of phase, for operators who follow sessions in the log.
func (l *Ledger) Record(ctx context.Context, parts ...store.Part) error {
	mask := l.SecretFinder().Mask
	masked := make([]store.Part, len(parts))
	for i, p := range parts {
		masked[i] = l.linkCode(p.Mask(mask))
	}
	was := l.Session().Phase
	err := l.Turn.Record(ctx, masked...)
	if s := l.Session(); err == nil && s.Phase != was {
		l.Log.Info("the session goes on to another phase", "was", was, "is", s.Phase,
			"repository", s.Repository)
	}
	return err
}

// linkCode finds the lines of code that the lines of a masked part name. It changes the part, which is a
// copy.
func (l *Ledger) linkCode(masked store.Part) store.Part {
	switch p := masked.(type) {
	case store.Lines:
		l.linkLines(p)
	case store.Replies:
		l.linkLines(p)
	case store.Reworded:
		p.Line.Code = l.codeLinks(p.Line.Text)
		return p
	}
	return masked
}

func (l *Ledger) linkLines(lines []workflow.Line) {
	for i, line := range lines {
		lines[i].Code = l.codeLinks(line.Text)
	}
}

// MaskShown masks secrets in a text that is stored beside the line which shows it: a report, or the
// question before a push. Record masks the line, and people approve the words that they read, so both have
// to be the same.
func (l *Ledger) MaskShown(text string) string { return l.SecretFinder().Mask(text) }

// MaskMessage masks secrets in a message of a person, of a tool, or of a folded conversation, before a
// model is shown it and before it is stored. A message of the model itself is left unchanged: its tool
// calls are carried out as they are, and the model was shown no secret.
func (l *Ledger) MaskMessage(m model.Message) model.Message {
	if m.Role == model.User || m.Role == model.ToolRole || m.Role == model.CompactionRole {
		m.Text = l.SecretFinder().Mask(m.Text)
	}
	return m
}
