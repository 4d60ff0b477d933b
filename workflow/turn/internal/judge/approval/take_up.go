package approval

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// A report that was stopped before anybody approved it can be taken up again: the first approval of it, in
// words or by a press, only makes an offer that says who stopped it. A press of the offer's button, or a
// second word of approval below the offer, approves the report. An offer names the stop that it is about, and
// a later stop voids it.

// StoppedReport reports whether the newest revision was stopped before anybody approved it, and is still
// about the session's base.
func (ap *Approvals) StoppedReport(ctx context.Context) (bool, error) {
	s := ap.Session()
	planFirst := s.Workflow == workflow.CommandStartWork && s.ReportKind == workflow.ReportRequest
	waits := s.Revision > s.Voided && s.BaseCommit != ""
	if s.Phase != workflow.PhaseStopped || s.Joined() || !waits || planFirst {
		return false, nil
	}
	approved, err := ap.Store.Approval(ctx, s.ID, s.Revision)
	if err != nil || approved != nil {
		return false, err
	}
	report, err := ap.Store.Report(ctx, s.ID, s.Revision)
	return err == nil && report.BaseCommit == s.BaseCommit, err
}

// takeUp judges an approval of the stopped report by a person who may approve.
func (ap *Approvals) takeUp(
	ctx context.Context, m intent.Message, p workflow.Person, scope string,
) ([]store.Part, error) {
	s := ap.Session()
	offered, above, err := ap.offeredAbove(ctx, m)
	if err != nil {
		return nil, err
	}
	if above {
		if scope == "" {
			scope = offered
		}
		return ap.takeUpParts(ctx, m, p, scope)
	}
	question := fmt.Sprintf(
		"%s, revision %d was stopped by %s. Take it up again", p.Name, s.Revision, ap.stoppedBy(ctx),
	)
	label := "Fix it"
	if s.ReportKind == workflow.ReportRequest || s.ReportKind == workflow.ReportPlan {
		label = "Go ahead"
	}
	if scope != "" {
		question += ", limited to: " + scope
		label += ", so limited"
	}
	f := ap.Answer(
		m, question+"?",
		workflow.Button{
			ActionID: workflow.ButtonTakeUp, Label: label, Style: "primary", Value: store.NewToken(),
			Means: takeUpMeans(s.Halted, scope),
		},
		workflow.Button{ActionID: workflow.ButtonCorrect, Label: "Correct…", Value: store.NewToken()},
	)
	return append(f, consent.Decision{
		What:      workflow.DecideApprove,
		Reason:    "it was stopped, asked",
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  s.Revision,
	}), nil
}

// TakeUp judges a press of the button of an offer. It is judged like an approval.
func (ap *Approvals) TakeUp(
	ctx context.Context, m intent.Message, p workflow.Person, revision int, means string,
) ([]store.Part, error) {
	mark, scope, _ := strings.Cut(means, "\n")
	if no, may, err := ap.mayDecide(ctx, m, p, revision, workflow.DecideApprove); err != nil || !may {
		return no, err
	}
	stopped, err := ap.StoppedReport(ctx)
	if err != nil {
		return nil, err
	}
	switch s := ap.Session(); {
	case !stopped || revision != s.Revision:
		return ap.Approve(ctx, m, p, revision, scope)
	case mark != s.Halted:
		said := fmt.Sprintf("Somebody said stop again since. "+
			"Write \"fix it\" if revision %d is to be taken up anyway.", revision)
		return ap.refuseRevision(revision, m, p, "an older stop", said), nil
	}
	return ap.takeUpParts(ctx, m, p, scope)
}

func (ap *Approvals) takeUpParts(
	ctx context.Context, m intent.Message, p workflow.Person, scope string,
) ([]store.Part, error) {
	report, err := ap.Store.Report(ctx, ap.Session().ID, ap.Session().Revision)
	if err != nil {
		return nil, err
	}
	f, err := ap.approvalParts(ctx, m, p, report, scope)
	if _, approves := ledger.Find[consent.Approval](f); approves {
		ledger.Change(f,
			func(u *store.Update) {
				u.Events = []workflow.Event{workflow.EventTakeUp, workflow.EventApprove}
			})
	} else if _, endorses := ledger.Find[consent.Endorsement](f); endorses { // it waits for others again
		f = append(f, store.Update{
			Events: []workflow.Event{workflow.EventTakeUp},
			Change: func(s *workflow.Session) { s.Halted = "" },
		})
	}
	return f, err
}

// offeredAbove reports whether m is a message below an offer that is about the newest stop, and returns the
// limit that the newest such offer names.
func (ap *Approvals) offeredAbove(
	ctx context.Context, m intent.Message,
) (scope string, above bool, err error) {
	s := ap.Session()
	if m.Kind == workflow.MessageAction || m.Kind == workflow.MessageForm {
		return "", false, nil
	}
	means, ok, err := ap.Store.NewestOffer(
		ctx, s.ID, store.Offer{ActionID: workflow.ButtonTakeUp, MeansPrefix: s.Halted + "\n", Before: m.TS},
	)
	_, scope, _ = strings.Cut(means, "\n")
	return scope, ok, err
}

func takeUpMeans(mark, scope string) string { return mark + "\n" + scope }

// stoppedBy returns the name of the person who stopped the session last.
func (ap *Approvals) stoppedBy(ctx context.Context) string {
	decisions, err := ap.Store.Decisions(ctx, ap.Session().ID)
	if err != nil {
		ap.Log.Warn("who stopped the report cannot be read", "err", err)
	}
	who := "somebody"
	for _, d := range decisions {
		if d.What == workflow.DecideStop && d.Allowed && d.User != "" {
			who = ap.PersonName(ctx, d.User)
		}
	}
	return who
}
