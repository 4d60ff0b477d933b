package backport

import (
	"log/slog"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// A Porter works the backports that people asked for. All of its fields are set once, before the first
// job.
type Porter struct {
	Rows         backports.Register
	Repositories []repository.Repository
	Mirrors      *git.Mirrors
	// nil: nothing can be proven, and every backport is refused
	Checker *build.Checker
	// folders of the sessions
	Folders *folder.Folders
	Secrets *redact.Finder
	// the agent that signs the lines
	Signature string
	Log       *slog.Logger

	// tests only: called at each point; an error ends the run there, as a kill does. nil: not called
	reached func(point string) error
	// tests only: the commit of the row is ignored and made anew
	forgets bool
}

func (p *Porter) reach(point string) error {
	if p.reached == nil {
		return nil
	}
	return p.reached(point)
}

func details(text string) []workflow.Button {
	return []workflow.Button{{
		ActionID: workflow.ButtonDetails, Label: "Details", Value: store.NewToken(), Means: text,
	}}
}
