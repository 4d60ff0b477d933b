package worktree

import (
	"context"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/folder"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
)

// Trees are where the agents of a turn look and work: the repository's mirror, a copy to
// look at, and the session's own tree after an approval.
type Trees struct {
	*ledger.Ledger
	*Snapshots
	Catalog    *catalog.Catalog
	Folders    *folder.Folders
	Mirrors    *repo.Mirrors
	Sandbox    *sandbox.Sandbox
	SandboxOff string
	Checker    *testrun.Checker
	Skills     []skill.Skill
	Seats      queue.ConcurrencyLimits
	Patience   time.Duration
	// Duplicates says which other sessions of that repository seem to be about the same, with
	// buttons that join them, and what is to be kept of it; nil: nobody looks.
	Duplicates func(ctx context.Context, repository string) (said string, buttons []outgoing.Button, parts []store.Part)

	merging sync.Mutex // the session's tree, while tasks work beside it
	mu      sync.Mutex // over what follows
	place   *Place
}

// Current is where the turn works; nil before it entered.
func (t *Trees) Current() *Place {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.place
}

func (t *Trees) Own(w *repo.Workspace) error {
	if t.Sandbox == nil {
		return nil
	}
	return t.Sandbox.Own(w.Files())
}
