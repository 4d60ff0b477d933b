package tool

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

type editArgs struct {
	Path string `json:"path"`
	Old  string `json:"old" jsonschema:"exact text, whole lines at best"`
	New  string `json:"new"`
	All  bool   `json:"all,omitempty" jsonschema:"every place"`
}

func (b *Bench) editFile(ctx context.Context, in editArgs) (string, error) {
	if err := b.mayWrite(); err != nil {
		return "", err
	}
	if strings.ContainsRune(in.New, 0) {
		return "", errNUL
	}
	b.changing.Lock()
	defer b.changing.Unlock()
	c, err := b.open(ctx, in.Path)
	if err != nil {
		return "", err
	}
	if err := b.mayTouch(c.path); err != nil {
		return "", err
	}
	if err := b.knows(c.path, c.data); err != nil {
		return "", err
	}
	if binary(c.data) {
		return "", wrongf("%s is a binary file: it cannot be edited as text.", plaintext.QuotePath(c.path))
	}
	out, places, err := replace(c.data, in.Old, in.New, in.All)
	switch {
	case err != nil:
		return "", err
	case places == 0:
		return "", b.miss(c, in.Old)
	case len(out) > maxFile:
		return "", wrongf("The file would grow beyond %s.", plaintext.FormatSize(maxFile))
	}
	if err := store(b.Workspace.Root(), c.path, out, c.mode); err != nil {
		return "", err
	}
	b.remember(c.path, out)
	b.edited()
	text := fmt.Sprintf("%s: %s changed\n%s", plaintext.QuotePath(c.path), plaintext.CountNoun(places, "place"), shortDiff(c.data, out))
	return text + complaints(c.path, out), nil
}

// miss answers an edit whose text is not in the file.
func (b *Bench) miss(c content, old string) error {
	text := fmt.Sprintf("old is not in %s, so nothing was changed. %s", plaintext.QuotePath(c.path), nearest(c.data, old))
	if !utf8.Valid(c.data) && strings.Contains(old, `\x`) {
		text = strings.TrimRight(text, "\n") + "\nWhat is shown as \\x is a byte that is not UTF-8, which old cannot name: leave it out of old, or change it by run, with sed."
	}
	if b.missed(c.path) {
		text = strings.TrimRight(text, "\n") + "\nThis was the second miss: call read_file on it before the next edit."
	}
	return wrong(text)
}
