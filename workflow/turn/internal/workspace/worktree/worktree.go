package worktree

import (
	"context"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// Trees opens and closes the repository of a turn: its mirror, a copy to read, and the session's own
// workspace after an approval.
type Trees struct {
	*ledger.Ledger
	*Snapshots
	Catalog     *catalog.Catalog
	Folders     *folder.Folders
	Mirrors     *git.Mirrors
	Sandbox     *sandbox.Sandbox
	SandboxOff  string
	Checker     *build.Checker
	Skills      []skill.Skill
	Seats       queue.ConcurrencyLimits
	NoticeAfter time.Duration
	// the time to try the hunks of a fix, as configured; zero: they are not tried
	HunkTime time.Duration
	// Duplicates returns a text about other sessions of the repository that seem to be about the same
	// problem, the buttons that join them, and the parts to record. nil: it is not looked for.
	Duplicates func(
		ctx context.Context, repository string,
	) (said string, buttons []workflow.Button, parts []store.Part)

	opening  sync.Mutex // held while another repository is opened
	merging  sync.Mutex // guards the session's own workspace while tasks work in forks of it
	mu       sync.Mutex // guards the fields below, with all that checkout and its packages hold
	checkout *Checkout
}

// Current returns the opened repository as it is now, or nil if it is not open. Agents read it while the
// orchestrator opens the session's own workspace, so it is a copy: what is opened later is in a later copy.
func (t *Trees) Current() *Checkout {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.checkout == nil {
		return nil
	}
	now := *t.checkout
	return &now
}

// change changes the opened repository, for all who ask for it from then on.
func (t *Trees) change(do func(*Checkout)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.checkout != nil {
		do(t.checkout)
	}
}

// publish lets others read an opened repository. Whoever sees it knows its secrets already, so nothing that
// was read from it is recorded unmasked.
func (t *Trees) publish(p *Checkout) {
	t.SetRepository(p.Secrets, t.locateCode)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.checkout = p
}

// locateCode returns the lines of code that a text names.
func (t *Trees) locateCode(text string) *workflow.Code {
	p := t.Current()
	if p == nil {
		return nil
	}
	return p.locateCode(t.Session(), text)
}

// CommandSandbox returns the sandbox of agents' commands: with the image of the opened repository, if that
// has its own. It is nil if no commands are run.
func (t *Trees) CommandSandbox() *sandbox.Sandbox {
	if p := t.Current(); t.Sandbox != nil && p != nil && p.Checker != nil {
		return p.Checker.Cache.Sandbox()
	}
	return t.Sandbox
}

func (t *Trees) LetCommandsWrite(w *git.Workspace) error {
	if t.Sandbox == nil {
		return nil
	}
	return t.Sandbox.Own(w.Files())
}
