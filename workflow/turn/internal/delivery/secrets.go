package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A foundSecret is a place where something was added that looks like a secret.
type foundSecret struct {
	path string
	line int // 0: the secret was masked for the agent, which has written the mark in its place
	kind string
	said string // the kind in words for people
}

// RefuseSecrets refuses what an agent did if it added a secret to the files of its base: the error is a
// prompt.Refusal then, with the line that tells the thread where. Neither has the secret itself. The thread
// is told of a place once for each attempt, which is any name for what the agent tries.
func (d *Delivery) RefuseSecrets(
	ctx context.Context, w *git.Workspace, attempt string,
) error {
	found, err := d.findSecrets(ctx, w)
	if err != nil || len(found) == 0 {
		return err
	}
	var places []string
	for _, x := range found {
		if x.line == 0 {
			places = append(places, x.path+" (what stands in place of a secret that was masked for you)")
			continue
		}
		places = append(places, fmt.Sprintf("%s:%d (%s)", x.path, x.line, x.kind))
	}
	r := prompt.Wrong(
		"What was added looks like a secret, and is not committed: %s. Take it out of the files, "+
			"for example "+
			"by reading it from the environment; what was there before stays as it was. Where it is none, "+
			"people have to add it themselves: call blocked and say so.",
		strings.Join(slices.Compact(places), ", "),
	)
	if said := d.secretsText(found, attempt); said != "" {
		r = ledger.WithParts(r, store.Lines(d.ProgramLine(said)))
	}
	return &prompt.Refusal{Result: r}
}

// findSecrets returns where the files of w have secrets in lines that were added to their base.
func (d *Delivery) findSecrets(ctx context.Context, w *git.Workspace) (found []foundSecret, err error) {
	hunks, err := w.ListHunks(ctx)
	if err != nil {
		return nil, err
	}
	for _, h := range hunks {
		text, lines := addedLines(h)
		for _, x := range d.SecretFinder().Find(text) {
			found = append(found, foundSecret{h.Path, lines[min(x.Line, len(lines))-1], x.Kind, x.KindText()})
		}
		if d.Secrets != nil && redact.IsMasked(text) {
			found = append(found, foundSecret{path: h.Path})
		}
	}
	return found, nil
}

// maxSecrets is how many places of secrets one line names.
const maxSecrets = 5

// secretsText returns what the thread is told of the secrets that it was not told of in this attempt, or an
// empty string.
func (d *Delivery) secretsText(found []foundSecret, attempt string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.toldSecrets == nil {
		d.toldSecrets = map[string]bool{}
	}
	var places []string
	for _, x := range found {
		place := plaintext.CodeSpan(fmt.Sprintf("%s:%d", plaintext.OneLine(x.path), x.line))
		if key := attempt + " " + place; x.line > 0 && !d.toldSecrets[key] {
			d.toldSecrets[key] = true
			places = append(places, fmt.Sprintf("%s looks like a secret (%s)", place, x.said))
		}
	}
	switch n := len(places); {
	case n == 0:
		return ""
	case n == 1:
		return "Not committed: " + places[0] + ". I take it out; if it is not a secret, add it yourself."
	case n > maxSecrets:
		places = append(places[:maxSecrets], fmt.Sprintf("so do %d more places", n-maxSecrets))
	}
	return "Not committed: " + strings.Join(places, "; ") + ". I take them out; what is none, add yourself."
}

// addedLines returns the lines that a hunk adds, and their line numbers in the file.
func addedLines(h diff.Hunk) (text string, lines []int) {
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
