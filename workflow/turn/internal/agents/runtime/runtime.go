package runtime

import (
	"context"
	"sync"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/sources"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/attachment"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/links"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// A Runtime runs the agents of a turn: their transcripts, their tools and their loops.
type Runtime struct {
	*ledger.Ledger
	Trees       *worktree.Trees
	Attachments *attachment.Attachments
	Budget      *budget.Budget
	Model       *model.Client
	Links       *links.Links
	Sources     *sources.Sources
	Hear        func(context.Context) error // judges the messages that people wrote meanwhile

	numbering sync.Mutex // guards lastRun
	lastRun   int        // number of the newest run of a command or a check; 0: it was not looked up yet

	mu    sync.Mutex
	steps map[*context.CancelCauseFunc]bool // cancel functions of the steps under way
}
