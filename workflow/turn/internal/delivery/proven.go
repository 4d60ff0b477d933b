package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/repo/proof/testtrial"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/tracing"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/review"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery/scope"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// A provenWork is a tree that may be pushed, with its proof and with who allowed it.
type provenWork struct {
	approval  *workflow.Approval
	allowance *workflow.Allowance // nil if none is needed
	quorum    ledger.Quorum       // the people under whose words it is pushed
	observed  map[string]bool     // those of them who say that they saw it themselves, by user id
	overruled []workflow.Objection
	late      []workflow.Objection // made while it was being pushed
	tree      string
	changes   []diff.Change
	proof     proof.Proof
	expected  Expectations
	hunks     workflow.HunkResults
	// which runs without a hunk had ended before an interruption, in a line; empty: none had
	hunksTakenOver string
	amended        bool            // people corrected the work since the approval
	criteria       []string        // done criteria; finish says something about each
	review         *review.Outcome // nil: the review is off
	names          names
	words          wording     // how it is worded outside of Slack
	merge          *merges.Row // the merge of the base that it is; nil: it is other work
	unsaid         []string    // sentences of the orchestrator that only the program may say
	begun          bool        // its push began before the program died, and is repeated as it was
}

// unproven returns why nothing could be proven, as a person allowed it, or an empty string if the work
// is proven.
func (p provenWork) unproven() string {
	if p.allowance == nil {
		return ""
	}
	return p.allowance.Unproven
}

// expectations returns the changed expectations of tests that a person allowed, one per line.
func (p provenWork) expectations() string {
	if p.allowance == nil {
		return ""
	}
	return p.allowance.Expectations
}

// seen returns what the program itself found out about the work, in lines.
func (p provenWork) seen() []string {
	if p.unproven() != "" {
		lines := []string{"Nothing is proven: " + p.trailer()}
		if p.proof.Command.Text != "" {
			lines = append(lines, p.proof.Command.Text)
		}
		return lines
	}
	lines := p.proof.Lines()
	if line := p.hunks.Line(); line != "" {
		lines = append(lines, line)
	}
	if p.hunksTakenOver != "" {
		lines = append(lines, p.hunksTakenOver)
	}
	if p.review != nil {
		lines = append(lines, p.review.Short())
	}
	return lines
}

// Prove runs the program's own proof of a tree in w. What agents say does not count. A proof that holds
// is remembered, and not run again for the same tree and base.
func (d *Delivery) Prove(ctx context.Context, w *git.Workspace, tree string) (proof.Proof, error) {
	if d.Trees.Checker == nil {
		return proof.Proof{
			Missing: d.Trees.SandboxOff,
			Why:     "Nothing could be run, so nothing is proven: " + d.Trees.SandboxOff,
		}, nil
	}
	if shown, left, err := d.unresolved(ctx, w); err != nil || left {
		return shown, err
	}
	// The same files over the same base prove the same, so the proof of a worker's claim is not run
	// again at the end of the work.
	key := w.Base() + " " + tree
	if known, proven := d.proofs.Load(key); proven {
		return known.(proof.Proof), nil
	}
	if err := d.Trees.LetCommandsWrite(w); err != nil {
		return proof.Proof{}, err
	}
	p := d.Trees.Current()
	select {
	case <-p.BaseTested:
	case <-ctx.Done():
		return proof.Proof{}, ctx.Err()
	}
	began := time.Now()
	within, span := tracing.Start(ctx, "proof")
	journal := d.openJournal("proof", w.Base(), tree)
	checker := p.Checker.KeptIn(journal)
	shown, err := proof.ProveWith(within, checker, w, commands(p, w.Base()), "")
	if err == nil && shown.Passes() {
		err = d.tryTests(within, checker, w, &shown)
	}
	shown.TakenOver = proof.TakenOver(journal.Taken())
	span.End(err, "outcome", string(shown.Outcome()))
	if err == nil {
		d.Metrics.Proof(p.Repository.Name, string(shown.Outcome()), time.Since(began))
	}
	if err == nil && shown.Outcome() != proof.Failed { // it says most where no test could be run
		shown.Command, err = runApprovedCommand(ctx, d.Ledger, p.Checker, w)
	}
	if err == nil && !shown.Passes() {
		err = d.Trees.Folders.CheckSpace()
	}
	if err != nil {
		return shown, fmt.Errorf("proof: %w", err)
	}
	err = restoreChanged(ctx, w, tree)
	if err == nil && shown.Passes() {
		d.proofs.Store(key, shown)
	} else if err == nil { // the next proof of these files shows whether it was chance
		err = journal.Remove()
	}
	return shown, err
}

