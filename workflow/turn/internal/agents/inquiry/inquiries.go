package inquiry

import (
	"context"
	"sync"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/attachment"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// Inquiries asks the agents that only read, and answers people's questions to them.
type Inquiries struct {
	*ledger.Ledger
	Runtime     *runtime.Runtime
	Trees       *worktree.Trees
	Attachments *attachment.Attachments
	Permissions *permission.Permissions
	Halt        func(error) // ends the turn with the error

	mu sync.Mutex
	// Started holds people's inquiries that were begun in this turn. Each channel is closed when the
	// inquiry ends.
	Started map[int64]chan struct{}
}

// CountConsultations returns how many consultations the orchestrator itself asked for and got answered.
func (i *Inquiries) CountConsultations(ctx context.Context) (n int, err error) {
	all, err := i.Store.Inquiries(ctx, i.Session().ID)
	for _, q := range all {
		if q.Kind == workflow.InquiryConsult && q.By == "" && len(q.Answer) > 0 {
			n++
		}
	}
	return n, err
}
