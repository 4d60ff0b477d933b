package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/patch"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

type patchArgs struct {
	Patch string `json:"patch"`
}

func (e *Env) applyPatch(ctx context.Context, in patchArgs) (string, error) {
	if err := e.mayWrite(); err != nil {
		return "", err
	}
	e.changing.Lock()
	defer e.changing.Unlock()
	mayTouch := func(real string) error {
		if err := e.refuseOther(ctx, real); err != nil {
			return err
		}
		return e.mayTouch(real)
	}
	changes, err := patch.Apply(ctx, e.Workspace.Root(), in.Patch, mayTouch)
	if err != nil {
		return "", err
	}
	if len(changes) == 0 {
		return "The files hold just that already: nothing was changed.", nil
	}
	var text strings.Builder
	for _, c := range changes {
		text.WriteString(e.notePatched(c))
	}
	e.edited()
	out, _ := plaintext.CutMiddle(text.String(), outputEnd, outputEnd)
	return out, nil
}

// notePatched records what the model now knows of a changed file, and returns a description of the change.
func (e *Env) notePatched(c patch.Change) string {
	switch {
	case !c.Exists:
		e.seen.forget(c.Path)
		return fmt.Sprintf("%s deleted\n", plaintext.QuotePath(c.Path))
	case !c.Existed:
		e.seen.remember(c.Path, c.After)
		return fmt.Sprintf("%s written: new, %s\n", plaintext.QuotePath(c.Path),
			workfile.CountLines(c.After)) + patch.FindSyntaxErrors(c.Path, c.After)
	case workfile.IsPrivate(c.Path):
		return fmt.Sprintf("%s changed\n",
			plaintext.QuotePath(c.Path)) + patch.FindSyntaxErrors(c.Path, c.After)
	}
	e.seen.remember(c.Path, c.After)
	return fmt.Sprintf("%s changed\n%s", plaintext.QuotePath(c.Path),
		patch.ShortDiff(c.Before, c.After)) + patch.FindSyntaxErrors(c.Path, c.After)
}
