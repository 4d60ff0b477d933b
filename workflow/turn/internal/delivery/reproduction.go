package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/evidence"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// limit is the timeout of the command, the same as for an agent's commands.
const limit = 2 * time.Minute

// A Command is a report's command, which failed on the base.
type Command struct{ Line string }

// failingCommand returns the report's command if a run of it in the session, before anything was changed,
// ended in a way that may show the bug. Otherwise it returns an empty Command, also if a secret was masked
// in the command: what is stored is not what was run.
func failingCommand(r workflow.Report, ran []progress.Command) Command {
	line := findings.GroundsOf(r).Reproduction
	failed := slices.ContainsFunc(ran, func(c progress.Command) bool {
		return c.Task == 0 && c.Command == line && evidence.EndsWithoutShowing(c) == ""
	})
	if line == "" || !failed || redact.IsMasked(line) {
		return Command{}
	}
	return Command{line}
}

// stillFails is the format of the refusal that an agent gets once before the push. Its arguments are what
// Run says.
const stillFails = "Not pushed yet: the proof holds, but this is said once: %s. " +
	"If it fails because the bug is still there, delegate what is missing. If it fails for another reason, " +
	"such as a name that a new test has now, too, or only looks for the bug, call finish again.%s"

// runApprovedCommand runs the command of the report that the work's approval names.
func runApprovedCommand(
	ctx context.Context, l *ledger.Ledger, checker *build.Checker, w *git.Workspace,
) (proof.Command, error) {
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
	return failingCommand(report, ran).Run(ctx, checker, w)
}

// Run runs the command once in the workspace's files, which are not restored afterwards, and says how
// it ends now.
func (c Command) Run(ctx context.Context, checker *build.Checker, w *git.Workspace) (proof.Command, error) {
	if c.Line == "" {
		return proof.Command{}, nil
	}
	ended, err := checker.RunLine(ctx, w.Files(), c.Line, limit)
	switch {
	case err != nil:
		return proof.Command{}, err
	case ended.Stopped != "":
		return proof.Command{
			Text:  fmt.Sprintf("The report's command failed before, and was stopped now (%s)", ended.Stopped),
			Fails: true,
		}, nil
	case ended.Code != 0:
		return proof.Command{
			Text:   fmt.Sprintf("The report's command still fails (exit code %d)", ended.Code),
			Fails:  true,
			Output: strings.TrimSpace(result.KeepEnds(ended.Output, shownBytes)),
		}, nil
	}
	return proof.Command{Text: "The report's command failed before and passes now"}, nil
}

// shownBytes is how much of the command's output an agent is shown.
const shownBytes = 1500

// printed returns what the command printed, for an agent; empty if it printed nothing.
func printed(c proof.Command) string {
	if c.Output == "" {
		return ""
	}
	return " It printed:\n" + prompt.Fence("output", c.Output)
}
