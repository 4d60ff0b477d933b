package delivery

import (
	"context"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery/scope"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// Delivery brings approved work to its branch: it proves the change, searches it for secrets, commits and
// pushes.
type Delivery struct {
	*ledger.Ledger
	Trees     *worktree.Trees
	Catalog   *catalog.Catalog
	Inquiries *inquiry.Inquiries
	Scope     *scope.Scope
	// to test which hunks of a fix are needed, and again to repeat its new tests; 0: neither
	HunkTime time.Duration
	// ask since which commit the new tests fail
	LooksBack bool
	// Recheck reads once more before the push what permits it, and the reactions that say no. It records or
	// receives what no event told, and fails if something cannot be read; then nothing is pushed.
	Recheck func(context.Context, *workflow.Approval) error
	// Quorum counts the words under which the files of a tree may be pushed. files are the changed paths.
	Quorum func(ctx context.Context, a *workflow.Approval, tree string, files []string) (ledger.Quorum, error)

	keepsMarkers bool // tests only: conflict markers are not looked for

	// the orchestrator was told that the report's command still fails
	saidCommand bool
	// the orchestrator was told once what people wrote since the approval, as it says nothing of it
	saidWords bool
	// titles of the orchestrator that title_pattern did not allow
	refusedTitles int

	// each proof.Proof that held, by base and tree
	proofs sync.Map

	// guards toldSecrets
	mu sync.Mutex
	// the places of secrets that the thread was told, by attempt
	toldSecrets map[string]bool
}
