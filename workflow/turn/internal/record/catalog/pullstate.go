package catalog

import (
	"cmp"
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// This file says whether the pull request that a session is about can still be added to.

// A PullState is whether something can be added to the pull request that the session is about.
type PullState struct {
	Gone string // a sentence that says why nothing can; empty: it is open, or that is not known
	// Merged is the branch that has its change by now, and that may be a base; empty: none
	Merged string
	Unread string // a sentence that says why the host does not tell; empty: it does
}

// PullState returns how the pull request of the session is at the host and in the remote now.
func (c *Catalog) PullState(ctx context.Context) (state PullState, err error) {
	s := c.Session()
	r := c.Configured(s.Repository)
	if s.Pull == 0 || r.Pulls.Host == nil {
		return state, nil
	}
	mirror, err := c.Mirrors.Open(ctx, r.Remote)
	if err != nil {
		return state, err
	}
	if err := mirror.Fetch(ctx); err != nil {
		c.Log.Warn("a branch is looked up in what was fetched before", "err", err)
	}
	pr := c.pulls(r, mirror.Commits())
	limited, cancel := context.WithTimeout(ctx, pullTime)
	defer cancel()
	pull, unread := pr.find(limited, pullMention{number: s.Pull, pull: true, sure: true})
	switch {
	case ctx.Err() != nil:
		return state, ctx.Err()
	case unread != "":
		state.Unread = unread
		return state, nil
	}
	state.Gone = pr.gone(pull)
	r.Base = cmp.Or(r.Base, mirror.Commits().DefaultBranch())
	if state.Gone != "" && pull.State == string(host.Merged) && r.IsBase(pull.Base) {
		state.Merged = pull.Base
	}
	return state, nil
}

// PullGone returns what the thread is told if nothing can be pushed for the pull request of the session any
// more: it was merged or closed, or its branch was deleted. If a base has its change, a button begins again
// there. The text is empty if it can, if the host does not tell, and while a pull request that was opened for
// the session is open: that one takes what is pushed.
func (c *Catalog) PullGone(ctx context.Context) (text string, buttons []workflow.Button, err error) {
	state, err := c.PullState(ctx)
	if err != nil || state.Gone == "" {
		return "", nil, err
	}
	s := c.Session()
	if s.Head != "" {
		own, err := pullrequest.Register{Store: c.Store}.Of(ctx, s.ID)
		if err != nil || own != nil && own.State == pullrequest.Open {
			return "", nil, err
		}
	}
	text = state.Gone + " Nothing is pushed for its branch any more. "
	base := cmp.Or(state.Merged, s.PullInto)
	switch {
	case s.Head != "":
		return text + fmt.Sprintf("What was pushed before stays on %s; to have it on %s, reply "+
			"\"bring it to %s\".", plaintext.CodeSpan(s.Branch), plaintext.CodeSpan(base),
			plaintext.OneLine(base)), nil, nil
	case state.Merged == "":
		return text + "If it is there again, write \"fix it\" once more; for another branch, reply " +
			"`branch: NAME`.", nil, nil
	}
	return text + fmt.Sprintf("For %s I look again, and ask again before I change anything: press the "+
			"button, or reply `branch: %s`.", plaintext.CodeSpan(base), plaintext.OneLine(base)),
		[]workflow.Button{{
			ActionID: workflow.ButtonOnBase,
			Label:    plaintext.CutLine("Make it for "+plaintext.OneLine(base), 70),
			Value:    store.NewToken(),
			Means:    base,
		}}, nil
}
