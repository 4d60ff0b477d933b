package delivery

import (
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/scope"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// Delivery brings approved work to its branch: it proves the change, searches it for secrets, commits and
// pushes.
type Delivery struct {
	*ledger.Ledger
	Trees     *worktree.Trees
	Catalog   *catalog.Catalog
	Inquiries *inquiry.Inquiries
	Scope     *scope.Scope
	HunkTime  time.Duration // for testing which hunks of a fix are needed; 0: they are not tested
	LooksBack bool          // ask since which commit the new tests fail

	saidCommand bool // the orchestrator was told that the report's command still fails

	proofs sync.Map // each proof.Proof that held, by base and tree

	mu          sync.Mutex      // guards toldSecrets
	toldSecrets map[string]bool // the places of secrets that the thread was told, by attempt
}
