package turn

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store/queue"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A Ledger is one session's rows under this turn: what a turn reads, what it records with
// secrets masked, and what the program itself says in the thread.
type Ledger struct {
	*store.Turn
	Store   *store.Store
	Slack   Slack
	Agents  map[string]agent.Agent // whose names lines are signed with
	Secrets *redact.Finder         // what the program was given; nil: nothing is masked
	Dir     string                 // the sessions' folders
	log     *slog.Logger

	mu     sync.Mutex      // over what follows
	warned map[string]bool // the kinds of line that the thread was told once
	hidden *redact.Finder  // Secrets, and those of the repository; nil before it is open
	// locate finds the lines of code that a text names; nil before the repository is open.
	locate func(text string) *workflow.Code
}

// A Catalog is the repositories that a session may be about.
type Catalog struct {
	*Ledger
	Repositories []Repository
}

// Permissions decide who may approve here, and whose asking permits what is built.
type Permissions struct {
	*Ledger
	Catalog *Catalog
	askRule askRule // nil: askedBy; a control has another
}

// Attachments are the files that people attached in the thread.
type Attachments struct {
	*Ledger
	Sees bool // the orchestrator's model reads pictures

	fetching sync.Mutex        // of what people attached, and over what follows
	pictures map[string][]byte // by what agents call them
}

// Folders are the sessions' folders on this machine. A folder can be written anew from rows
// and the mirror, so it may go whenever no turn works in it.
type Folders struct {
	Dir      string
	CacheDir string // of builds; empty: there is none
	holds    *holds
}

// Trees are where the agents of a turn look and work: the repository's mirror, a copy to
// look at, and the session's own tree after an approval.
type Trees struct {
	*Ledger
	Catalog    *Catalog
	Folders    *Folders
	Mirrors    *repo.Mirrors
	Sandbox    *sandbox.Sandbox
	SandboxOff string
	Checker    *testrun.Checker
	Skills     []skill.Skill
	Seats      queue.ConcurrencyLimits
	Patience   time.Duration

	merging  sync.Mutex // the session's tree, while tasks work beside it
	mu       sync.Mutex // over what follows
	place    *place
	recorded map[int64]string // the trees as they were recorded last, by task
}

// A Budget holds the session to its limits.
type Budget struct {
	*Ledger
	Limits workflow.Limits

	mu         sync.Mutex
	weighAfter time.Time // the session's folder again
}

// A Runtime runs the agents of a turn: their transcripts, their tools, their loops.
type Runtime struct {
	*Ledger
	Trees       *Trees
	Attachments *Attachments
	Budget      *Budget
	Model       *model.Client
	hear        func(context.Context) error // judges what people wrote meanwhile

	mu    sync.Mutex
	steps map[*context.CancelCauseFunc]bool // under way, and worth cancelling
}

// Inquiries are questions to agents that only read.
type Inquiries struct {
	*Ledger
	Runtime     *Runtime
	Trees       *Trees
	Attachments *Attachments
	Permissions *Permissions
	halt        func(error) // ends the turn

	mu sync.Mutex
	// Inquiries of people that were begun in this run, each with what is closed at its end.
	asides map[int64]chan struct{}
}

// Delivery brings approved work to its branch: it is proven, held against its scope and
// searched for secrets, then committed and pushed.
type Delivery struct {
	*Ledger
	Trees     *Trees
	Catalog   *Catalog
	Folders   *Folders
	Inquiries *Inquiries

	mu     sync.Mutex
	proofs map[string]proof.Proof // that held, by base and tree
}

// Workers do the tasks of a session.
type Workers struct {
	*Ledger
	Trees       *Trees
	Delivery    *Delivery
	Inquiries   *Inquiries
	Runtime     *Runtime
	Attachments *Attachments
	Attempts    int
}

// Approvals judge the words and clicks that permit something.
type Approvals struct {
	*Ledger
	Catalog     *Catalog
	Permissions *Permissions
}

