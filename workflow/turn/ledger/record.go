package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
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
func (l *Ledger) SetRepository(hidden *redact.Finder, locate func(string) *outgoing.Code) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hidden, l.locate = hidden, locate
}

// codeLinks finds the lines of code that a text names. It returns nil if the repository is not open.
func (l *Ledger) codeLinks(text string) *outgoing.Code {
	l.mu.Lock()
	locate := l.locate
	l.mu.Unlock()
	if locate == nil {
		return nil
	}
	return locate(text)
}

// Record records the parts, with secrets masked in everything that people or agents are shown of them:
// lines and their files, commands and their output, summaries and diffs of attempts, removed hunks. It
// logs each change of phase, for operators who follow sessions in the log.
func (l *Ledger) Record(ctx context.Context, parts ...store.Part) error {
	mask := l.SecretFinder().Mask
	masked := make([]store.Part, len(parts))
	for i, p := range parts {
		switch p := p.(type) {
		case store.Lines:
			masked[i] = store.Lines(l.maskLines(p))
		case store.Replies:
			masked[i] = store.Replies(l.maskLines(p))
		case store.Reworded:
			p.Line = l.maskLines([]outgoing.Line{p.Line})[0]
			masked[i] = p
		case progress.Task:
			p.Summary, p.Shown = mask(p.Summary), plaintext.OneLine(prompt.FirstLine(mask(cmp.Or(p.Shown, p.Description))))
			masked[i] = p
		case progress.Command:
			p.Command, p.Output = mask(p.Command), mask(p.Output)
			masked[i] = p
		case consent.Removal:
			p.Hunks = slices.Clone(p.Hunks)
			for n, h := range p.Hunks {
				p.Hunks[n].Why, p.Hunks[n].Text = mask(h.Why), mask(h.Text)
			}
			masked[i] = p
		case progress.Attempt:
			p.Summary, p.Diff = mask(p.Summary), mask(p.Diff)
			masked[i] = p
		default:
			masked[i] = p
		}
	}
	was := l.Session().Phase
	err := l.Turn.Record(ctx, masked...)
	if s := l.Session(); err == nil && s.Phase != was {
		l.Log.Info("the session goes on to another phase", "was", was, "is", s.Phase, "repository", s.Repository)
	}
	return err
}

// MaskShown masks secrets in a text that is stored beside the line which shows it: a report, or the question
// before a push. Record masks the line, and people approve the words that they read, so both have to be the same.
func (l *Ledger) MaskShown(text string) string { return l.SecretFinder().Mask(text) }

func (l *Ledger) maskLines(lines []outgoing.Line) []outgoing.Line {
	mask := l.SecretFinder().Mask
	lines = slices.Clone(lines)
	for i, line := range lines {
		lines[i].Text, lines[i].Files = mask(line.Text), slices.Clone(line.Files)
		if strings.Count(lines[i].Text, "\n") != strings.Count(line.Text, "\n") { // the numbers are another line's now
			lines[i].Vouched = outgoing.FirstOnly(line.Vouched)
		}
		lines[i].Code = l.codeLinks(line.Text)
		for n, file := range line.Files {
			lines[i].Files[n].Text, lines[i].Files[n].Title = mask(file.Text), mask(file.Title)
		}
		lines[i].Buttons = slices.Clone(line.Buttons)
		for n, b := range line.Buttons {
			if b.ActionID == button.Details {
				lines[i].Buttons[n].Means = mask(b.Means)
			}
		}
	}
	return lines
}

// MaskMessage masks secrets in a message of a person, of a tool, or of a folded conversation, before a
// model is shown it and before it is stored. A message of the model itself is left unchanged: its tool
// calls are carried out as they are, and the model was shown no secret.
func (l *Ledger) MaskMessage(m model.Message) model.Message {
	if m.Role == model.User || m.Role == model.ToolRole || m.Role == model.CompactionRole {
		m.Text = l.SecretFinder().Mask(m.Text)
	}
	return m
}
