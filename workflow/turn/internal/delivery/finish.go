package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tracing"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/background/lookback"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/background/pictures"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// Finish proves the whole change, commits it, pushes it and posts the result. A step that misses something
// refuses with a prompt.Refusal, which is the answer to the orchestrator.
func (d *Delivery) Finish(ctx context.Context, f decision.Finish) (model.Result, error) {
	approval, err := d.mayFinish(ctx)
	if err != nil {
		return prompt.Refused(err)
	}
	work, err := d.completeWork(ctx, approval, f)
	if err != nil {
		return prompt.Refused(err)
	}
	return prompt.Answer(d.pushComplete(ctx, work, f))
}

// pushComplete words complete work, and pushes it if people allowed that.
func (d *Delivery) pushComplete(
	ctx context.Context, work provenWork, f decision.Finish,
) (result model.Result, err error) {
	if work.begun, err = d.pushBegun(ctx, work.approval, work.tree); err != nil {
		return result, err
	}
	if !work.begun {
		if err := d.RefuseGone(ctx); err != nil {
			return result, err
		}
	}
	f, work.unsaid = withoutClaims(f)
	if work.words, err = d.chooseWords(ctx, work, f); err != nil {
		return result, err
	}
	if work, err = d.holdTitle(ctx, work); err != nil {
		return result, err
	}
	if work, err = d.allowPush(ctx, work); err != nil {
		return result, err
	}
	if err = d.askWords(ctx, work); err != nil {
		return result, err
	}
	if rewritten, err := d.baseRewritten(ctx, work); err != nil || rewritten {
		return d.sayRewritten(work), err
	}
	return d.publishCommit(ctx, work, f)
}

// mayFinish returns the approval under which work may be finished now.
func (d *Delivery) mayFinish(ctx context.Context) (*workflow.Approval, error) {
	approval, err := d.StandingApproval(ctx)
	if err != nil {
		return nil, err
	}
	if approval == nil {
		missing, err := d.MissingApproval(ctx)
		if err != nil {
			return nil, err
		}
		return nil, prompt.NewRefusal("%s", missing)
	}
	if d.Trees.Current().Work == nil {
		return nil, prompt.NewRefusal("Refused: nothing was delegated under this approval yet, " +
			"so there is nothing to finish.")
	}
	if d.Session().Halted != "" {
		return nil, prompt.NewRefusal("%s", prompt.HaltedRefusal)
	}
	return approval, nil
}

// completeWork returns the work if it is complete: all of the plan is done, within its folder, proven,
// without hunks that nothing needs, and reviewed.
func (d *Delivery) completeWork(
	ctx context.Context, approval *workflow.Approval, f decision.Finish,
) (proven provenWork, err error) {
	if m, err := d.mergeOf(ctx, approval); err != nil || m != nil {
		if err != nil {
			return proven, err
		}
		return d.completeMerge(ctx, approval, *m, f)
	}
	criteria, err := d.doneCriteria(ctx, approval.Revision)
	if err != nil {
		return proven, err
	}
	open, err := d.unfinishedWork(ctx, approval, criteria, f)
	if err != nil {
		return proven, err
	}
	if open != "" {
		return proven, prompt.NewRefusal("Refused: %s", open)
	}
	if err := d.confineWork(ctx); err != nil {
		return proven, err
	}
	amended, stale, err := d.followAmendments(ctx, approval, criteria, f)
	if err != nil {
		return proven, err
	}
	if stale != "" {
		return proven, prompt.NewRefusal("Refused: %s", stale)
	}
	if proven, err = d.proveWhole(ctx, approval); err != nil {
		return proven, err
	}
	if c := proven.proof.Command; c.Fails && !d.saidCommand {
		d.saidCommand = true
		return proven, prompt.NewRefusal(stillFails, c.Text, printed(c))
	}
	failpoint.Crash("whole_proven")
	if proven, err = (hunkCheck{d, f.Hunks}).refuseUnneeded(ctx, proven); err != nil {
		return proven, err
	}
	failpoint.Crash("hunks_tried")
	proven.amended = amended
	proven.criteria = criteria
	proven.review, err = reviewStep{d, f}.beforePush(ctx, proven)
	return proven, err
}

// confineWork puts back what people want put back, and takes out what may not be changed. It
// refuses work of which nothing is left.
func (d *Delivery) confineWork(ctx context.Context) error {
	work := d.Trees.Current().Work
	if err := d.Scope.RestoreRemovals(ctx, work, nil); err != nil {
		return err
	}
	gone, err := d.Scope.Confine(ctx, work, 0)
	if err != nil {
		return err
	}
	if gone != "" {
		return prompt.NewRefusal("Refused: all of the change %s, and was taken out.", gone)
	}
	return nil
}