// An Orchestrator is the agent that leads a session.
type Orchestrator struct {
	*Ledger
	Trees       *Trees
	Workers     *Workers
	Delivery    *Delivery
	Inquiries   *Inquiries
	Runtime     *Runtime
	Attachments *Attachments
	Permissions *Permissions
	Approvals   *Approvals
	Unanswered  time.Duration
}

// Intake judges each message that nobody judged yet.
type Intake struct {
	*Ledger
	Catalog      *Catalog
	Permissions  *Permissions
	Approvals    *Approvals
	Budget       *Budget
	Orchestrator *Orchestrator
	Skills       []skill.Skill
	handled      func(workflow.Message, []store.Part) // hears of each that was judged

	judging sync.Mutex // intake, which every agent of the turn calls between its model calls
}

// A turn is one run of one session.
type turn struct {
	*Ledger
	Trees        *Trees
	Budget       *Budget
	Runtime      *Runtime
	Inquiries    *Inquiries
	Orchestrator *Orchestrator
	Permissions  *Permissions
	Intake       *Intake
	halt         context.CancelCauseFunc
}

// sessionFolders are those of this runner.
func (r *Runner) sessionFolders() *Folders {
	f := &Folders{Dir: r.Dir, holds: &r.holds}
	if r.Checker != nil {
		f.CacheDir = r.Checker.Caches.Dir
	}
	return f
}

// CleanFolders removes sessions' folders that are not used (see Folders.Clean).
func (r *Runner) CleanFolders(ctx context.Context, keep FolderKeep) ([]repo.Removed, error) {
	return r.sessionFolders().Clean(ctx, keep)
}

// open puts a turn's parts together.
func (r *Runner) open(begun *store.Turn) *turn {
	ledger := &Ledger{Turn: begun, Store: r.Store, Slack: r.Slack, Agents: r.Agents, Secrets: r.Secrets, Dir: r.Dir, log: r.Log.With("session", begun.Session().ID)}
	catalog := &Catalog{Ledger: ledger, Repositories: r.Repositories}
	permissions := &Permissions{Ledger: ledger, Catalog: catalog, askRule: r.askRule}
	attachments := &Attachments{Ledger: ledger, Sees: r.Model.Sees(r.Agents[agent.Orchestrator].Model)}
	trees := &Trees{
		Ledger: ledger, Catalog: catalog, Folders: r.sessionFolders(), Mirrors: r.Mirrors, Sandbox: r.Sandbox, SandboxOff: r.SandboxOff, Checker: r.Checker,
		Skills: r.Skills, Seats: r.Seats, Patience: r.Patience,
	}
	budget := &Budget{Ledger: ledger, Limits: r.Limits}
	t := &turn{Ledger: ledger, Trees: trees, Budget: budget, Permissions: permissions}
	t.Runtime = &Runtime{Ledger: ledger, Trees: trees, Attachments: attachments, Budget: budget, Model: r.Model, hear: t.hear}
	t.Inquiries = &Inquiries{
		Ledger: ledger, Runtime: t.Runtime, Trees: trees, Attachments: attachments, Permissions: permissions,
		halt: func(err error) { t.halt(err) },
	}
	delivery := &Delivery{Ledger: ledger, Trees: trees, Catalog: catalog, Folders: r.sessionFolders(), Inquiries: t.Inquiries}
	workers := &Workers{
		Ledger: ledger, Trees: trees, Delivery: delivery, Inquiries: t.Inquiries, Runtime: t.Runtime, Attachments: attachments, Attempts: r.Attempts,
	}
	approvals := &Approvals{Ledger: ledger, Catalog: catalog, Permissions: permissions}
	t.Orchestrator = &Orchestrator{
		Ledger: ledger, Trees: trees, Workers: workers, Delivery: delivery, Inquiries: t.Inquiries, Runtime: t.Runtime, Attachments: attachments,
		Permissions: permissions, Approvals: approvals, Unanswered: r.Unanswered,
	}
	t.Intake = &Intake{
		Ledger: ledger, Catalog: catalog, Permissions: permissions, Approvals: approvals, Budget: budget, Orchestrator: t.Orchestrator, Skills: r.Skills,
		handled: t.heard,
	}
	return t
}
