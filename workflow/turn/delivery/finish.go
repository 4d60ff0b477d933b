package delivery

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/tracing"
	"github.com/bobbinhq/bobbin/workflow/tried"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/lookback"
	"github.com/bobbinhq/bobbin/workflow/turn/pictures"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/reproduced"
	"github.com/bobbinhq/bobbin/workflow/turn/review"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// Prove is the program's own proof over a tree of the session; nobody's word stands for it.
func (d *Delivery) Prove(ctx context.Context, w *repo.Workspace, tree string) (proof.Proof, error) {
	if d.Trees.Checker == nil {
		return proof.Proof{Missing: d.Trees.SandboxOff, Why: "Nothing could be run, so nothing is proven: " + d.Trees.SandboxOff}, nil
	}
	// The same files over the same base prove the same: what a worker's claim was held to
	// is not run once more for the end of the work.
	key := w.Base() + " " + tree
	if known, proven := d.proofs.Load(key); proven {
		return known.(proof.Proof), nil
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
	began := time.Now()
	within, span := tracing.Start(ctx, "proof")
	shown, err := proof.Prove(within, p.Checker, w, p.Project(), "")
	span.End(err, "outcome", string(shown.Outcome()))
	if err == nil {
		d.Metrics.Proof(p.Repository.Name, string(shown.Outcome()), time.Since(began))
	}
	if err == nil && shown.Holds() {
		shown.Command, err = reproduced.Again(ctx, d.Ledger, p.Checker, w)
	}
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
		d.proofs.Store(key, shown)
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
	criteria, err := d.doneCriteria(ctx, approval.Revision)
	if err != nil {
		return model.Result{}, err
	}
	if open, err := d.unfinishedWork(ctx, approval, criteria, f); open != "" || err != nil {
		return prompt.Wrong("Refused: %s", open), err
	}
	work := d.Trees.Current().Work
	if err := d.LayBack(ctx, work, nil); err != nil {
		return model.Result{}, err
	}
	if left, err := d.ConfineToFolder(ctx, work, 0); err != nil || !left {
		return prompt.Wrong("Refused: nothing of the change stands within the folder %s; it was taken out.", d.Trees.Current().Folder()), err
	}
	amended, stale, err := d.followAmendments(ctx, approval, criteria, f)
	if stale != "" || err != nil {
		return prompt.Wrong("Refused: %s", stale), err
	}
	proven, refused, err := d.proveWhole(ctx, approval)
	if refused != nil || err != nil {
		return prompt.DerefResult(refused), err
	}
	if c := proven.proof.Command; c.Fails && !d.saidCommand {
		d.saidCommand = true
		return prompt.Wrong(reproduced.StillFails, c.Said), nil
	}
	//crash:whole_proven
	proven, refused, err = hunkCheck{d, f.Hunks}.hold(ctx, proven)
	if refused != nil || err != nil {
		return prompt.DerefResult(refused), err
	}
	//crash:hunks_tried
	reviewed, back, err := reviewStep{d}.beforePush(ctx, proven, f.Kept)
	if back != nil || err != nil {
		return prompt.DerefResult(back), err
	}
	allowance, ends, err := d.AskAllowance(ctx, approval, proven.tree, proven.proof, proven.changes)
	if ends != nil || err != nil {
		return prompt.DerefResult(ends), err
	}
	proven.allowance, proven.amended, proven.criteria, proven.review = allowance, amended, criteria, reviewed
	return d.publishCommit(ctx, proven, f)
}

// proveWhole proves the whole change, holds it against the scope, and proves once more what is
// left where something was taken out. The proof comes first, since it is cheap and certain.
func (d *Delivery) proveWhole(ctx context.Context, approval *permit.Approval) (proven provenWork, refused *model.Result, err error) {
	work := d.Trees.Current().Work
	refuse := func(format string, args ...any) (provenWork, *model.Result, error) {
		r := prompt.Wrong(format, args...)
		return provenWork{}, &r, nil
	}
	proven.approval = approval
	scoped := Scoped{Left: true}
	for {
		if proven.changes, err = work.Changes(ctx); err != nil {
			return proven, nil, err
		}
		if len(proven.changes) == 0 {
			return refuse("Nothing was changed, so there is nothing to push. Delegate the work, or reply.")
		}
		if leak, err := d.FindSecrets(ctx, work); leak != "" || err != nil {
			r, refused, _ := refuse("Refused: %s", leak)
			return r, refused, err
		}
		if proven.tree, err = work.Tree(ctx); err != nil {
			return proven, nil, err
		}
		if proven.proof, err = d.Prove(ctx, work, proven.tree); err != nil {
			return proven, nil, err
		}
		if proven.proof.Outcome() == proof.Failed && !proven.proof.Documents {
			return refuse("Refused: the proof does not hold.\n%s%s", strings.Join(proven.proof.Lines(), "\n"), afterTaking(scoped))
		}
		if scoped.Taken != nil {
			return proven, nil, nil
		}
		if scoped, err = d.HoldToScope(ctx, work, nil, approval); err != nil || scoped.Taken == nil {
			return proven, nil, err
		}
		if !scoped.Left {
			return refuse("Refused: nothing of the change stands within the scope of the approval (%s).%s", approval.Scope, afterTaking(scoped))
		}
	}
}

// afterTaking tells what was taken out, behind what came of it.
func afterTaking(s Scoped) string {
	if s.Taken == nil {
		return ""
	}
	return "\n" + prompt.TakenOut(*s.Taken)
}

// A provenWork is a tree that may be pushed: what was proven of it, and who allowed it.
type provenWork struct {
	approval  *permit.Approval
	allowance *permit.Allowance // nil where it needs no word of its own
	tree      string
	changes   []diff.Change
	proof     proof.Proof
	hunks     tried.Hunks
	amended   bool            // people corrected it since the approval
	criteria  []string        // that finish has a word on, each
	review    *review.Outcome // nil: it is off
}

// unproven is why nothing could be proven, as it was allowed; empty where it was proven.
func (w provenWork) unproven() string {
	if w.allowance == nil {
		return ""
	}
	return w.allowance.Unproven
}

// seen is what the program itself saw of it, a line each.
func (w provenWork) seen() []string {
	if w.unproven() != "" {
		return []string{"Nothing is proven: " + w.unproven()}
	}
	lines := w.proof.Lines()
	if line := w.hunks.Line(); line != "" {
		lines = append(lines, line)
	}
	if w.review != nil {
		lines = append(lines, w.review.Short())
	}
	return lines
}

// publishCommit makes the commit and pushes it. The row of the push stands before the push.
func (d *Delivery) publishCommit(ctx context.Context, work provenWork, f decision.Finish) (model.Result, error) {
	p := d.Trees.Current()
	commit, err := d.makeCommit(ctx, work, f)
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
	push := outgoing.Push{Commit: commit, Tree: work.tree, BaseCommit: s.BaseCommit, Branch: s.Branch, Approval: work.approval.ID, State: outgoing.PushIntended, Unproven: work.unproven()}
	if err := d.Record(ctx, append(worktree.Some(kept), store.Update{Events: d.EventsToProof()}, consent.Push(push))...); err != nil {
		return notApproved(err)
	}
	//crash:push_intended
	spec := transfer.PushSpec{Commit: commit, Tree: work.tree, Base: s.BaseCommit, Branch: s.Branch, Prefix: p.Repository.BranchPrefix, Protected: []string{p.BaseBranch()}}
	if err = tracing.Do(ctx, "push", func(ctx context.Context) error { _, err := p.Work.Push(ctx, spec); return err }); err != nil {
		return d.sayPushFailed(ctx, push, work.proof, err)
	}
	//crash:pushed
	push.State = outgoing.PushDone
	proposed, err := proposedPull(ctx, d, work, commit, f)
	if err != nil {
		return model.Result{}, err
	}
	return ledger.WithParts(ledger.WithParts(model.Result{Text: "Pushed " + s.Branch + " at " + prompt.ShortHash(commit) + ". The work is done.", Ends: true}, append(append(proposed,
		lookback.Push{Wanted: d.LooksBack, Repository: p.Repository.Name, Base: s.BaseCommit, Commit: commit, Project: p.Project(), Changes: work.changes, Proof: work.proof}.Parts()...),
		pictures.Push{Repository: p.Repository.Name, Base: s.BaseCommit, Commit: commit, Changes: work.changes}.Request())...),
		consent.Push(push),
		store.Update{Events: []workflow.Event{workflow.EventProve}, Open: ledger.Rest, Change: func(s *workflow.Session) { s.Head, s.Workflow = commit, workflow.CommandNone }},
		store.Replies(d.ProgramLine(d.resultText(ctx, work, commit, f), d.resultButtons(work, commit, f)...))), nil
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

// sayPushFailed keeps the approval and the work, and says what the remote said.
func (d *Delivery) sayPushFailed(ctx context.Context, push outgoing.Push, shown proof.Proof, err error) (model.Result, error) {
	var remote *remote.Error
	if !errors.As(err, &remote) || ctx.Err() != nil {
		return model.Result{}, err
	}
	push.State, push.Reason = outgoing.PushRefused, remote.Reason
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
