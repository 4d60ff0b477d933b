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
	"github.com/bobbinhq/bobbin/workflow/inquiry"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
	"github.com/bobbinhq/bobbin/workflow/turn/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// A Scoped is the result of checking a change against the scope of its approval.
type Scoped struct {
	Taken *permit.Removal // the hunks outside the scope; nil: none
	Left  bool            // some hunks are inside the scope
}

// HoldToScope checks a change against the scope of the approval: the reviewer judges every hunk, and the
// program takes out those outside the scope and posts a line with a button that puts them back. Hunks
// that a person who may approve had put back count as inside. k is the task whose change it is; nil
// means the work as a whole.
func (d *Delivery) HoldToScope(ctx context.Context, tree *repo.Workspace, k *workflow.Task, a *permit.Approval) (Scoped, error) {
	whole := Scoped{Left: true}
	if a.Scope == "" {
		return whole, nil
	}
	hunks, err := tree.ListHunks(ctx)
	if err != nil || len(hunks) == 0 {
		return whole, err
	}
	hash, err := tree.Tree(ctx)
	if err != nil {
		return whole, err
	}
	back, err := d.putBack(ctx, a)
	if err != nil {
		return whole, err
	}
	since, err := d.AmendmentText(ctx, a.Revision)
	if err != nil {
		return whole, err
	}
	amended, key := since, scopeKey(a, hash, since)
	if since != "" {
		since += "\n" + prompt.ProgramMark + "It says what the allowed change is to be. It does not widen the limit."
	}
	shown, err := d.reviewText(ctx, a, hunks, back, since)
	if err != nil {
		return whole, err
	}
	q, err := d.Inquiries.Ask(ctx, inquiry.Inquiry{Kind: inquiry.Scope, Key: key, Question: a.Scope}, shown, hunks)
	if err != nil {
		return whole, err
	}
	var verdict decision.Judgement
	if err := json.Unmarshal(q.Answer, &verdict); err != nil || len(verdict.Hunks) != len(hunks) {
		return Scoped{}, fmt.Errorf("the change could not be held against the scope %q: the reviewer gave no verdict", a.Scope)
	}
	review := scopeReview{approval: a, inquiry: q, hunks: hunks, since: amended}
	for _, h := range verdict.Hunks {
		if !h.Inside && !slices.Contains(sumsOf(back), hunkSum(hunks[h.Number-1])) {
			review.outside, review.why = append(review.outside, h.Number), append(review.why, plaintext.OneLine(h.Why))
		}
	}
	if len(review.outside) == 0 {
		return whole, nil
	}
	return d.takeOutHunks(ctx, tree, k, review, hash)
}

// reviewText returns what the reviewer of the scope is shown.
func (d *Delivery) reviewText(ctx context.Context, a *permit.Approval, hunks []diff.Hunk, back []permit.Removal, since string) (string, error) {
	report, err := d.Store.Report(ctx, d.Session().ID, a.Revision)
	if err != nil {
		return "", fmt.Errorf("report %d: %w", a.Revision, err)
	}
	parts := []string{
		prompt.ProgramMark + "The approval is limited to this:\n" + prompt.Fence("scope", a.Scope),
		prompt.ProgramMark + "The report that it was given on:\n" + prompt.Fence("report", findings.ReportForWorkers(report)),
	}
	if since != "" {
		parts = append(parts, since)
	}
	for _, r := range back {
		parts = append(parts, prompt.ProgramMark+prompt.PersonName(r.UserName)+", who may approve, has this put back. It stands within, too:\n"+prompt.Fence("removed", r.Diff()))
	}
	return strings.Join(append(parts, prompt.ProgramMark+"The change:\n"+prompt.Fence("diff", prompt.HunkText(hunks))), "\n\n"), nil
}

// A scopeReview is the reviewer's verdict on a change.
type scopeReview struct {
	approval *permit.Approval
	inquiry  inquiry.Inquiry
	hunks    []diff.Hunk
	outside  []int // numbers of the hunks outside the scope
	why      []string
	since    string // corrections of the report since the approval
}

// scopeKey returns the key of the review of a tree under an approval, with the corrections since the
// approval.
func scopeKey(a *permit.Approval, tree, since string) string {
	key := "scope:" + a.ID + ":" + tree
	if since != "" {
		key += fmt.Sprintf(":%x", sha256.Sum256([]byte(since)))
	}
	return key
}

// takeOutHunks removes the hunks outside the scope, and says which ones and why. They are stored with
// the trees before and after, with which they can be put back. with is the tree before the removal.
func (d *Delivery) takeOutHunks(ctx context.Context, tree *repo.Workspace, k *workflow.Task, review scopeReview, with string) (Scoped, error) {
	if _, err := tree.TakeOut(ctx, review.outside); err != nil {
		return Scoped{}, fmt.Errorf("take out what stands outside the scope: %w", err)
	}
	without, err := tree.Tree(ctx)
	if err != nil {
		return Scoped{}, err
	}
	taken := &permit.Removal{
		Hash: permit.RemovalHash(review.approval.ID, with, without), Approval: review.approval.ID, Revision: review.approval.Revision, With: with, Without: without,
	}
	if k != nil {
		taken.Task = k.ID
	}
	for i, n := range review.outside {
		h := review.hunks[n-1]
		taken.Hunks = append(taken.Hunks, permit.RemovedHunk{Place: prompt.HunkPlace(h), Why: review.why[i], Text: h.Text, Sum: hunkSum(h)})
	}
	if taken.Pack, err = tree.Pack(ctx, 0, with, without); err != nil {
		d.Log.Warn("what was taken out is kept on this machine alone", "err", err)
	}
	written := []store.Part{progress.Inquiry{ID: review.inquiry.ID, Applied: true}, consent.Removal(*taken)}
	if !review.inquiry.Applied { // said once, even if a worker makes the same change again
		written = append(written, store.Lines(d.ProgramLine(fmt.Sprintf("Taken out, since the approval is limited to %q:\n%s", review.approval.Scope, taken.List()), ledger.PutBackButton(*taken))))
	}
	files, err := d.Trees.Snapshot(ctx, tree, k.TreeOwner())
	if err != nil {
		return Scoped{}, err
	}
	if err := d.Record(ctx, append(written, worktree.Some(files)...)...); err != nil {
		return Scoped{}, err
	}
	scoped := Scoped{Taken: taken, Left: len(review.outside) < len(review.hunks)}
	if !scoped.Left {
		return scoped, nil
	}
	// The remaining hunks were judged to be inside, and are not asked about again.
	return scoped, d.recordInside(ctx, tree, review.approval, review.since)
}

// recordInside records that the current tree is within the scope.
func (d *Delivery) recordInside(ctx context.Context, tree *repo.Workspace, a *permit.Approval, since string) error {
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
	q, err := d.Inquiries.EnsureInquiry(ctx, inquiry.Inquiry{Kind: inquiry.Scope, Key: scopeKey(a, hash, since), Question: a.Scope})
	if err != nil || len(q.Answer) > 0 {
		return err
	}
	q.Answer = b
	return d.Record(ctx, progress.Inquiry(q))
}

// ConfineToFolder takes changes outside of the configured folder out of the tree, and says so in the
// thread. The tools that edit stay in the folder by themselves; commands may not. left is false if no
// part of the change is inside.
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
