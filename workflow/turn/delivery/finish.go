package delivery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/repo/transfer"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// Prove is the program's own proof over a tree of the session; nobody's word stands for it.
func (d *Delivery) Prove(ctx context.Context, w *repo.Workspace, tree string) (proof.Proof, error) {
	if d.Trees.Checker == nil {
		return proof.Proof{Why: "Nothing could be run, so nothing is proven: " + d.Trees.SandboxOff}, nil
	}
	// The same files over the same base prove the same: what a worker's claim was held to
	// is not run once more for the end of the work.
	key := w.Base() + " " + tree
	d.mu.Lock()
	known, proven := d.proofs[key]
	d.mu.Unlock()
	if proven {
		return known, nil
	}
	if err := d.Trees.Own(w); err != nil {
		return proof.Proof{}, err
	}
	p := d.Trees.Current()
	select {
	case <-p.Warm:
	case <-ctx.Done():
		return proof.Proof{}, ctx.Err()
	}
	shown, err := proof.Prove(ctx, p.Checker, w, p.Project)
	if err == nil && !shown.Holds() {
		err = d.Trees.Folders.CheckSpace()
	}
	if err != nil {
		return shown, fmt.Errorf("proof: %w", err)
	}
	after, err := w.Tree(ctx)
	if err == nil && after != tree {
		// Tests that write into the tree would be committed with the fix.
		err = w.Restore(ctx, tree)
	}
	if err == nil && shown.Holds() {
		d.mu.Lock()
		if d.proofs == nil {
			d.proofs = map[string]proof.Proof{}
		}
		d.proofs[key] = shown
		d.mu.Unlock()
	}
	return shown, err
}

// Finish makes sure that the proof holds for the whole, commits, pushes and says the result.
func (d *Delivery) Finish(ctx context.Context, f decision.Finish) (model.Result, error) {
	approval, err := d.StandingApproval(ctx)
	if err != nil {
		return model.Result{}, err
	}
	if approval == nil {
		missing, err := d.MissingApproval(ctx)
		return prompt.Wrong("%s", missing), err
	}
	if d.Trees.Current().Work == nil {
		return prompt.Wrong("Refused: nothing was delegated under this approval yet, so there is nothing to finish."), nil
	}
	if d.Session().Halted != "" {
		return prompt.Wrong("%s", prompt.HaltedRefusal), nil
	}
	if open, err := d.unfinishedWork(ctx, approval, f); open != "" || err != nil {
		return prompt.Wrong("Refused: %s", open), err
	}
	work := d.Trees.Current().Work
	if left, err := d.ConfineToFolder(ctx, work, 0); err != nil || !left {
		return prompt.Wrong("Refused: nothing of the change stands within the folder %s; it was taken out.", d.Trees.Current().Folder()), err
	}
	if left, err := d.HoldToScope(ctx, work, 0, approval); err != nil || !left {
		return prompt.Wrong("Refused: nothing of the change stands within the scope of the approval (%s); it was taken out.", approval.Scope), err
	}
	changes, err := work.Changes(ctx)
	if err != nil {
		return model.Result{}, err
	}
	if len(changes) == 0 {
		return prompt.Wrong("Nothing was changed, so there is nothing to push. Delegate the work, or reply."), nil
	}
	if leak, err := d.FindSecrets(ctx, work); leak != "" || err != nil {
		return prompt.Wrong("Refused: %s", leak), err
	}
	tree, err := work.Tree(ctx)
	if err != nil {
		return model.Result{}, err
	}
	shown, err := d.Prove(ctx, work, tree)
	if err != nil {
		return model.Result{}, err
	}
	if !shown.Holds() {
		return prompt.Wrong("Refused: the proof does not hold.\n%s", strings.Join(shown.Lines(), "\n")), nil
	}
	//crash:whole_proven
	allowance, ends, err := d.AskAllowance(ctx, approval, tree, shown, changes)
	if ends != nil || err != nil {
		return prompt.DerefResult(ends), err
	}
	return d.publishCommit(ctx, provenWork{approval, allowance, tree, changes, shown}, f)
}

// A provenWork is a tree that may be pushed: what was proven of it, and who allowed it.
type provenWork struct {
	approval  *workflow.Approval
	allowance *workflow.Allowance // nil where the change decides no more than what the code does
	tree      string
	changes   []diff.Change
	proof     proof.Proof
}

