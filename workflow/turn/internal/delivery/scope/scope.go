// Package scope keeps a change within what was approved. It takes out what stands outside the folder of
// the repository's configuration, and what the reviewer judges to be outside the scope of the approval;
// each removal is stored before anything is pushed. What a person who may approve wants back, it merges
// into the files again.
package scope

import (
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// A Scope keeps the changes of a session within what was approved.
type Scope struct {
	*ledger.Ledger
	Trees     *worktree.Trees
	Inquiries *inquiry.Inquiries
}

// A Result is the result of checking a change against the scope of its approval.
type Result struct {
	Taken *workflow.Removal // the hunks outside the scope; nil: none
	Left  bool              // some hunks are inside the scope
}