// openJournal returns the journal of the runs for what, such as "proof", on a tree over a base. Each process
// and each turn gets the same one.
func (d *Delivery) openJournal(what, base, tree string) *build.Journal {
	return build.OpenJournal(d.Folder("runs"), what+"-"+base+"-"+tree)
}

// commands returns the ways to test the repository. The base says which there are, so that no change decides
// how it is proven itself.
func commands(p *worktree.Checkout, base string) proof.Commands {
	return proof.Commands{Project: p.Project(), Others: p.Candidates(base)}
}

// tryTests rejects the tests of a proven change that show nothing.
func (d *Delivery) tryTests(
	ctx context.Context, checker *build.Checker, w *git.Workspace, shown *proof.Proof,
) error {
	trial := testtrial.Trial{
		Checker: checker,
		Work:    w,
		Project: shown.Ran,
		Proof:   *shown,
		Limit:   d.HunkTime,
	}
	found, err := trial.Run(ctx)
	if err != nil {
		return fmt.Errorf("try the new tests: %w", err)
	}
	shown.Repeated = found.Repeated
	shown.Reject(found.Rejected)
	return nil
}

// restoreChanged puts the files back to the tree if commands changed them. Otherwise what they wrote would be
// committed with the fix, or keep it from being committed.
func restoreChanged(ctx context.Context, w *git.Workspace, tree string) error {
	after, err := w.Tree(ctx)
	var unfit *git.PathError
	if err != nil && !errors.As(err, &unfit) || err == nil && after == tree {
		return err
	}
	return w.Restore(ctx, tree)
}

// proveWhole proves the whole change and checks it against the scope. If hunks were taken out, it proves
// the rest again. The proof comes first, since it is cheap and certain.
func (d *Delivery) proveWhole(
	ctx context.Context, approval *workflow.Approval,
) (proven provenWork, err error) {
	work := d.Trees.Current().Work
	proven.approval = approval
	scoped := scope.Result{Left: true}
	for {
		if proven.changes, err = work.Changes(ctx); err != nil {
			return proven, err
		}
		if len(proven.changes) == 0 {
			return proven, prompt.NewRefusal("Nothing was changed, so there is nothing to push. " +
				"Delegate the work, or reply.")
		}
		if err := d.RefuseSecrets(ctx, work, "finish under "+approval.ID); err != nil {
			return proven, err
		}
		proven.tree, err = work.Tree(ctx)
		var unfit *git.PathError
		if errors.As(err, &unfit) {
			return proven, prompt.NewRefusal("Refused: this cannot be committed: %v. "+
				"Delegate one task alone that removes or ignores it.", unfit)
		}
		if err != nil {
			return proven, err
		}
		if proven.proof, err = d.Prove(ctx, work, proven.tree); err != nil {
			return proven, err
		}
		if proven.proof.Outcome() == proof.Failed &&
			!proven.proof.MayGoUnproven(d.Session().Kind == workflow.KindFeature) {
			return proven, prompt.NewRefusal("Refused: the proof does not hold.\n%s%s",
				strings.Join(proven.proof.Lines(), "\n"), afterTaking(scoped))
		}
		if scoped.Taken != nil {
			return proven, nil
		}
		if scoped, err = d.Scope.RemoveOutside(ctx, work, nil, approval); err != nil || scoped.Taken == nil {
			return proven, err
		}
		if !scoped.Left {
			return proven, prompt.NewRefusal("Refused: nothing of the change stands within the scope of the "+
				"approval (%s).%s", approval.Scope, afterTaking(scoped))
		}
	}
}

// afterTaking returns what agents are told of hunks that were taken out, or an empty string.
func afterTaking(s scope.Result) string {
	if s.Taken == nil {
		return ""
	}
	return "\n" + prompt.TakenOut(*s.Taken)
}
