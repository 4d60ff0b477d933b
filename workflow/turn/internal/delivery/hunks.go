package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/repo/proof/hunktrial"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery/scope"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A hunkCheck tests which hunks of a proven fix are needed, and applies the orchestrator's choices about
// those that are not.
type hunkCheck struct {
	*Delivery
	choices []decision.HunkChoice
}

// refuseUnneeded refuses the work while it has hunks that no test needs and that have no reason to stay.
// Hunks that the orchestrator chose to drop are taken out, and the rest is proven again.
func (hc hunkCheck) refuseUnneeded(
	ctx context.Context, work provenWork,
) (_ provenWork, err error) {
	for {
		if work.hunks, err = hc.try(ctx, &work); err != nil {
			return work, err
		}
		open := work.hunks.Open()
		if len(open) == 0 {
			return work, nil
		}
		var numbers []int
		for _, h := range open {
			if slices.ContainsFunc(hc.choices, func(c decision.HunkChoice) bool {
				return c.ID == h.ID() && plaintext.OneLine(c.Keep) == ""
			}) {
				numbers = append(numbers, h.Numbers...)
			}
		}
		if len(numbers) == 0 {
			var chosen []string
			for _, c := range hc.choices {
				chosen = append(chosen, c.ID)
			}
			return work, prompt.NewRefusal("%s", prompt.UnneededHunks(work.hunks, chosen...))
		}
		if work, err = hc.takeOut(ctx, work, numbers); err != nil {
			return work, err
		}
	}
}

// try returns what is known of each hunk of the fix: from the row of an earlier trial, otherwise from a
// trial now. A reason to keep a hunk counts as long as the hunk's lines are the same, whatever else
// changes.
func (hc hunkCheck) try(ctx context.Context, work *provenWork) (workflow.HunkResults, error) {
	rows, err := hc.Store.TriedHunks(ctx, hc.Session().ID)
	if err != nil {
		return nil, err
	}
	back, err := hc.Scope.PutBack(ctx, work.approval)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for _, r := range back {
		for _, h := range r.Hunks {
			reasons[h.Sum] = r.UserName + " had it put back"
		}
	}
	known := progress.TriedHunks{Base: hc.Trees.Current().Work.Base(), Tree: work.tree}
	found := false
	for _, r := range rows {
		if r.Base == known.Base && r.Tree == known.Tree {
			if found, err = hc.stand(ctx, r.Hunks); err != nil {
				return nil, err
			}
			if found {
				known = r
			}
		}
		for _, h := range r.Hunks {
			if h.Kept != "" {
				reasons[h.Sum] = h.Kept
			}
		}
	}
	if !found {
		if known.Hunks, err = hc.run(ctx, work); err != nil {
			return nil, err
		}
	}
	changed := !found && len(known.Hunks) > 0
	for _, i := range openIndexes(known.Hunks) {
		h := &known.Hunks[i]
		h.Kept = reasons[h.Sum]
		for _, c := range hc.choices {
			if c.ID == h.ID() && h.Kept == "" {
				h.Kept = plaintext.CutLine(hc.SecretFinder().Mask(plaintext.OneLine(c.Keep)), maxReason)
			}
		}
		changed = changed || h.Kept != ""
	}
	if !changed {
		return known.Hunks, nil
	}
	return known.Hunks, hc.Record(ctx, known)
}

// stand reports whether the hunks still have the numbers under which they were tested. They may differ if
// another release tested them.
func (hc hunkCheck) stand(ctx context.Context, l workflow.HunkResults) (bool, error) {
	hunks, err := hc.Trees.Current().Work.ListHunks(ctx)
	return !slices.ContainsFunc(l, func(h workflow.HunkResult) bool {
		n := h.Numbers[0]
		return n > len(hunks) || scope.HunkSum(hunks[n-1]) != h.Sum
	}), err
}

// maxReason is how many characters are stored of the reason to keep a hunk.
const maxReason = 300

func openIndexes(l workflow.HunkResults) (out []int) {
	for i, h := range l {
		if h.IsOpen() {
			out = append(out, i)
		}
	}
	return out
}

// run takes out each hunk of the fix alone and runs the tests near it. It returns nil without a proof,
// without HunkTime, or if commands are off.
func (hc hunkCheck) run(ctx context.Context, work *provenWork) (workflow.HunkResults, error) {
	p := hc.Trees.Current()
	if hc.Trees.Checker == nil || hc.HunkTime <= 0 || !work.proof.Demonstrated {
		return nil, nil
	}
	journal := hc.openJournal("hunks", p.Work.Base(), work.tree)
	hunks, err := hunktrial.Trial{
		Checker: p.Checker.KeptIn(journal),
		Work:    p.Work,
		Project: work.proof.Ran,
		Proof:   work.proof,
		Limit:   hunktrial.TimeFor(hc.HunkTime, work.proof.Base),
	}.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("try the hunks of the fix: %w", err)
	}
	work.hunksTakenOver = proof.TakenOver(journal.Taken())
	var out workflow.HunkResults
	for _, h := range hunks {
		t := workflow.HunkResult{
			Numbers: h.Numbers,
			Sum:     scope.HunkSum(h.Hunk),
			Path:    h.Path,
			Line:    h.Line(),
			Verdict: string(h.Verdict),
			Why:     plaintext.CutLine(plaintext.OneLine(h.Why), maxReason),
			ToBuild: h.ToBuild,
		}
		if h.Verdict == hunktrial.Unneeded {
			t.Text = prompt.CutBytes(h.Text, maxHunkText)
		}
		out = append(out, t)
	}
	return out, nil
}

// maxHunkText is how many bytes are stored of a hunk that no test needs.
const maxHunkText = 1500

// takeOut takes hunks out and proves the rest. If the rest does not hold, the hunks are put back: of two
// hunks with the same effect each can be missing, but not both.
func (hc hunkCheck) takeOut(
	ctx context.Context, work provenWork, numbers []int,
) (provenWork, error) {
	tree := hc.Trees.Current().Work
	if _, err := tree.TakeOut(ctx, numbers); err != nil {
		return work, fmt.Errorf("take out what is not needed: %w", err)
	}
	if err := hc.Scope.RecordInside(ctx, tree, work.approval); err != nil {
		return work, err
	}
	left, err := hc.proveWhole(ctx, work.approval)
	if err == nil {
		return left, hc.Trees.RecordTree(ctx, tree, 0)
	}
	var refusal *prompt.Refusal
	if !errors.As(err, &refusal) {
		return left, err
	}
	if err := tree.Restore(ctx, work.tree); err != nil {
		return work, fmt.Errorf("put back what is needed: %w", err)
	}
	if err := hc.Trees.LetCommandsWrite(tree); err != nil {
		return work, err
	}
	return work, prompt.NewRefusal("Refused: the change does not hold without these hunks together, "+
		"so the program put them back. Have fewer of them taken out at once, or keep them.\n%s",
		refusal.Result.Text)
}