// unfinishedWork says what of a plan is not verified, or which done criterion has no word.
func (d *Delivery) unfinishedWork(ctx context.Context, a *workflow.Approval, f decision.Finish) (string, error) {
	plan, err := d.ApprovedPlan(ctx, a)
	if err != nil {
		return "", err
	}
	tasks, err := d.Store.Tasks(ctx, d.Session().ID, "")
	if err != nil {
		return "", err
	}
	for n := range plan.Tasks {
		if !slices.ContainsFunc(tasks, func(k workflow.Task) bool { return k.Plan == n+1 && k.State == workflow.TaskDone }) {
			return fmt.Sprintf("task %d of the plan is not verified. Delegate it, or propose a plan without it.", n+1), nil
		}
	}
	criteria := d.doneCriteria(ctx)
	if len(f.Criteria) != len(criteria) {
		return fmt.Sprintf("give each done criterion of the request, in its order, with what shows it; there are %d:\n%s", len(criteria), strings.Join(criteria, "\n")), nil
	}
	for i, c := range f.Criteria {
		if strings.TrimSpace(c.How) == "" {
			return fmt.Sprintf("done criterion %d has no word on what shows it, or why it is not met.", i+1), nil
		}
	}
	return "", nil
}

// doneCriteria are what the newest request of the session says it is done by.
func (d *Delivery) doneCriteria(ctx context.Context) []string {
	s := d.Session()
	if s.Kind != workflow.KindFeature {
		return nil
	}
	for n := s.Revision; n > 0; n-- {
		r, err := d.Store.Report(ctx, s.ID, n)
		var request workflow.Request
		if err == nil && r.Kind == workflow.ReportRequest && json.Unmarshal(r.Body, &request) == nil {
			return request.DoneCriteria
		}
	}
	return nil
}

// publishCommit makes the commit and pushes it. The row of the push stands before the push.
func (d *Delivery) publishCommit(ctx context.Context, work provenWork, f decision.Finish) (model.Result, error) {
	p := d.Trees.Current()
	commit, err := d.makeCommit(ctx, work.approval, work.tree, f.Summary)
	if err != nil {
		return model.Result{}, fmt.Errorf("commit: %w", err)
	}
	// Another machine may have to push it again.
	kept, err := d.Trees.Pack(ctx, p.Work, 0, work.tree, commit)
	if err != nil {
		return model.Result{}, err
	}
	//crash:commit_made
	s := d.Session()
	push := workflow.Push{Commit: commit, Tree: work.tree, BaseCommit: s.BaseCommit, Branch: s.Branch, Approval: work.approval.ID, State: workflow.PushIntended}
	if err := d.Record(ctx, append(worktree.Some(kept), store.Update{Events: d.EventsToProof()}, consent.Push(push))...); err != nil {
		return notApproved(err)
	}
	//crash:push_intended
	_, err = p.Work.Push(ctx, transfer.PushSpec{
		Commit: commit, Tree: work.tree, Base: s.BaseCommit, Branch: s.Branch, Prefix: p.Repository.BranchPrefix, Protected: []string{p.BaseBranch()},
	})
	if err != nil {
		return d.sayPushFailed(ctx, push, work.proof, err)
	}
	//crash:pushed
	push.State = workflow.PushDone
	return ledger.WithParts(model.Result{Text: "Pushed " + s.Branch + " at " + prompt.ShortHash(commit) + ". The work is done.", Ends: true},
		consent.Push(push),
		store.Update{
			Events: []workflow.Event{workflow.EventProve}, Open: ledger.Rest,
			Change: func(s *workflow.Session) { s.Head, s.Workflow = commit, workflow.CommandNone },
		},
		store.Replies(d.ProgramLine(d.resultText(ctx, work, commit, f)))), nil
}

// makeCommit is the one that an earlier push of these files did not bring through, so that
// what is pushed again has its hash, whatever the model says of the work by now; else it
// is a new one.
func (d *Delivery) makeCommit(ctx context.Context, a *workflow.Approval, tree, summary string) (string, error) {
	s, work := d.Session(), d.Trees.Current().Work
	pushes, err := d.Store.Pushes(ctx, s.ID)
	if err != nil {
		return "", err
	}
	spec := d.commitSpec(a, tree, summary)
	pushes = slices.DeleteFunc(pushes, func(p workflow.Push) bool {
		return p.Approval != a.ID || p.BaseCommit != s.BaseCommit || p.State == workflow.PushDone || !work.HasCommit(p.Commit)
	})
	for _, p := range slices.Backward(pushes) {
		if p.Tree == tree {
			return p.Commit, nil
		}
	}
	if len(pushes) > 0 {
		// The files have changed since. Did an earlier push arrive without our knowing, the
		// branch goes on from there.
		stands, err := work.BranchHead(ctx, s.Branch)
		if err != nil {
			d.Log.Warn("look where the branch stands", "branch", s.Branch, "err", err) // the push will say so
		}
		if slices.ContainsFunc(pushes, func(p workflow.Push) bool { return p.Commit == stands }) {
			spec.Parent = stands
		}
	}
	return work.Commit(ctx, spec)
}