// allowPush returns the work with what people allowed of it. It refuses the push if the approval does not
// stand any more, if messages wait to be read, or if a separate permission is missing.
func (d *Delivery) allowPush(ctx context.Context, work provenWork) (provenWork, error) {
	if err := d.Recheck(ctx, work.approval); err != nil {
		return work, err
	}
	if err := d.refuseUnread(ctx, work.approval, work.tree); err != nil {
		return work, err
	}
	allowance, quorum, err := d.AskAllowance(ctx, work.approval, work.tree, work.proof, work.changes)
	if err != nil {
		return work, err
	}
	work.allowance = allowance
	work.quorum = quorum
	if work.observed, err = d.observers(ctx, quorum.By); err != nil {
		return work, err
	}
	if allowance != nil {
		if work.overruled, err = d.Store.Overruled(ctx, allowance.ID); err != nil {
			return work, err
		}
	}
	work.expected, err = d.Expectations(ctx, work.approval, work.proof)
	return work, err
}

// refuseUnread refuses to push that tree while somebody wrote what the orchestrator has not read. A push of
// it that began before the program died is repeated as it was.
func (d *Delivery) refuseUnread(ctx context.Context, a *workflow.Approval, tree string) error {
	if begun, err := d.pushBegun(ctx, a, tree); err != nil || begun {
		return err
	}
	return d.Inquiries.Runtime.RefuseUnread(ctx)
}

// pushBegun reports whether a push of that tree began before the program died.
func (d *Delivery) pushBegun(ctx context.Context, a *workflow.Approval, tree string) (bool, error) {
	pushes, err := d.Store.Pushes(ctx, d.Session().ID)
	return slices.ContainsFunc(pushes, func(p workflow.Push) bool {
		return p.Approval == a.ID && p.Tree == tree && p.State == workflow.PushIntended
	}), err
}

// publishCommit makes the commit and pushes it. The intent to push is recorded before the push.
func (d *Delivery) publishCommit(
	ctx context.Context, work provenWork, f decision.Finish,
) (model.Result, error) {
	p := d.Trees.Current()
	commit, err := d.makeCommit(ctx, work)
	if err != nil {
		return model.Result{}, fmt.Errorf("commit: %w", err)
	}
	// Another machine may have to repeat the push.
	kept, err := d.Trees.Pack(ctx, p.Work, 0, work.tree, commit)
	if err != nil {
		return model.Result{}, err
	}
	failpoint.Crash("commit_made")
	s := d.Session()
	push := workflow.Push{
		Commit:       commit,
		Tree:         work.tree,
		BaseCommit:   s.BaseCommit,
		Branch:       s.Branch,
		Approval:     work.approval.ID,
		State:        workflow.PushIntended,
		Unproven:     work.unproven(),
		Expectations: work.expectations(),
		Needed:       work.quorum.Needed,
	}
	recheck := func() error { return d.refuseUnread(ctx, work.approval, work.tree) }
	if err := d.intendPush(ctx, recheck, append(worktree.Some(kept),
		store.Update{Events: s.Phase.EventsToVerify()}, consent.Push(push))...); err != nil {
		return model.Result{}, notApproved(err)
	}
	failpoint.Crash("push_intended")
	spec := git.PushSpec{
		Commit:    commit,
		Tree:      work.tree,
		Base:      s.BaseCommit,
		Branch:    s.Branch,
		Prefix:    p.Repository.BranchPrefix,
		Named:     p.Repository.Naming.Branch.Expression(),
		Protected: []string{p.BaseBranch()},
	}
	if err = tracing.Do(ctx, "push", func(ctx context.Context) error {
		_, err := p.Work.Push(ctx, spec)
		return err
	}); err != nil && !d.arrived(ctx, push, err) {
		return d.sayPushFailed(ctx, push, work.proof, err)
	}
	failpoint.Crash("pushed")
	push.State = workflow.PushDone
	if work.late, err = d.Store.Objections(ctx, work.approval.ID, work.tree); err != nil {
		return model.Result{}, err
	}
	proposed, err := proposedPull(ctx, d, work, commit)
	if err != nil {
		return model.Result{}, err
	}
	comments, err := ticketComments(ctx, d, work, commit)
	if err != nil {
		return model.Result{}, err
	}
	proposed = append(proposed, comments...)
	tasks, err := d.Store.Tasks(ctx, s.ID, "")
	if err != nil {
		return model.Result{}, err
	}
	parts := append(endFailedTasks(tasks), d.besidePush(work, commit)...)
	parts = append(parts, d.watchBranch(commit)...)
	parts = append(parts, consent.Push(push),
		store.Update{
			Events: []workflow.Event{workflow.EventProve},
			Open:   ledger.Rest,
			Change: func(s *workflow.Session) {
				s.Head = commit
				s.Pushed = true
				s.Workflow = workflow.CommandNone
			},
		},
		store.Replies(d.ProgramText(d.resultText(ctx, work, commit, f),
			d.resultButtons(work, commit, f)...)))
	parts = append(parts, proposed...) // their lines follow the result
	told := "Pushed " + s.Branch + " at " + prompt.ShortHash(commit) + ". The work is done."
	if order, ok := d.orderCI(work, push); ok {
		parts = append(parts, order)
		told += " The program waits for the checks of CI, and tells the thread how they end."
	}
	return ledger.WithParts(model.Result{Text: told, Ends: true}, parts...), nil
}

