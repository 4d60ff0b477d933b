package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/proposal"
)

// AskAllowance returns the allowance for a change that affects more than the code, or of which
// nothing can be proven here. Such a change is pushed only if a person allows exactly these files. If
// nobody has allowed them yet, ends is a result that asks the thread and ends the turn. Both are nil if
// the change needs no allowance.
func (d *Delivery) AskAllowance(ctx context.Context, a *permit.Approval, tree string, p proof.Proof, changes []diff.Change) (given *permit.Allowance, ends *model.Result, err error) {
	named, unproven := proposal.DecidingPaths(changes), ""
	switch {
	case p.Alone != "":
		unproven = "only " + p.Alone + " were changed, which no test shows"
	case p.Outcome() == proof.NotStarted:
		unproven = plaintext.CutLine(plaintext.OneLine(d.SecretFinder().Mask(p.Missing)), maxMissing)
	}
	if len(named) == 0 && unproven == "" {
		return nil, nil, nil
	}
	w, err := d.Store.Allowance(ctx, a.ID, tree, unproven != "")
	if err != nil {
		return nil, nil, fmt.Errorf("read what was allowed: %w", err)
	}
	if w != nil && w.User != "" {
		return w, nil, nil
	}
	if w == nil {
		w = &permit.Allowance{ID: store.NewToken(), Approval: a.ID, Tree: tree, Unproven: unproven}
	}
	w.Names = d.MaskShown(allowanceText(named, tree, unproven, p))
	label, told := "Push it", "the change affects more than the code"
	if unproven != "" {
		label, told = "Push it unproven", "nothing can be proven here ("+unproven+")"
	}
	asked := ledger.WithParts(
		model.Result{Ends: true, Text: "Not pushed: " + told + ", so the thread was asked for a separate permission. Wait for it.\n" + strings.Join(named, "\n")},
		consent.Allowance(*w),
		store.Replies(d.ProgramLine(w.Names,
			outgoing.Button{ActionID: "push_it", Label: label, Style: "primary", Value: store.NewToken(), Means: w.ID},
			outgoing.Button{ActionID: button.ShowDiff, Label: "Show the diff", Value: store.NewToken()},
			outgoing.Button{ActionID: "correct", Label: "Correct…", Value: store.NewToken()},
			outgoing.Button{ActionID: "stop", Label: "Stop", Style: "danger", Value: store.NewToken()})),
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest})
	return nil, &asked, nil
}

// maxMissing is how many characters are quoted of the output of a command that did not start.
const maxMissing = 300

// allowanceText returns the question whether these files may be pushed. named lists what they decide
// beside code; unproven is why they cannot be proven.
func allowanceText(named []string, tree, unproven string, p proof.Proof) string {
	more := ""
	if len(named) > 0 {
		more = "it changes more than the code:\n  • " + strings.Join(named, "\n  • ") + "\n"
	}
	if unproven != "" {
		why, cure := ", but nothing can be proven here: "+unproven, "When that is mended, write \"go on\"; or reply"
		if p.Alone != "" {
			why, cure = ": "+unproven+", and what passed before still passes", "Reply"
		}
		return fmt.Sprintf("The work is ready%s.\n%sNothing was pushed. %s \"push it unproven\" to have exactly these files as they are (tree %s).", why, strings.Replace(more, "it", "It", 1), cure, prompt.ShortHash(tree))
	}
	ready := "ready"
	if p.Shown {
		ready += " and proven"
	}
	return fmt.Sprintf("The work is %s, but needs a permission of its own, because %sNothing was pushed. Reply \"push it\" to allow exactly these files (tree %s), or say what is to be left out.", ready, more, prompt.ShortHash(tree))
}

// notApproved returns what the orchestrator is told if the store refused the push because it is not what
// was approved. It returns every other error unchanged.
func notApproved(err error) (model.Result, error) {
	if !errors.Is(err, consent.ErrNotApproved) {
		return model.Result{}, err
	}
	return prompt.Wrong("Refused: what would be pushed is not what was approved: the base, the report or the branch is another by now. Report again, and wait for the thread's word."), nil
}
