package orchestrator

import (
	"time"

	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/duplicates"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/tasks/worker"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/attachment"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
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
