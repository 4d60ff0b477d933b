package catalog

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"

	"github.com/bobbinhq/bobbin/repo/host"
)

// Words returns how the host names a pull request.
func (p PullRequests) Words() host.Terms { return host.WordsOf(p.Kind) }

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

// MendBackport returns a sentence that says how to fix a problem with a backport: the bot does not
// change a backport's branch by itself.
func MendBackport(release string) string {
	return fmt.Sprintf("I change nothing on that branch by myself: have it mended in this thread, and then write \"backport to %s\"; or mend it there.", plaintext.SafeLine(release, 80))
}
