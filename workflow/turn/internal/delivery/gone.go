package delivery

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// RefuseGone returns the refusal that pauses approved work if the pull request that it is for was merged or
// closed meanwhile, or its branch deleted. The thread is told, and can have it made for the branch that has
// the change by now.
func (d *Delivery) RefuseGone(ctx context.Context) error {
	said, buttons, err := d.Catalog.PullGone(ctx)
	if err != nil || said == "" {
		return err
	}
	return &prompt.Refusal{Result: ledger.WithParts(
		model.Result{
			Text: "Not done: the pull request that this is for takes nothing any more. The thread was " +
				"told, and says for which branch it is to be made.",
			Ends: true,
		},
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(d.ProgramLine(said, buttons...)))}
}
