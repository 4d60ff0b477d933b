package backport

import (
	"log/slog"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/folder"
)

// A Porter works what is to be brought to releases. All of its fields are set once, before the first
// job.
type Porter struct {
	Rows         backports.Register
	Repositories []catalog.Repository
	Releases     map[string][]string // patterns of the releases' names, by repository
	Mirrors      *repo.Mirrors
	Checker      *testrun.Checker // nil: nothing can be proven, and nothing is made
	Folders      *folder.Folders  // of the sessions
	Secrets      *redact.Finder
	Signature    string // of the lines
	Log          *slog.Logger

	reached func(point string) error // tests only: an error of it ends the run there, as a kill does; nil: nobody hears
	forgets bool                     // tests only: what was intended is made anew
}

func (p *Porter) reach(point string) error {
	if p.reached == nil {
		return nil
	}
	return p.reached(point)
}

func details(text string) []outgoing.Button {
	return []outgoing.Button{{ActionID: button.Details, Label: "Details", Value: store.NewToken(), Means: text}}
}
