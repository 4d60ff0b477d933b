package tool

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/patch"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

type editArgs struct {
	Path string `json:"path"`
	Old  string `json:"old" jsonschema:"exact text, whole lines at best"`
	New  string `json:"new"`
	All  bool   `json:"all,omitempty" jsonschema:"every place"`
}

func (e *Env) editFile(ctx context.Context, in editArgs) (string, error) {
	if strings.ContainsRune(in.New, 0) {
		return "", workfile.ErrNUL
	}
	e.changing.Lock()
	defer e.changing.Unlock()
	at, err := e.findChangeable(ctx, in.Path, false)
	if err != nil {
		return "", err
	}
	defer at.close()
	c, err := at.load()
	if err != nil {
		return "", err
	}
	if err := e.seen.knows(c.Path, c.Data); err != nil {
		return "", err
	}
	if workfile.IsBinary(c.Data) {
		return "", model.Mistakef("%s is a binary file: it cannot be edited as text.",
			plaintext.QuotePath(c.Path))
	}
	out, places, err := patch.ReplaceText(c.Data, in.Old, in.New, in.All)
	switch {
	case err != nil:
		return "", err
	case places == 0:
		return "", e.miss(c, in.Old)
	case len(out) > workfile.MaxFile:
		return "", model.Mistakef("The file would grow beyond %s.", plaintext.FormatSize(workfile.MaxFile))
	}
	if err := at.store(out, c.Mode); err != nil {
		return "", err
	}
	e.changed(at, out)
	text := fmt.Sprintf("%s: %s changed\n%s", plaintext.QuotePath(c.Path),
		plaintext.CountNoun(places, "place"), patch.ShortDiff(c.Data, out))
	return text + patch.FindSyntaxErrors(c.Path, out), nil
}

// miss returns the answer to an edit whose old text is not in the file.
func (e *Env) miss(c workfile.Content, old string) error {
	text := fmt.Sprintf("old is not in %s, so nothing was changed. %s", plaintext.QuotePath(c.Path),
		patch.DescribeNearest(c.Data, old))
	if !utf8.Valid(c.Data) && strings.Contains(old, `\x`) {
		text = strings.TrimRight(text, "\n") + "\nWhat is shown as \\x is a byte that is not UTF-8, " +
			"which old cannot name: leave it out of old, or change it by run, with sed."
	}
	if e.seen.missed(c.Path) {
		text = strings.TrimRight(text, "\n") +
			"\nThis was the second miss: call read_file on it before the next edit."
	}
	return model.Mistake(text)
}
