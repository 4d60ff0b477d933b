package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// claimFailedUpdate returns the session to its work after a claim that does not hold.
var claimFailedUpdate = store.Update{OptionalEvents: []workflow.Event{workflow.EventFail}}

// Done claims that the task is finished, and verifies it. The design rules are checked before the proof,
// and the proof before the scope.
func (t *task) Done(ctx context.Context, d decision.Done) (model.Result, error) {
	if err := t.Scope.RestoreRemovals(ctx, t.tree, &t.task); err != nil {
		return model.Result{}, err
	}
	if broken, err := t.designFaults(ctx); broken != "" || err != nil {
		return prompt.Wrong("%s", broken), err
	}
	if err := t.refuseSecrets(ctx); err != nil {
		return prompt.Refused(err)
	}
	tree, err := t.tree.Tree(ctx)
	var unfit *git.PathError
	if errors.As(err, &unfit) {
		return prompt.Wrong("What you made cannot be committed: %v", unfit), nil
	}
	if err != nil {
		return model.Result{}, err
	}
	if tree == t.task.StartTree {
		return prompt.Wrong("Nothing was changed since this task began, so there is nothing to verify. " +
			"Make the change and call done again; where nothing has to be changed, " +
			"call blocked and say why."), nil
	}
	if red := t.red.refuse(tree); red != "" {
		return prompt.Wrong("%s", red), nil
	}
	if err := t.Record(ctx, store.Update{OptionalEvents: []workflow.Event{workflow.EventClaim}}); err != nil {
		return model.Result{}, err
	}
	failpoint.Crash("claim_recorded")
	if gone, err := t.Scope.Confine(ctx, t.tree, t.task.TreeOwner()); err != nil || gone != "" {
		return ledger.WithParts(prompt.Wrong("All of your change %s, and was taken out. Do what can be done "+
			"without that, or call blocked.", gone), claimFailedUpdate), err
	}
	return t.verifyClaim(ctx, d)
}

// refuseSecrets refuses a claim whose files have a secret that the task added. The thread is told of it
// once for each attempt at the task.
func (t *task) refuseSecrets(ctx context.Context) error {
	earlier, err := t.Store.Attempts(ctx, t.task.ID)
	if err != nil {
		return err
	}
	return t.Delivery.RefuseSecrets(ctx, t.tree,
		fmt.Sprintf("attempt %d at task %d", len(earlier)+1, t.task.ID))
}

// A claim is the proof of the task's current files.
type claim struct {
	attempt *workflow.Attempt
	proof   proof.Proof
	earlier []workflow.Attempt
}

// proveClaim runs the proof of the current files.
func (t *task) proveClaim(ctx context.Context) (c claim, err error) {
	tree, err := t.tree.Tree(ctx)
	if err != nil {
		return c, err
	}
	if c.earlier, err = t.Store.Attempts(ctx, t.task.ID); err != nil {
		return c, err
	}
	if c.proof, err = t.Delivery.Prove(ctx, t.tree, tree); err != nil {
		return c, err
	}
	failpoint.Crash("claim_proven")
	c.attempt = &workflow.Attempt{
		Task:   t.task.ID,
		Number: len(c.earlier) + 1,
		Tree:   tree,
		Held:   t.passes(c.proof),
	}
	if c.attempt.Held && !c.proof.Passes() {
		c.proof.Why = "" // the task has nothing of its own to test; finish asks for that of the whole work
	}
	c.attempt.Summary = strings.Join(c.proof.Lines(), "\n")
	if !c.attempt.Held {
		c.attempt.Summary += failureOutput(c.proof)
	}
	return c, nil
}

// verifyClaim proves the claim, takes out what lies outside of the approval's scope, checks what the task's
// skills demand, and merges a task that was done in a tree of its own.
func (t *task) verifyClaim(ctx context.Context, d decision.Done) (model.Result, error) {
	c, err := t.proveClaim(ctx)
	if err != nil {
		return model.Result{}, err
	}
	if !c.attempt.Held {
		return t.rejectClaim(ctx, c)
	}
	c, taken, err := t.confineClaim(ctx, c)
	if err != nil {
		return prompt.Refused(err)
	}
	if err := t.checkDemands(ctx, c, taken); err != nil {
		return prompt.Refused(err)
	}
	if t.task.Apart {
		clash, err := t.Trees.MergeTask(ctx, t.task, t.tree)
		if err != nil {
			return model.Result{}, err
		}
		if clash != "" {
			return t.mergeConflicts(c.attempt, "It was verified in a tree of its own, but "+clash), nil
		}
	}
	failpoint.Crash("attempt_held")
	shown := c.proof.Short()
	if c.proof.Passes() {
		shown = verified(c.proof)
	}
	held, err := t.attemptHeld(ctx, d, shown, c.attempt)
	held.Text += taken
	return held, err
}

// refuseClaim returns the refusal of a claim that is no failed attempt. The session goes back to its work.
func refuseClaim(format string, args ...any) error {
	return &prompt.Refusal{Result: ledger.WithParts(prompt.Wrong(format, args...), claimFailedUpdate)}
}

