package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/planning"
)

// ApprovedPlan is the approved plan; without tasks where the approval is of something else.
func (l *Ledger) ApprovedPlan(ctx context.Context, a *permit.Approval) (ApprovedPlan planning.Plan, err error) {
	r, err := l.Store.Report(ctx, l.Session().ID, a.Revision)
	if err != nil || r.Kind != workflow.ReportPlan {
		return ApprovedPlan, err
	}
	if err := json.Unmarshal(r.Body, &ApprovedPlan); err != nil {
		return ApprovedPlan, fmt.Errorf("plan: %w", err)
	}
	return ApprovedPlan, nil
}

// AwaitsConsent: a report or a plan stands in the thread and nothing else goes on.
func (l *Ledger) AwaitsConsent() bool {
	p := l.Session().Phase
	return p == workflow.PhaseReported || p == workflow.PhasePlanShown
}

// RevisionPushed: what the revision says was pushed.
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

// StandingApproval is the word that stands on the newest report; nil when there is none. A push
// spends it: what is asked for after that needs a word of its own.
func (l *Ledger) StandingApproval(ctx context.Context) (*permit.Approval, error) {
	s := l.Session()
	if s.Revision == 0 {
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

// ApprovalPushed: what was approved has gone out.
func (l *Ledger) ApprovalPushed(ctx context.Context, a *permit.Approval) (bool, error) {
	pushes, err := l.Store.Pushes(ctx, l.Session().ID)
	return slices.ContainsFunc(pushes, func(p outgoing.Push) bool { return p.Approval == a.ID && p.State == outgoing.PushDone }), err
}

// NewestReportKind is the kind of the newest report; empty where there is none.
func (l *Ledger) NewestReportKind() string {
	s := l.Session()
	r, err := l.Store.Report(context.Background(), s.ID, s.Revision)
	if err != nil {
		return ""
	}
	return r.Kind
}

// MissingApproval says what waits for an approval, who tried to give it, and why that did not
// count: for the model, which asked for what only an approval allows.
func (l *Ledger) MissingApproval(ctx context.Context) (string, error) {
	s := l.Session()
	if s.Revision == 0 {
		return "Refused: nothing was shown to the thread that anybody could approve. For a bug report_root_cause comes first, for a feature restate_request; then wait for the thread's word.", nil
	}
	text := fmt.Sprintf("Refused: nobody has approved revision %d (%s).", s.Revision, l.NewestReportKind())
	if standing, err := l.Store.Approval(ctx, s.ID, s.Revision); err != nil {
		return "", err
	} else if standing != nil {
		text = fmt.Sprintf("Refused: the approval of revision %d (%s) was spent on what was pushed. What is asked for since then needs a report or a request of its own.", s.Revision, l.NewestReportKind())
	}
	decisions, err := l.Store.Decisions(ctx, s.ID)
	if err != nil {
		return "", err
	}
	var tried []string
	for _, d := range decisions {
		if d.What != "approve" || d.Allowed || d.Revision != s.Revision {
			continue
		}
		if t := fmt.Sprintf("%s tried, which did not count: %s.", l.PersonName(ctx, d.User), d.Reason); !slices.Contains(tried, t) {
			tried = append(tried, t)
		}
	}
	return strings.Join(append([]string{text}, tried...), " ") + " Rest with reply until somebody who may approve has.", nil
}
