package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// finder finds what the program was given, and the secrets in the repository's own files of
// environment variables once it is open: commands and tests may print them.
func (l *Ledger) finder() *redact.Finder {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hidden != nil {
		return l.hidden
	}
	return l.Secrets
}

// opened says what hides secrets, and what finds lines of code, while the repository is open.
func (l *Ledger) opened(hidden *redact.Finder, locate func(string) *workflow.Code) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hidden, l.locate = hidden, locate
}

// code finds the lines of code that a text names.
func (l *Ledger) code(text string) *workflow.Code {
	l.mu.Lock()
	locate := l.locate
	l.mu.Unlock()
	if locate == nil {
		return nil
	}
	return locate(text)
}

// learnSecrets reads what the base holds in files that are shown to nobody.
func (t *Trees) learnSecrets(p *place) error {
	files, err := p.look.BaseFiles(workfile.IsPrivate)
	if err != nil || len(files) == 0 {
		return err
	}
	var values []string
	for _, text := range files {
		values = append(values, redact.EnvValues(string(text))...)
	}
	p.secrets = t.Secrets.With(values...)
	return nil
}

// Record keeps the fact, with secrets masked in what people and others are shown of it:
// lines, files that go with them, what commands printed and attempts changed.
func (l *Ledger) Record(ctx context.Context, parts ...store.Part) error {
	mask := l.finder().Mask
	masked := make([]store.Part, len(parts))
	for i, p := range parts {
		switch p := p.(type) {
		case store.Lines:
			masked[i] = store.Lines(l.maskLines(p))
		case store.Replies:
			masked[i] = store.Replies(l.maskLines(p))
		case store.Task:
			p.Summary, p.Shown = mask(p.Summary), plaintext.OneLine(firstLine(mask(p.Description)))
			masked[i] = p
		case store.Command:
			p.Command, p.Output = mask(p.Command), mask(p.Output)
			masked[i] = p
		case store.Attempt:
			p.Summary, p.Diff = mask(p.Summary), mask(p.Diff)
			masked[i] = p
		default:
			masked[i] = p
		}
	}
	return l.Turn.Record(ctx, masked...)
}

func (l *Ledger) maskLines(lines []workflow.Line) []workflow.Line {
	mask := l.finder().Mask
	lines = slices.Clone(lines)
	for i, line := range lines {
		lines[i].Text, lines[i].Files = mask(line.Text), slices.Clone(line.Files)
		lines[i].Code = l.code(line.Text)
		for n, file := range line.Files {
			lines[i].Files[n].Text, lines[i].Files[n].Title = mask(file.Text), mask(file.Title)
		}
	}
	return lines
}

// shown is a message as a model is shown it, and as it is kept. What a model says itself
// stays as it is: its calls are carried out, and it was shown no secret.
func (l *Ledger) shown(m model.Message) model.Message {
	if m.Role == model.User || m.Role == model.ToolRole {
		m.Text = l.finder().Mask(m.Text)
	}
	return m
}

// leaks says where the tree has a secret in lines that were added to its base, never which;
// empty where there is none.
func (d *Delivery) leaks(ctx context.Context, w *repo.Workspace) (string, error) {
	hunks, err := w.Hunks(ctx)
	if err != nil {
		return "", err
	}
	var places []string
	for _, h := range hunks {
		text, lines := added(h)
		for _, x := range d.finder().Find(text) {
			places = append(places, fmt.Sprintf("%s:%d (%s)", h.Path, lines[min(x.Line, len(lines))-1], x.Kind))
		}
		if d.Secrets != nil && redact.IsMasked(text) {
			places = append(places, h.Path+" (what stands in place of a secret that was masked for you)")
		}
	}
	if len(places) == 0 {
		return "", nil
	}
	return fmt.Sprintf("What was added looks like a secret, and is not committed: %s. Take it out of the files, for example by reading it from the environment; "+
		"what was there before stays as it was. Where it is none, people have to add it themselves: call blocked and say so.", strings.Join(slices.Compact(places), ", ")), nil
}

// added are the lines that a hunk adds, and their numbers in the file.
func added(h diff.Hunk) (text string, lines []int) {
	var b strings.Builder
	n := h.NewStart
	for line := range strings.Lines(h.Text) {
		switch line[0] {
		case '+':
			b.WriteString(line[1:])
			lines = append(lines, n)
			n++
		case ' ':
			n++
		}
	}
	return b.String(), lines
}
