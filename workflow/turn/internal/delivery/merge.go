package delivery

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// mergeOf returns the merge of the base that the approval is for, or nil if it is for something else.
func (d *Delivery) mergeOf(ctx context.Context, a *workflow.Approval) (*merges.Row, error) {
	return merges.Register{Store: d.Store}.Of(ctx, d.Session().ID, a.Revision)
}

// FinishMerge proves and pushes an approved merge of the base that has no conflicts, without a model. done is
// false if there is none, or if agents have to go on with it: it could not be proven, they worked on it
// already, or somebody wrote something that they have to read.
func (d *Delivery) FinishMerge(ctx context.Context) (done bool, err error) {
	approval, err := d.StandingApproval(ctx)
	if err != nil || approval == nil || d.Session().Halted != "" {
		return false, err
	}
	m, err := d.mergeOf(ctx, approval)
	if err != nil || m == nil || len(m.Clashes) > 0 || m.State != merges.MadeIn {
		return false, err
	}
	p := d.Trees.Current()
	if p == nil || p.Work == nil {
		return false, nil
	}
	tree, err := p.Work.Tree(ctx)
	if err != nil || tree != m.Tree {
		return false, err
	}
	tasks, err := d.DelegatedTasks(ctx, approval.Revision)
	if err != nil || len(tasks) > 0 {
		return false, err
	}
	if unread, err := d.Inquiries.Runtime.Unread(ctx); err != nil || len(unread) > 0 {
		return false, err
	}
	f := decision.Finish{Summary: mergeSummary(*m)}
	result, err := d.pushMerge(ctx, approval, *m, f)
	var refused *prompt.Refusal
	if errors.As(err, &refused) {
		if result = refused.Result; !result.Ends {
			return false, d.handOver(ctx, *m, result.Text)
		}
	} else if err != nil {
		return false, err
	}
	var parts []store.Part
	for _, w := range result.Writes {
		if part, ok := w.(ledger.PartWrite); ok {
			parts = append(parts, part.Part)
		}
	}
	return true, d.Record(ctx, parts...)
}

// pushMerge takes a merge without conflicts to its push.
func (d *Delivery) pushMerge(
	ctx context.Context, a *workflow.Approval, m merges.Row, f decision.Finish,
) (model.Result, error) {
	work, err := d.completeMerge(ctx, a, m, f)
	if err != nil {
		return model.Result{}, err
	}
	return d.pushComplete(ctx, work, f)
}

// handOver gives a merge that the program cannot finish to the agents, and says so in the thread.
func (d *Delivery) handOver(ctx context.Context, m merges.Row, why string) error {
	if unread, err := d.Inquiries.Runtime.Unread(ctx); err != nil || len(unread) > 0 {
		return err // they read that, and call finish
	}
	return d.Record(ctx,
		inbox.AgentNote{Key: fmt.Sprintf("merge refused:%d", m.Revision), Text: fmt.Sprintf(
			"The merge of %s has no conflicts of lines, but the program could not finish it:\n%s\nFind out "+
				"why, delegate a fix within these files, and call finish. If it cannot be fixed there, "+
				"reply with that.\n%s", prompt.FileName(m.Base), prompt.Fence("output", why),
			prompt.Fence("files", strings.Join(m.Files, "\n")))},
		store.Lines(d.ProgramLine(fmt.Sprintf("%s merges without conflicts, but the merged files do not "+
			"pass. Nothing was pushed; I look into it.", plaintext.CodeSpan(m.Base)))))
}

// completeMerge returns a merge of the base if it is complete: nothing but the files of the pushed change,
// and those that conflict, differs from what the merge alone makes, no conflict is left, and the whole is
// proven on the new base. What agents resolved is reviewed. The hunks of the change are not tried again.
func (d *Delivery) completeMerge(
	ctx context.Context, a *workflow.Approval, m merges.Row, f decision.Finish,
) (work provenWork, err error) {
	if err := d.confineMerge(ctx, m); err != nil {
		return work, err
	}
	if work, err = d.proveWhole(ctx, a); err != nil {
		return work, err
	}
	work.merge = &m
	failpoint.Crash("merge_proven")
	if work.tree != m.Tree {
		work.review, err = reviewStep{d, f}.beforePush(ctx, work)
	}
	return work, err
}

