package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// FindSecrets returns where the tree has secrets in lines that were added to its base, without the
// secrets themselves. It returns an empty string if there are none.
func (d *Delivery) FindSecrets(ctx context.Context, w *repo.Workspace) (string, error) {
	hunks, err := w.ListHunks(ctx)
	if err != nil {
		return "", err
	}
	var places []string
	for _, h := range hunks {
		text, lines := addedLines(h)
		for _, x := range d.SecretFinder().Find(text) {
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
