package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// ApprovedPlan returns the plan of the approval's revision, or a plan without tasks if the approval is
// not of a plan.
func (l *Ledger) ApprovedPlan(ctx context.Context, a *workflow.Approval) (plan workflow.Plan, err error) {
	r, err := l.Store.Report(ctx, l.Session().ID, a.Revision)
	if err != nil || r.Kind != workflow.ReportPlan {
		return plan, err
	}
	if err := json.Unmarshal(r.Body, &plan); err != nil {
		return plan, fmt.Errorf("plan: %w", err)
	}
	return plan, nil
}

// DelegatedTasks returns the session's tasks that were delegated for the plan of that revision, with their
// numbers in it.
func (l *Ledger) DelegatedTasks(ctx context.Context, revision int) ([]workflow.Task, error) {
	reports, err := l.Store.Reports(ctx, l.Session().ID)
	if err != nil {
		return nil, err
	}
	pushed, err := l.Store.PushedRevisions(ctx, l.Session().ID)
	if err != nil {
		return nil, err
	}
	all, err := l.Store.Tasks(ctx, l.Session().ID, "")
	return workflow.DelegatedTasks(workflow.PlansOf(reports), pushed, revision, all), err
}

// AwaitsConsent reports whether the session waits for an approval: a report or a plan was shown, and no
// other work is under way.
func (l *Ledger) AwaitsConsent() bool { return l.Session().Phase.AwaitsConsent() }

// RevisionPushed reports whether the change that was approved for the revision was pushed.
func (l *Ledger) RevisionPushed(ctx context.Context, revision int) (bool, error) {
	a, err := l.Store.Approval(ctx, l.Session().ID, revision)
	if err != nil || a == nil {
		return false, err
	}
	return l.ApprovalPushed(ctx, a)
}

func (l *Ledger) Folder(part string) string {
	return filepath.Join(l.Dir, l.Session().ID, part)
}

// StandingApproval returns the approval of the newest report, or nil if there is none. A push uses it
// up: a request after the push needs a new approval.
func (l *Ledger) StandingApproval(ctx context.Context) (*workflow.Approval, error) {
	s := l.Session()
	if s.Revision == 0 || s.Revision <= s.Voided { // that was for another base
		return nil, nil
	}
	a, err := l.Store.Approval(ctx, s.ID, s.Revision)
	if err != nil || a == nil || s.Head == "" {
		return a, err
	}
	if pushed, err := l.ApprovalPushed(ctx, a); pushed || err != nil {
		return nil, err
	}
	return a, nil
}

// ApprovalPushed reports whether the change that was approved was pushed.
func (l *Ledger) ApprovalPushed(ctx context.Context, a *workflow.Approval) (bool, error) {
	pushes, err := l.Store.Pushes(ctx, l.Session().ID)
	return slices.ContainsFunc(pushes,
		func(p workflow.Push) bool { return p.Approval == a.ID && p.State == workflow.PushDone }), err
}

// MissingApproval returns the refusal for a model that called a tool which needs an approval: what
// waits for the approval, who tried to give it, and why that did not count.
func (l *Ledger) MissingApproval(ctx context.Context) (string, error) {
	s := l.Session()
	if s.Revision == 0 {
		return "Refused: nothing was shown to the thread that anybody could approve. " +
			"For a bug report_root_cause comes first, for a feature restate_request; " +
			"then wait for the thread's word.", nil
	}
	text := fmt.Sprintf("Refused: nobody has approved revision %d (%s).", s.Revision, s.ReportKind)
	if standing, err := l.Store.Approval(ctx, s.ID, s.Revision); err != nil {
		return "", err
	} else if standing != nil {
		text = fmt.Sprintf("Refused: the approval of revision %d (%s) was spent on what was pushed. "+
			"What is asked for since then needs a report or a request of its own.", s.Revision, s.ReportKind)
	}
	given, err := l.Store.Endorsements(ctx, s.ID, s.Revision, "")
	if err != nil {
		return "", err
	}
	for _, e := range given {
		text += fmt.Sprintf(" %s has approved it; others have to, too.", plaintext.OneLine(e.UserName))
	}
	decisions, err := l.Store.Decisions(ctx, s.ID)
	if err != nil {
		return "", err
	}
	var tried []string
	for _, d := range decisions {
		if d.What != workflow.DecideApprove || d.Allowed || d.Revision != s.Revision {
			continue
		}
		if t := fmt.Sprintf("%s tried, which did not count: %s.", l.PersonName(ctx, d.User),
			d.Reason); !slices.Contains(tried, t) {
			tried = append(tried, t)
		}
	}
	return strings.Join(append([]string{text}, tried...), " ") +
		" Rest with reply until an approver has.", nil
}
