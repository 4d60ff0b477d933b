package orchestrator

import (
	"time"

	"github.com/bobbinhq/bobbin/workflow/turn/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/attachment"
	"github.com/bobbinhq/bobbin/workflow/turn/delivery"
	"github.com/bobbinhq/bobbin/workflow/turn/duplicates"
	"github.com/bobbinhq/bobbin/workflow/turn/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/worker"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// An Orchestrator holds what the tools of the agent that leads a session need.
type Orchestrator struct {
	*ledger.Ledger
	Trees       *worktree.Trees
	Workers     *worker.Workers
	Delivery    *delivery.Delivery
	Inquiries   *inquiry.Inquiries
	Runtime     *runtime.Runtime
	Attachments *attachment.Attachments
	Permissions *permission.Permissions
	Approvals   *approval.Approvals
	Duplicates  *duplicates.Duplicates
	Unanswered  time.Duration
}
