package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/patch"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const maxDiff = 24 << 10 // bytes of one answer

type diffArgs struct {
	Path string `json:"path,omitempty"`
}

// diff returns the changes since the base.
func (e *Env) diff(ctx context.Context, in diffArgs) (string, error) {
	p, err := workfile.CleanPath(in.Path)
	if err != nil {
		return "", err
	}
	if p == "." {
		p = ""
	}
	e.changing.RLock()
	defer e.changing.RUnlock()
	text, err := ShowDiff(ctx, e.Workspace, p, maxDiff)
	if err == nil && text == "" && e.Pull.Number > 0 {
		return fmt.Sprintf("Nothing was changed on top of the pull request. What it changes itself, history "+
			"shows with commit #%d.", e.Pull.Number), nil
	}
	if err == nil && text == "" {
		return "Nothing was changed.", nil
	}
	return text, err
}

// ShowDiff returns what a model is shown of the changes within a file or folder, or of all changes if within
// is empty: the whole diffs of the first files that fit into most bytes, and the names of the others. The
// diff of the one file that within names is cut to most bytes. ShowDiff returns an empty string if nothing
// differs from the base.
func ShowDiff(ctx context.Context, w *git.Workspace, within string, most int) (string, error) {
	changes, err := w.Changes(ctx)
	if err != nil {
		return "", err
	}
	var shown, named strings.Builder
	for _, c := range changes {
		if !workfile.Within(within, c.Path) {
			continue
		}
		text := ""
		if !workfile.IsPrivate(c.Path) {
			if text, err = w.DiffOf(ctx, func(p string) bool { return p == c.Path }); err != nil {
				return "", err
			}
			text = patch.ShowDiff(text)
		}
		alone := c.Path == within
		switch {
		case text == "":
			fmt.Fprintf(&named, "%s (not shown)\n", c)
		case alone:
			text, _ = plaintext.CutMiddle(text, most/2, most/2)
			shown.WriteString(text)
		case shown.Len()+len(text) > most:
			fmt.Fprintf(&named, "%s (see diff with this path)\n", c)
		default:
			shown.WriteString(text)
		}
	}
	return shown.String() + named.String(), nil
}
