package turn

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/sources"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery/scope"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/duplicates"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/objection"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/settlement"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/tasks/orchestrator"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/tasks/worker"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/attachment"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/links"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/reference"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// A turn is one run of one session.
type turn struct {
	*ledger.Ledger
	Trees        *worktree.Trees
	Budget       *budget.Budget
	Runtime      *runtime.Runtime
	Inquiries    *inquiry.Inquiries
	Orchestrator *orchestrator.Orchestrator
	Permissions  *permission.Permissions
	Judge        *judge.Judge
	halt         context.CancelCauseFunc

	heard   atomic.Bool // a message was judged in this turn
	hearing sync.Mutex  // held while messages are judged during a run
	rests   bool        // the run ends: the next one judges what comes now; guarded by hearing
}

// beginTurn begins a turn of the session, and fences earlier ones.
func (r *Runner) beginTurn(ctx context.Context, session string) (*turn, error) {
	begun, err := r.Store.Begin(ctx, session, settlement.Rule)
	if err != nil {
		return nil, err
	}
	return r.openTurn(begun), nil
}

// openTurn creates the parts of a turn and connects them.
func (r *Runner) openTurn(begun *store.Turn) *turn {
	ledger := &ledger.Ledger{
		Turn:    begun,
		Store:   r.Store,
		Slack:   r.Slack,
		Agents:  r.Agents,
		Secrets: r.Secrets,
		Dir:     r.Folders.Dir,
		Metrics: r.Metrics,
		Words:   r.Words,
		Log:     r.Log.With("session", begun.Session().ID),
	}
	catalog := &catalog.Catalog{
		Ledger: ledger, Repositories: r.Repositories, Mirrors: r.Mirrors, Trackers: r.Trackers,
	}
	permissions := &permission.Permissions{Ledger: ledger, Catalog: catalog, Rule: r.askRule}
	catalog.Tickets = permissions.TicketsNamed(r.Trackers)
	attachments := &attachment.Attachments{
		Ledger: ledger,
		Sees:   r.Model.Sees(r.Agents[agent.Orchestrator].Model),
	}
	duplicates := &duplicates.Duplicates{Ledger: ledger, Readers: r.Readers}
	trees := &worktree.Trees{
		Ledger: ledger, Snapshots: &worktree.Snapshots{Ledger: ledger}, Catalog: catalog, Folders: &r.Folders,
		Mirrors: r.Mirrors, Sandbox: r.Sandbox, SandboxOff: r.SandboxOff, Checker: r.Checker,
		Skills: r.Skills, Seats: r.Seats, NoticeAfter: r.NoticeAfter, Duplicates: duplicates.Announce,
		HunkTime: r.HunkTime,
	}
	budget := &budget.Budget{Ledger: ledger, Limits: r.Limits}
	t := &turn{Ledger: ledger, Trees: trees, Budget: budget, Permissions: permissions}
	t.Runtime = &runtime.Runtime{
		Ledger:      ledger,
		Trees:       trees,
		Attachments: attachments,
		Budget:      budget,
		Model:       r.Model,
		Links: &links.Links{
			Ledger: ledger, Catalog: catalog, Reader: &reference.Reader{Mirrors: r.Mirrors},
			Trackers: r.Trackers,
		},
		Sources: &sources.Sources{Ledger: ledger, All: r.Sources},
		Hear:    t.judgeMeanwhile,
	}
	t.Inquiries = &inquiry.Inquiries{
		Ledger: ledger, Runtime: t.Runtime, Trees: trees, Attachments: attachments, Permissions: permissions,
		Halt: func(err error) { t.halt(err) },
	}
	scope := &scope.Scope{Ledger: ledger, Trees: trees, Inquiries: t.Inquiries}
	judgements := approval.Judgements{Ledger: ledger}
	approvals := &approval.Approvals{Judgements: judgements, Catalog: catalog, Permissions: permissions}
	objections := &objection.Objections{Judgements: judgements, Approvals: approvals}
	delivery := &delivery.Delivery{
		Ledger:    ledger,
		Trees:     trees,
		Catalog:   catalog,
		Inquiries: t.Inquiries,
		Scope:     scope,
		HunkTime:  r.HunkTime,
		LooksBack: r.LooksBack,
		Recheck:   objections.Recheck,
		Quorum:    approvals.Quorum,
	}
	workers := &worker.Workers{
		Ledger:      ledger,
		Trees:       trees,
		Delivery:    delivery,
		Scope:       scope,
		Inquiries:   t.Inquiries,
		Runtime:     t.Runtime,
		Attachments: attachments,
		Attempts:    r.Attempts,
	}
	t.Orchestrator = &orchestrator.Orchestrator{
		Ledger: ledger, Trees: trees, Workers: workers, Delivery: delivery, Inquiries: t.Inquiries,
		Runtime: t.Runtime, Attachments: attachments,
		Permissions: permissions, Approvals: approvals, Duplicates: duplicates, Unanswered: r.Unanswered,
	}
	t.Judge = &judge.Judge{
		Judgements:  judgements,
		Catalog:     catalog,
		Permissions: permissions,
		Approvals:   approvals,
		Budget:      budget,
		Skills:      r.Skills,
		Helper:      r.Helper,
		Duplicates:  duplicates,
		Held:        &approval.HeldWords{Judgements: judgements, Permissions: permissions},
		Objections:  objections,
		Interview: &judge.Interview{
			Judgements:    judgements,
			Approvals:     approvals,
			AnswerTimeout: t.Orchestrator.AnswerTimeout(),
		},
		Judged: t.afterJudged,
	}
	return t
}
