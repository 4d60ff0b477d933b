package inquiry

import (
	"context"
	"sync"

	"github.com/bobbinhq/bobbin/workflow/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/attachment"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// Inquiries are questions to agents that only read.
type Inquiries struct {
	*ledger.Ledger
	Runtime     *runtime.Runtime
	Trees       *worktree.Trees
	Attachments *attachment.Attachments
	Permissions *permission.Permissions
	Halt        func(error) // ends the turn

	mu sync.Mutex
	// Inquiries of people that were begun in this run, each with what is closed at its end.
	Started map[int64]chan struct{}
}

// CountConsultations counts the orchestrator's own consultations.
func (iq *Inquiries) CountConsultations(ctx context.Context) (n int, err error) {
	all, err := iq.Store.Inquiries(ctx, iq.Session().ID)
	for _, q := range all {
		if q.Kind == inquiry.Consult && q.By == "" && len(q.Answer) > 0 {
			n++
		}
	}
	return n, err
}
