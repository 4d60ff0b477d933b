package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// PushedSince says what was pushed of work whose push was begun and not recorded, as when the program failed
// between the two: the remote decides.
func (c *Catalog) PushedSince(ctx context.Context) (string, error) {
	pushes, err := c.Store.Pushes(ctx, c.Session().ID)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(pushes, func(p workflow.Push) bool { return p.State == workflow.PushIntended })
	if at < 0 {
		return "Nothing was pushed since.", nil
	}
	push := pushes[at]
	branch := plaintext.CodeSpan(push.Branch)
	mirror, err := c.Mirrors.Open(ctx, c.Configured(c.Session().Repository).Remote)
	arrived := false
	if err == nil {
		arrived, err = mirror.HasPushed(ctx, push.Branch, push.Commit)
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		c.Log.Warn("whether a push arrived is not known", "branch", push.Branch, "err", err)
		return fmt.Sprintf("Whether %s was pushed is not known.", branch), nil
	case arrived:
		return fmt.Sprintf("%s was pushed before that, at %s.", branch, prompt.ShortHash(push.Commit)), nil
	}
	return "Nothing was pushed since.", nil
}