// arrived reports whether the remote refused a push of what it has already: it was pushed before the program
// died, and somebody went on from there.
func (d *Delivery) arrived(ctx context.Context, push workflow.Push, err error) bool {
	var refused *remote.Error
	if !errors.As(err, &refused) || refused.Retry || ctx.Err() != nil {
		return false
	}
	there, err := d.Trees.Current().Mirror.HasPushed(ctx, push.Branch, push.Commit)
	return err == nil && there
}

// besidePush returns what is looked at beside the turns once the work is pushed.
func (d *Delivery) besidePush(work provenWork, commit string) []store.Part {
	p := d.Trees.Current()
	s := d.Session()
	base := s.BaseCommit
	if work.merge != nil { // the change itself is as it was
		return nil
	}
	looked := lookback.Push{
		Wanted:     d.LooksBack,
		OfRelease:  s.BaseBranch != "" && s.Pull == 0 && p.Repository.IsRelease(s.BaseBranch),
		Repository: p.Repository.Name,
		Base:       base,
		Commit:     commit,
		Project:    p.Project(),
		Changes:    work.changes,
		Proof:      work.proof,
	}.Parts()
	return append(looked, pictures.Push{
		Repository: p.Repository.Name,
		Base:       base,
		Commit:     commit,
		Changes:    work.changes,
	}.Request())
}

// watchBranch returns the request to follow the pushed branch if no pull request is opened for it.
func (d *Delivery) watchBranch(commit string) []store.Part {
	p := d.Trees.Current()
	base := p.BaseBranch()
	if p.Repository.Pulls.Host != nil || !p.Mirror.Commits().HasBranch(base) {
		return nil
	}
	return []store.Part{merges.Watch{
		Repository: p.Repository.Name,
		Branch:     d.Session().Branch,
		Base:       base,
		Head:       commit,
	}}
}

// endFailedTasks returns the parts that end the failed tasks of pushed work. What they left in the files was
// proven and pushed with the rest, so a later failure must not put the files back to what they began with,
// and a later task takes up none of their failures.
func endFailedTasks(all []workflow.Task) (ended []store.Part) {
	for _, k := range all {
		if k.State == workflow.TaskFailed || k.State == workflow.TaskDropped && k.StartTree != "" {
			k.State = workflow.TaskDropped
			k.StartTree = ""
			ended = append(ended, progress.Task{Task: k})
		}
	}
	return ended
}

// sayPushFailed tells the thread why the remote refused the push, and pauses the session. The approval
// and the work are kept. Every error that is not from the remote is returned.
func (d *Delivery) sayPushFailed(
	ctx context.Context, push workflow.Push, shown proof.Proof, err error,
) (model.Result, error) {
	var remote *remote.Error
	if !errors.As(err, &remote) || ctx.Err() != nil {
		return model.Result{}, err
	}
	push.State = workflow.PushRefused
	push.Reason = remote.Reason
	ready := "ready"
	if shown.Demonstrated {
		ready += " and proven"
	}
	return ledger.WithParts(model.Result{
		Text: "The push was refused: " + remote.Reason +
			". The thread was told. When somebody writes that it is fixed, call finish again.",
		Ends: true,
	},
		consent.Push(push),
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(d.ProgramLine(fmt.Sprintf("The fix is %s, but %s could not be pushed: "+
			"%s Nothing was forced, and the approval stands. Reply \"push again\" when it is fixed.",
			ready, push.Branch, worktree.RemoteWords(remote))))), nil
}