// rejectClaim answers a claim that the proof does not bear out. An attempt is an edit that is followed by a
// verification, so a claim that fails again without an edit is not counted as one, and neither is a proof
// that could not begin.
func (t *task) rejectClaim(ctx context.Context, c claim) (model.Result, error) {
	if c.proof.Outcome() == proof.NotStarted {
		return prompt.Refused(refuseClaim(
			"%s\nThat is no failed attempt, and no fault of the change. Where another command tests it "+
				"here, name that in check; else call blocked, and say what is missing: your change is kept.",
			c.attempt.Summary))
	}
	if n := len(c.earlier); n > 0 && c.earlier[n-1].Tree == c.attempt.Tree {
		return prompt.Refused(refuseClaim("Nothing was changed since the last verification, "+
			"and it failed again:\n%s", c.attempt.Summary))
	}
	if diff, err := t.tree.Diff(ctx); err == nil {
		c.attempt.Diff = prompt.CutDiff(diff, prompt.MaxDiffBytes)
	}
	return t.attemptFailed(ctx, c.attempt)
}

// confineClaim takes out of the claim what is outside of the approval's scope, and proves what is left. taken
// is what the worker is told of it; empty: nothing was taken out.
func (t *task) confineClaim(ctx context.Context, c claim) (_ claim, taken string, err error) {
	scoped, err := t.Scope.RemoveOutside(ctx, t.tree, &t.task, t.grant)
	if err != nil || scoped.Taken == nil {
		return c, "", err
	}
	taken = "\n" + prompt.TakenOut(*scoped.Taken)
	if !scoped.Left {
		return c, taken, refuseClaim("All of your change stands outside the scope of the "+
			"approval (%s). That is no failed attempt. Do what the scope allows, or call blocked and "+
			"say what more it takes.%s", t.grant.Scope, taken)
	}
	if c, err = t.proveClaim(ctx); err != nil {
		return c, taken, err
	}
	if !c.attempt.Held {
		return c, taken, refuseClaim("Your change holds only with what stands outside the "+
			"scope of the approval (%s). That is no failed attempt. Do without it, or call blocked and "+
			"say what more it takes.%s\nWhat is left:\n%s", t.grant.Scope, taken, c.attempt.Summary)
	}
	return c, taken, nil
}

// checkDemands refuses a proven claim until the worker has read which tests expect something else now, has
// done what its skill demands, and has read what people wrote meanwhile.
func (t *task) checkDemands(ctx context.Context, c claim, taken string) error {
	changed, err := t.tellExpectations(ctx, c.proof)
	if err != nil {
		return err
	}
	if changed != "" {
		return refuseClaim("%s%s", changed, taken)
	}
	missing, err := t.skillGate(ctx, c.proof)
	if err != nil {
		return err
	}
	if missing != "" {
		return refuseClaim("%s%s", missing, taken)
	}
	return t.readFirst(ctx, c.attempt, taken)
}

// readFirst keeps a verified task open if a person wrote to its worker meanwhile. The error is a
// prompt.Refusal then.
func (t *task) readFirst(ctx context.Context, a *workflow.Attempt, taken string) error {
	if err := t.transcript.Hear(ctx); err != nil {
		return err
	}
	unseen, err := t.Inbox().Unseen(ctx, t.task.ID)
	if err != nil || len(unseen) == 0 {
		return err
	}
	return &prompt.Refusal{Result: ledger.WithParts(model.Result{
		Text: "Verified, but somebody wrote for you meanwhile; you are shown it now. Do what it asks, " +
			"and call done again, also where it changes nothing.\n" + a.Summary + taken,
	},
		store.Update{OptionalEvents: []workflow.Event{workflow.EventVerified}})}
}

// passes reports whether the proof is enough for this task. Every task has to leave everything that
// passed as it was. A new test that failed first is demanded of a bug's only task, and by finish of the
// whole work; a task among several may have nothing of its own to test.
func (t *task) passes(p proof.Proof) bool {
	if p.Passes() {
		return true
	}
	plain := len(p.NewTests) == len(p.Guards) && len(p.NotRed) == 0 &&
		len(p.Regressions) == 0 && p.BuildOK && p.GreenOnBranch
	among := t.task.Apart || len(t.task.After) > 0
	feature := t.Session().Kind == workflow.KindFeature
	return plain && (among || p.MayGoUnproven(feature) || feature && len(p.Guards) == 0)
}

// failureOutput returns what the build and the first tests that fail only on the branch printed, for the
// worker that has to fix them. Output that several tests printed is shown once.
func failureOutput(p proof.Proof) string {
	const most, each = 3, 1500
	var b strings.Builder
	var told []string
	if p.Branch.BuildRan && !p.BuildOK {
		told = append(told, p.Branch.BuildOutput)
		fmt.Fprintf(&b, "\nThe build printed:\n%s", tail(p.Branch.BuildOutput, each))
	}
	fresh, _ := p.Branch.FailingSince(p.Base)
	for _, x := range fresh {
		if len(told) < most && !result.IsRepeatOf(told, x.Output) {
			told = append(told, x.Output)
			fmt.Fprintf(&b, "\n%s printed:\n%s", x.Name, tail(x.Output, each))
		}
	}
	return b.String()
}

// tail returns at most most bytes from the end of a text, from the beginning of a line.
func tail(s string, most int) string {
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	s = strings.ToValidUTF8(s[len(s)-most:], "")
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		s = rest
	}
	return "…\n" + s
}
