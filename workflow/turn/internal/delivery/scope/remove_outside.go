package scope

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// RemoveOutside checks a change against the scope of the approval: the reviewer judges every hunk, and the
// program takes out those outside the scope and posts a line with a button that puts them back. Hunks
// that a person who may approve had put back count as inside. k is the task whose change it is; nil
// means the work as a whole.
func (s *Scope) RemoveOutside(
	ctx context.Context, tree *git.Workspace, k *workflow.Task, a *workflow.Approval,
) (Result, error) {
	whole := Result{Left: true}
	now, err := s.Store.Approval(ctx, s.Session().ID, a.Revision)
	if err != nil {
		return whole, err
	}
	if now != nil && now.ID == a.ID { // it may have been narrowed since the task began
		a = now
	}
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
	back, err := s.PutBack(ctx, a)
	if err != nil {
		return whole, err
	}
	since, err := s.AmendmentText(ctx, a.Revision)
	if err != nil {
		return whole, err
	}
	amended := since
	key := scopeKey(a, hash, since)
	if since != "" {
		since += "\n" + prompt.ProgramMark +
			"It says what the allowed change is to be. It does not widen the limit."
	}
	shown, err := s.reviewText(ctx, a, hunks, back, since)
	if err != nil {
		return whole, err
	}
	q, verdict, err := s.judge(ctx,
		workflow.Inquiry{Kind: workflow.InquiryScope, Key: key, Question: a.Scope}, shown, hunks)
	if err != nil {
		return whole, err
	}
	review := scopeReview{approval: a, inquiry: q, hunks: hunks, since: amended}
	for _, h := range verdict.Hunks {
		if !h.Inside && !slices.Contains(sumsOf(back), HunkSum(hunks[h.Number-1])) {
			review.outside = append(review.outside, h.Number)
			review.why = append(review.why, plaintext.OneLine(h.Why))
		}
	}
	if len(review.outside) == 0 {
		return whole, nil
	}
	return s.takeOutHunks(ctx, tree, k, review, hash)
}

// ErrNoVerdict says that the reviewer ended twice without a verdict.
var ErrNoVerdict = errors.New("the change could not be held against the scope of the approval: " +
	"the reviewer gave no verdict")

// judge has the reviewer judge each hunk. An answer without a verdict is stored like any other, so the
// next question has a key of its own. judge asks two questions at most, then fails with ErrNoVerdict;
// called again, it asks anew.
func (s *Scope) judge(
	ctx context.Context, q workflow.Inquiry, shown string, hunks []diff.Hunk,
) (workflow.Inquiry, decision.Judgement, error) {
	all, err := s.Store.Inquiries(ctx, s.Session().ID)
	if err != nil {
		return q, decision.Judgement{}, err
	}
	answered := map[string]bool{}
	for _, known := range all {
		answered[known.Key] = len(known.Answer) > 0
	}
	first := q.Key
	for n, asked := 2, 0; asked < 2; n++ {
		if !answered[q.Key] {
			asked++
		}
		kept, err := s.Inquiries.Ask(ctx, q, shown, hunks)
		if err != nil {
			return q, decision.Judgement{}, err
		}
		var verdict decision.Judgement
		if json.Unmarshal(kept.Answer, &verdict) == nil && len(verdict.Hunks) == len(hunks) {
			return kept, verdict, nil
		}
		q.Key = fmt.Sprintf("%s:%d", first, n)
	}
	return q, decision.Judgement{}, ErrNoVerdict
}

// reviewText returns what the reviewer of the scope is shown.
func (s *Scope) reviewText(
	ctx context.Context, a *workflow.Approval, hunks []diff.Hunk, back []workflow.Removal, since string,
) (string, error) {
	report, err := s.Store.Report(ctx, s.Session().ID, a.Revision)
	if err != nil {
		return "", fmt.Errorf("report %d: %w", a.Revision, err)
	}
	parts := []string{
		prompt.ProgramMark + "The approval is limited to this:\n" + prompt.Fence("scope", a.Scope),
		prompt.ProgramMark + "The report that it was given on:\n" +
			prompt.Fence("report", findings.ReportForWorkers(report)),
	}
	if since != "" {
		parts = append(parts, since)
	}
	for _, r := range back {
		parts = append(parts, prompt.ProgramMark+prompt.PersonName(r.UserName)+", who may approve, "+
			"has this put back. It stands within, too:\n"+prompt.Fence("removed", r.Diff()))
	}
	return strings.Join(append(parts,
		prompt.ProgramMark+"The change:\n"+prompt.Fence("diff", prompt.HunkText(hunks))), "\n\n"), nil
}