// RefuseForMerge returns why tasks of these categories cannot be delegated under the approval, or an empty
// string: conflicts of a merge are for deep alone.
func (d *Delivery) RefuseForMerge(
	ctx context.Context, a *workflow.Approval, categories []string,
) (string, error) {
	m, err := d.mergeOf(ctx, a)
	if err != nil || m == nil || len(m.Clashes) == 0 {
		return "", err
	}
	if slices.ContainsFunc(categories, func(c string) bool { return c != string(workflow.CategoryDeep) }) {
		return "Refused: the conflicts of a merge are resolved by deep. Delegate one task of that " +
			"category.", nil
	}
	return "", nil
}

// confineMerge puts back the files that a merge may not change, as the merge alone made them.
func (d *Delivery) confineMerge(ctx context.Context, m merges.Row) error {
	w := d.Trees.Current().Work
	tree, err := w.Tree(ctx)
	var unfit *git.PathError
	if errors.As(err, &unfit) {
		return prompt.NewRefusal("Refused: this cannot be committed: %v. Delegate one task alone that "+
			"removes or ignores it.", unfit)
	}
	if err != nil {
		return err
	}
	deltas, err := w.Compare(ctx, m.Tree, tree)
	if err != nil {
		return err
	}
	var outside []string
	for _, delta := range deltas {
		if !slices.Contains(m.Files, delta.Path) {
			outside = append(outside, delta.Path)
		}
	}
	if len(outside) == 0 {
		return nil
	}
	restored, err := w.TreeWith(tree, m.Tree, outside)
	if err != nil {
		return err
	}
	if err := w.Restore(ctx, restored); err != nil {
		return err
	}
	if err := d.Trees.RecordTree(ctx, w, 0); err != nil {
		return err
	}
	return d.SayUnlessNewest(ctx, "Put back, since the merge may change only what was pushed or conflicts: "+
		plaintext.Files(outside)+".")
}

// maxPlaces is how many places a line names.
const maxPlaces = 8

// unresolved returns a proof that fails while conflict markers are left in a merge of the base.
func (d *Delivery) unresolved(
	ctx context.Context, w *git.Workspace,
) (shown proof.Proof, left bool, err error) {
	approval, err := d.StandingApproval(ctx)
	if err != nil || approval == nil {
		return shown, false, err
	}
	m, err := d.mergeOf(ctx, approval)
	if err != nil || m == nil || len(m.Clashes) == 0 || d.keepsMarkers {
		return shown, false, err
	}
	found, err := w.ConflictMarkers(ctx, m.Ours)
	if err != nil || len(found) == 0 {
		return shown, false, err
	}
	var places []string
	for _, path := range slices.Sorted(maps.Keys(found)) {
		places = append(places, fmt.Sprintf("%s:%d", path, found[path][0]))
	}
	shown.Why = "Conflict markers are left: " + plaintext.FirstOf(places, maxPlaces) + "."
	return shown, true, nil
}

// mergeTitle returns the subject of a merge commit.
func mergeTitle(m merges.Row) string { return fmt.Sprintf("Merge %s into %s", m.Base, m.Branch) }

// mergeSummary says what a merge without conflicts brings.
func mergeSummary(m merges.Row) string {
	return fmt.Sprintf("Brings %s, as it is at %s, into the branch. Nothing conflicted.", m.Base,
		prompt.ShortHash(m.Theirs))
}

// mergedText is the beginning of a merge's result.
func (p provenWork) mergedText() string {
	m := p.merge
	text := fmt.Sprintf("Merged %s (%s) in, by a merge commit", plaintext.CodeSpan(m.Base),
		prompt.ShortHash(m.Theirs))
	if len(m.Clashes) == 0 {
		return text + "; nothing conflicted."
	}
	return text + "; resolved: " + plaintext.Files(m.Clashes) + "."
}
