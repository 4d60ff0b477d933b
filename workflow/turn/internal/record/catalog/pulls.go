package catalog

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// RemarkedOn returns where a remark was written, in the host's words: "the merge request of the
// backport to release/1.4". release is the release of that backport, or empty if the remark is on the
// session's own pull request.
func (c *Catalog) RemarkedOn(ctx context.Context, m workflow.Message) (where, release string, err error) {
	row, err := pullrequest.Register{Store: c.Store}.Remarked(ctx, m)
	if err != nil {
		return "", "", err
	}
	r, _, err := c.Current(ctx)
	if err != nil {
		return "", "", err
	}
	where = "the " + r.Pulls.Words().Noun
	if row == nil || !row.Aside {
		return where, "", nil
	}
	return where + " of the backport to " + plaintext.SafeLine(row.Base, 80), row.Base, nil
}
