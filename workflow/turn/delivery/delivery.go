package delivery

import (
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// Delivery brings approved work to its branch: it is proven, held against its scope and
// searched for secrets, then committed and pushed.
type Delivery struct {
	*ledger.Ledger
	Trees     *worktree.Trees
	Catalog   *catalog.Catalog
	Inquiries *inquiry.Inquiries
	HunkTime  time.Duration // for trying which hunks of a fix are needed; zero: none is tried
	LooksBack bool          // it is asked since when what was mended is red

	saidCommand bool // that the report's command still fails

	proofs sync.Map // each proof.Proof that held, by base and tree
}
