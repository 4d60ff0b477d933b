// Package reproduced runs a report's own command on the work: it failed on the base, and should
// pass now.
//
// That is no proof and no condition: the command may look for the bug, and fail because it is
// mended.
package reproduced

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/evidence"
	"github.com/bobbinhq/bobbin/workflow/turn/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
)

// limit is how long the command may take, as long as an agent's own.
const limit = 2 * time.Minute

// A Command is a report's, which failed on the base.
type Command struct{ Line string }

// Of is the report's command, if a run of it in the session, before anything was changed, ended in
// a way that may show the bug; empty where there is none.
func Of(r workflow.Report, ran []progress.Command) Command {
	line := findings.GroundsOf(r).Reproduction
	failed := slices.ContainsFunc(ran, func(c progress.Command) bool {
		return c.Task == 0 && c.Command == line && evidence.EndsWithoutShowing(c) == ""
	})
	if line == "" || !failed {
		return Command{}
	}
	return Command{line}
}

// StillFails is what an agent is told, once, before the push, behind what Run says.
const StillFails = "Not pushed yet: the proof holds, but this is said once: %s. If it fails because the bug is still there, delegate what is missing. If it only looks for the bug, or needs something else, call finish again."

// Again runs the command of the report that the work is approved by.
func Again(ctx context.Context, l *ledger.Ledger, checker *testrun.Checker, w *repo.Workspace) (proof.Command, error) {
	approval, err := l.StandingApproval(ctx)
	if approval == nil || err != nil {
		return proof.Command{}, err
	}
	report, err := l.Store.Report(ctx, l.Session().ID, approval.Revision)
	if err != nil {
		return proof.Command{}, err
	}
	ran, err := l.Store.Commands(ctx, l.Session().ID)
	if err != nil {
		return proof.Command{}, err
	}
	return Of(report, ran).Run(ctx, checker, w)
}

// Run runs it once in the work's files, which are not put back, and says how it ends now.
func (c Command) Run(ctx context.Context, checker *testrun.Checker, w *repo.Workspace) (proof.Command, error) {
	if c.Line == "" {
		return proof.Command{}, nil
	}
	ended, err := checker.RunLine(ctx, w.Files(), c.Line, limit)
	switch {
	case err != nil:
		return proof.Command{}, err
	case ended.Stopped != "":
		return proof.Command{Said: fmt.Sprintf("The report's command failed before, and was stopped now (%s)", ended.Stopped), Fails: true}, nil
	case ended.Code != 0:
		return proof.Command{Said: fmt.Sprintf("The report's command still fails (exit code %d)", ended.Code), Fails: true}, nil
	}
	return proof.Command{Said: "The report's command failed before and passes now"}, nil
}
