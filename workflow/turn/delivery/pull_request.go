package delivery

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/proposal"
)

// proposedPull is the intent to open a pull request for what was pushed; nothing where the
// repository has no host.
func proposedPull(ctx context.Context, d *Delivery, work provenWork, commit string, f decision.Finish) ([]store.Part, error) {
	r, _ := d.Catalog.Current()
	if r.Pulls.Host == nil {
		return nil, nil
	}
	report, err := d.Store.Report(ctx, d.Session().ID, work.approval.Revision)
	if err != nil {
		return nil, fmt.Errorf("pull request: %w", err)
	}
	w := proposal.Words{
		Title: proposal.CommitMessage(f.Title, f.Summary, d.Catalog.WorkTitle()), Summary: f.Summary, Report: report,
		Proof: work.seen(), Approval: *work.approval, Allowance: work.allowance, Changes: work.changes, Mask: d.SecretFinder().Mask,
	}
	return []store.Part{pullrequest.Intent{
		Repository: r.Name, Branch: d.Session().Branch, Head: commit, Base: d.Trees.Current().BaseBranch(), Title: w.Heading(), Body: w.Body(), Files: w.Paths(),
	}}, nil
}