// A scopeReview is the reviewer's verdict on a change.
type scopeReview struct {
	approval *workflow.Approval
	inquiry  workflow.Inquiry
	hunks    []diff.Hunk
	outside  []int // numbers of the hunks outside the scope
	why      []string
	since    string // corrections of the report since the approval
}

// scopeKey returns the key of the review of a tree under an approval, with the corrections since the
// approval.
func scopeKey(a *workflow.Approval, tree, since string) string {
	key := "scope:" + a.ID + ":" + tree
	if since != "" {
		key += fmt.Sprintf(":%x", sha256.Sum256([]byte(since)))
	}
	return key
}

// takeOutHunks removes the hunks outside the scope, and says which ones and why. They are stored with
// the trees before and after, with which they can be put back. with is the tree before the removal.
func (s *Scope) takeOutHunks(
	ctx context.Context, tree *git.Workspace, k *workflow.Task, review scopeReview, with string,
) (Result, error) {
	if _, err := tree.TakeOut(ctx, review.outside); err != nil {
		return Result{}, fmt.Errorf("take out what stands outside the scope: %w", err)
	}
	without, err := tree.Tree(ctx)
	if err != nil {
		return Result{}, err
	}
	taken := &workflow.Removal{
		Hash:     workflow.RemovalHash(review.approval.ID, with, without),
		Approval: review.approval.ID,
		Revision: review.approval.Revision,
		With:     with,
		Without:  without,
	}
	if k != nil {
		taken.Task = k.ID
	}
	for i, n := range review.outside {
		h := review.hunks[n-1]
		taken.Hunks = append(taken.Hunks, workflow.RemovedHunk{
			Place: prompt.HunkPlace(h),
			Why:   review.why[i],
			Text:  h.Text,
			Sum:   HunkSum(h),
		})
	}
	if taken.Pack, err = tree.Pack(ctx, 0, with, without); err != nil {
		s.Log.Warn("what was taken out is kept on this machine alone", "err", err)
	}
	written := []store.Part{progress.Inquiry{ID: review.inquiry.ID, Applied: true}, consent.Removal(*taken)}
	if !review.inquiry.Applied { // said once, even if a worker makes the same change again
		written = append(written,
			store.Lines(s.ProgramLine(fmt.Sprintf("Taken out, since the approval is limited to %q:\n%s",
				review.approval.Scope, taken.List()), ledger.PutBackButton(*taken))))
	}
	files, err := s.Trees.Snapshot(ctx, tree, k.TreeOwner())
	if err != nil {
		return Result{}, err
	}
	if err := s.Record(ctx, append(written, worktree.Some(files)...)...); err != nil {
		return Result{}, err
	}
	result := Result{Taken: taken, Left: len(review.outside) < len(review.hunks)}
	if !result.Left {
		return result, nil
	}
	// The remaining hunks were judged to be inside, and are not asked about again.
	return result, s.recordInside(ctx, tree, review.approval, review.since)
}

// RecordInside records that what is left of a change is within the scope of the approval, after hunks
// were taken out of a change that was.
func (s *Scope) RecordInside(ctx context.Context, tree *git.Workspace, a *workflow.Approval) error {
	if a.Scope == "" {
		return nil
	}
	since, err := s.AmendmentText(ctx, a.Revision)
	if err != nil {
		return err
	}
	return s.recordInside(ctx, tree, a, since)
}

// recordInside records that the current tree is within the scope.
func (s *Scope) recordInside(
	ctx context.Context, tree *git.Workspace, a *workflow.Approval, since string,
) error {
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
		all.Hunks = append(all.Hunks,
			decision.HunkVerdict{Number: h.Number, Inside: true, Why: "judged before"})
	}
	b, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("scope: %w", err)
	}
	q, err := s.Inquiries.EnsureInquiry(ctx,
		workflow.Inquiry{Kind: workflow.InquiryScope, Key: scopeKey(a, hash, since), Question: a.Scope})
	if err != nil || len(q.Answer) > 0 {
		return err
	}
	q.Answer = b
	return s.Record(ctx, progress.Inquiry(q))
}
