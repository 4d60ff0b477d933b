package delivery

import (
	"context"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// baseRewritten reports whether the base branch does not lead to the commit any more that the work stands
// on. A push would bring back to the remote, and to that branch, what somebody took out there. A push that
// began is finished, a merge is of the two commits that were approved, and a branch that was deleted or a tag
// is not looked at: what is pushed then is on no branch but its own.
func (d *Delivery) baseRewritten(ctx context.Context, work provenWork) (rewritten bool, err error) {
	if work.merge != nil || work.begun {
		return false, nil
	}
	p := d.Trees.Current()
	known := ""
	if commits := p.Mirror.Commits(); commits.HasBranch(p.BaseBranch()) {
		if known, err = commits.Resolve(p.BaseBranch()); err != nil {
			return false, err
		}
	}
	tip, err := p.Mirror.Head(ctx, p.BaseBranch())
	if err == nil && tip != known { // only then the mirror has to change: its disk may be full
		err = p.Mirror.Fetch(ctx)
	}
	var refused *remote.Error
	switch {
	case errors.As(err, &refused) && ctx.Err() == nil:
		return false, nil // the push reports it
	case err != nil:
		return false, err
	case tip == "":
		return false, nil
	}
	common, err := p.Work.MergeBase(ctx, tip, d.Session().BaseCommit)
	return common != d.Session().BaseCommit, err
}

// sayRewritten tells the thread that nothing is pushed, and pauses the session. The approval and the work are
// kept.
func (d *Delivery) sayRewritten(work provenWork) model.Result {
	ready := "ready"
	if work.proof.Demonstrated {
		ready += " and proven"
	}
	base := plaintext.CodeSpan(d.Trees.Current().BaseBranch())
	commit := prompt.ShortHash(d.Session().BaseCommit)
	return ledger.WithParts(model.Result{
		Text: fmt.Sprintf("Nothing was pushed: %s was rewritten and does not have %s any more. The thread "+
			"was told. When somebody writes that it is there again, call finish again.", base, commit),
		Ends: true,
	},
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(d.ProgramLine(fmt.Sprintf("The fix is %s, but %s was rewritten since: it does not have "+
			"%s any more, on which the fix is based. A push would bring back what was taken out there, so "+
			"nothing was pushed. Begin another thread on %s; or reply \"push again\" when it has %s again.",
			ready, base, commit, base, commit))))
}
