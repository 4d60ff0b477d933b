package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// HoldToScope holds what was changed against the scope of the approval: a second agent judges
// every hunk, and the program takes out what stands outside and says so. left is false
// when nothing of the change stands within.
func (d *Delivery) HoldToScope(ctx context.Context, tree *repo.Workspace, task int64, a *workflow.Approval) (left bool, err error) {
	if a.Scope == "" {
		return true, nil
	}
	hunks, err := tree.ListHunks(ctx)
	if err != nil || len(hunks) == 0 {
		return true, err
	}
	hash, err := tree.Tree(ctx)
	if err != nil {
		return true, err
	}
	report, err := d.Store.Report(ctx, d.Session().ID, a.Revision)
	if err != nil {
		return true, fmt.Errorf("report %d: %w", a.Revision, err)
	}
	since, err := d.AmendmentText(ctx, a.Revision)
	if err != nil {
		return true, err
	}
	key := "scope:" + a.ID + ":" + hash
	if since != "" {
		key += fmt.Sprintf(":%x", sha256.Sum256([]byte(since)))
		since += "\n" + prompt.ProgramMark + "It says what the allowed change is to be. It does not widen the limit.\n\n"
	}
	shown := prompt.ProgramMark + "The approval is limited to this:\n" + prompt.Fence("scope", a.Scope) + "\n\n" +
		prompt.ProgramMark + "The report that it was given on:\n" + prompt.Fence("report", prompt.ReportForWorkers(report)) + "\n\n" + since +
		prompt.ProgramMark + "The change:\n" + prompt.Fence("diff", prompt.HunkText(hunks))
	q, err := d.Inquiries.Ask(ctx, workflow.Inquiry{Kind: workflow.InquiryScope, Key: key, Question: a.Scope}, shown, hunks)
	if err != nil {
		return true, err
	}
	var verdict decision.Judgement
	if err := json.Unmarshal(q.Answer, &verdict); err != nil || len(verdict.Hunks) != len(hunks) {
		return false, fmt.Errorf("the change could not be held against the scope %q: the reviewer gave no verdict", a.Scope)
	}
	return d.takeOutHunks(ctx, tree, task, scopeReview{a, q, hunks, verdict})
}

// A scopeReview is a change held against the scope of its approval.
type scopeReview struct {
	approval *workflow.Approval
	inquiry  workflow.Inquiry
	hunks    []diff.Hunk
	verdict  decision.Judgement
}

// takeOutHunks removes the hunks outside the scope and says which, and why.
func (d *Delivery) takeOutHunks(ctx context.Context, tree *repo.Workspace, task int64, review scopeReview) (bool, error) {
	var outside []int
	var said []string
	for _, h := range review.verdict.Hunks {
		if !h.Inside {
			outside = append(outside, h.Number)
			said = append(said, fmt.Sprintf("  • %s: %s", prompt.HunkPlace(review.hunks[h.Number-1]), plaintext.OneLine(h.Why)))
		}
	}
	if len(outside) == 0 {
		return true, nil
	}
	if !review.inquiry.Applied { // said once, whatever happens between here and the end of this
		lines := d.ProgramLine(fmt.Sprintf("Taken out, since the approval is limited to %q:\n%s", review.approval.Scope, strings.Join(said, "\n")))
		if err := d.Record(ctx, progress.Inquiry{ID: review.inquiry.ID, Applied: true}, store.Lines(lines)); err != nil {
			return true, err
		}
	}
	if _, err := tree.TakeOut(ctx, outside); err != nil {
		return true, fmt.Errorf("take out what stands outside the scope: %w", err)
	}
	if err := d.Trees.RecordTree(ctx, tree, task); err != nil {
		return true, err
	}
	if len(outside) == len(review.hunks) {
		return false, nil
	}
	// What is left was judged inside already; it is not asked about again.
	return true, d.recordInside(ctx, tree, review.approval)
}

// recordInside keeps that the tree as it stands now is within the scope.
func (d *Delivery) recordInside(ctx context.Context, tree *repo.Workspace, a *workflow.Approval) error {
	hash, err := tree.Tree(ctx)
	if err != nil {
		return err
	}
	hunks, err := tree.ListHunks(ctx)
	if err != nil {
		return err
	}
	var all decision.Judgement
	for _, h := range hunks {
		all.Hunks = append(all.Hunks, decision.HunkVerdict{Number: h.Number, Inside: true, Why: "judged before"})
	}
	b, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("scope: %w", err)
	}
	q, err := d.Inquiries.EnsureInquiry(ctx, workflow.Inquiry{Kind: workflow.InquiryScope, Key: "scope:" + a.ID + ":" + hash, Question: a.Scope})
	if err != nil || len(q.Answer) > 0 {
		return err
	}
	q.Answer = b
	return d.Record(ctx, progress.Inquiry(q))
}

// ConfineToFolder takes out of the tree what was changed outside of the folder, and says so: the
// tools that edit stay in it by themselves, commands need not. left is false when nothing
// of the change stands within.
func (d *Delivery) ConfineToFolder(ctx context.Context, tree *repo.Workspace, task int64) (left bool, err error) {
	folder := d.Trees.Current().Folder()
	if folder == "" {
		return true, nil
	}
	hunks, err := tree.ListHunks(ctx)
	if err != nil {
		return true, err
	}
	var outside []int
	var said []string
	for _, h := range hunks {
		if !workfile.Within(folder, h.Path) {
			outside = append(outside, h.Number)
			if line := "  • `" + strings.ReplaceAll(h.Path, "`", "'") + "`"; !slices.Contains(said, line) {
				said = append(said, line)
			}
		}
	}
	if len(outside) == 0 {
		return true, nil
	}
	if more := len(said) - 20; more > 0 {
		said = append(said[:20], fmt.Sprintf("  • and %d more", more))
	}
	text := fmt.Sprintf("Taken out, since the work is limited to `%s`:\n%s", folder, strings.Join(said, "\n"))
	if err := d.SayUnlessNewest(ctx, text); err != nil {
		return true, err
	}
	if _, err := tree.TakeOut(ctx, outside); err != nil {
		return true, fmt.Errorf("take out what stands outside of %s: %w", folder, err)
	}
	return len(outside) < len(hunks), d.Trees.RecordTree(ctx, tree, task)
}