// EventsToProof are the events that lead from where the session is to verifying.
func (d *Delivery) EventsToProof() []workflow.Event {
	switch d.Session().Phase {
	case workflow.PhaseExploring:
		return []workflow.Event{workflow.EventResume, workflow.EventClaim}
	case workflow.PhaseWorking:
		return []workflow.Event{workflow.EventClaim}
	}
	return nil
}

// commitSpec depends on nothing but rows, so that a commit made again has the same hash.
func (d *Delivery) commitSpec(a *workflow.Approval, tree, summary string) repo.CommitSpec {
	s := d.Session()
	return repo.CommitSpec{
		Tree: tree, Parent: cmp.Or(s.Head, s.BaseCommit), Message: d.SecretFinder().Mask(subject(d.Catalog.WorkTitle()) + "\n\n" + strings.TrimSpace(summary)), When: a.At.UTC().Truncate(time.Second),
		Trailers: [][2]string{{"Reported-by", s.Requester}, {"Approved-by", fmt.Sprintf("%s (%s)", plaintext.OneLine(a.UserName), a.User)}, {"Session", s.ID}},
	}
}

func subject(s string) string {
	return plaintext.CutLine(strings.TrimRight(plaintext.OneLine(s), "."), 72)
}

// sayPushFailed keeps the approval and the work, and says what the remote said.
func (d *Delivery) sayPushFailed(ctx context.Context, push workflow.Push, shown proof.Proof, err error) (model.Result, error) {
	var remote *remote.Error
	if !errors.As(err, &remote) || ctx.Err() != nil {
		return model.Result{}, err
	}
	push.State, push.Reason = workflow.PushRefused, remote.Reason
	ready := "ready"
	if shown.Shown {
		ready += " and proven"
	}
	return ledger.WithParts(model.Result{Text: "The push was refused: " + remote.Reason + ". The thread was told. When somebody writes that it is mended, call finish again.", Ends: true},
		consent.Push(push),
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(d.ProgramLine(fmt.Sprintf("The fix is %s, but %s could not be pushed: %s Nothing was forced, and the approval stands. Reply \"push again\" when it is mended.",
			ready, push.Branch, worktree.RemoteWords(remote))))), nil
}

// resultText is what the thread is told at the end, and how to check it.
func (d *Delivery) resultText(ctx context.Context, work provenWork, commit string, f decision.Finish) string {
	s := d.Session()
	added, removed := 0, 0
	for _, c := range work.changes {
		added, removed = added+c.Added, removed+c.Removed
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Done. Pushed `%s` at %s: %s, +%d −%d lines.\n", s.Branch, prompt.ShortHash(commit), plaintext.CountNoun(len(work.changes), "file"), added, removed)
	fmt.Fprintf(&b, "%s\n", strings.TrimSpace(f.Summary))
	for i, c := range d.doneCriteria(ctx) {
		mark := "✓"
		if !f.Criteria[i].Met {
			mark = "✗ not met:"
		}
		fmt.Fprintf(&b, "%s %s (%s)\n", mark, plaintext.OneLine(c), plaintext.OneLine(f.Criteria[i].How))
	}
	for _, line := range work.proof.Lines() {
		fmt.Fprintf(&b, "• %s\n", line)
	}
	for _, line := range decidingPaths(work.changes) {
		fmt.Fprintf(&b, "• Allowed by %s: %s\n", work.allowance.UserName, line)
	}
	if scope := work.approval.Scope; scope != "" {
		fmt.Fprintf(&b, "Limited to: %s. The rest was left out.\n", scope)
	}
	if s.SpentUSD > 0 {
		fmt.Fprintf(&b, "It took %s and $%.2f in all.\n", time.Since(s.Created).Round(time.Second), s.SpentUSD)
	} else {
		fmt.Fprintf(&b, "It took %s.\n", time.Since(s.Created).Round(time.Second))
	}
	fmt.Fprintf(&b, "Please check it yourself: `git fetch origin %s && git diff %s %s`", s.Branch, prompt.ShortHash(s.BaseCommit), prompt.ShortHash(commit))
	if test := d.Trees.Current().Project.Test; test != "" {
		fmt.Fprintf(&b, ", then `%s` on the branch", prompt.CodeSpan(test))
	}
	return b.String() + "."
}
