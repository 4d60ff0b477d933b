package delivery

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// AskAllowance returns the allowance for a change for which the approval does not suffice (see pushReasons).
// Such a change is pushed only if a person allows exactly these files. If nobody has allowed them for all of
// these reasons yet, the error is a prompt.Refusal that asks the thread and ends the turn. The allowance is
// nil if the change needs none. q holds the people whose words count.
func (d *Delivery) AskAllowance(
	ctx context.Context, a *workflow.Approval, tree string, p proof.Proof, changes []diff.Change,
) (given *workflow.Allowance, q ledger.Quorum, err error) {
	reasons, err := d.pushReasons(ctx, a, tree, p, changes)
	if err != nil {
		return nil, q, err
	}
	q = reasons.quorum
	wanted := reasons.allowance(a.ID, tree)
	given, err = d.Store.GivenAllowance(ctx, wanted)
	if err != nil || reasons.none() || given != nil && len(reasons.objections) == 0 && q.Complete() {
		return given, q, err
	}
	w, err := d.Store.AskedAllowance(ctx, wanted)
	if err != nil {
		return nil, q, err
	}
	if w == nil {
		wanted.ID = store.NewToken()
		w = &wanted
	}
	w.CI = reasons.ci.proof
	w.Names = d.MaskShown(reasons.text(tree))
	label, _ := reasons.label()
	buttons := []workflow.Button{{
		ActionID: workflow.ButtonPush, Label: label, Style: "primary", Value: store.NewToken(), Means: w.ID,
	}}
	if reasons.ci.proof != workflow.CINone {
		buttons[0].Style = ""
		buttons = append(buttons, workflow.Button{
			ActionID: workflow.ButtonProveByCI, Label: "Prove it by CI", Style: "primary",
			Value: store.NewToken(), Means: w.ID,
		})
	}
	if len(reasons.objections) == 0 {
		buttons = append(buttons, workflow.Button{
			ActionID: workflow.ButtonShowDiff,
			Label:    "Show the diff",
			Value:    store.NewToken(),
		})
	}
	buttons = append(buttons,
		workflow.Button{ActionID: workflow.ButtonCorrect, Label: "Correct…", Value: store.NewToken()},
		workflow.Button{
			ActionID: workflow.ButtonStop,
			Label:    "Stop",
			Style:    "danger",
			Value:    store.NewToken(),
		})
	question := d.ProgramLine(w.Names, buttons...)
	question[0].Vouched = vouched(w.Names)
	if question[0].Mentions, err = d.toMention(ctx, a.User, q.Mentions); err != nil {
		return nil, q, err
	}
	asked := ledger.WithParts(
		model.Result{
			Ends: true,
			Text: "Not pushed: " + reasons.told() + ", so the thread was asked for a separate permission. " +
				"Wait for it.\n" + strings.Join(slices.Concat(reasons.expectations, reasons.paths), "\n"),
		},
		consent.Allowance(*w),
		store.Replies(question),
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest})
	return nil, q, &prompt.Refusal{Result: asked}
}

// toMention returns whom a question about a push mentions: those who have to allow it beside the approvers,
// and otherwise the approvers.
func (d *Delivery) toMention(ctx context.Context, approver string, missing []string) ([]string, error) {
	if len(missing) > 0 {
		return missing, nil
	}
	return d.Catalog.ToAskAgain(ctx, approver)
}

// notApproved returns the refusal for the orchestrator if the store refused the push because it is not what
// was approved. It returns every other error unchanged.
func notApproved(err error) error {
	if !errors.Is(err, consent.ErrNotApproved) {
		return err
	}
	return prompt.NewRefusal("Refused: what would be pushed is not what was approved: the base, " +
		"the report or the branch is another by now, or somebody objected. Call finish again; " +
		"if that is refused, too, report again and wait for the thread's word.")
}
