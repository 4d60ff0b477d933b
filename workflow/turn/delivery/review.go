package delivery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/inquiry"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/endpoint"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/review"
	"github.com/bobbinhq/bobbin/workflow/turn/runtime"
)

// reviewStep has the critic review the change that finish was called for.
type reviewStep struct{ *Delivery }

// beforePush has the critic review the proven change, once for each tree. Its findings go back to the
// orchestrator once under an approval; that they did is recorded with the result that holds them. A
// limit or a failing model does not keep the work from being pushed.
//
// The reviewer of scopes is another agent: it is also asked about each task, its verdict takes hunks
// out, and work without its verdict does not go on.
func (d reviewStep) beforePush(ctx context.Context, work provenWork, kept string) (told *review.Outcome, back *model.Result, err error) {
	p := d.Trees.Current()
	if p.Repository.Unreviewed {
		return nil, nil, nil
	}
	all, err := d.reviews(ctx, work.approval)
	if err != nil {
		return nil, nil, err
	}
	told = &review.Outcome{Kept: plaintext.CutLine(plaintext.OneLine(kept), maxKept)}
	if i := slices.IndexFunc(all, func(q inquiry.Inquiry) bool { return q.Applied }); i >= 0 {
		told.Verdict, told.USD = verdictOf(all[i]), costOf(all)
		told.Left = told.Standing(p.Work.FS())
		return told, nil, nil
	}
	q, err := d.askCritic(ctx, work)
	if told.Why = whyNotReviewed(err); err != nil && (told.Why == "" || ctx.Err() != nil) {
		return nil, nil, err
	}
	if all, err = d.reviews(ctx, work.approval); err != nil {
		return nil, nil, err
	}
	told.Verdict, told.USD = verdictOf(q), costOf(all)
	switch {
	case told.Why != "":
		d.Log.Warn("pushed without a review", "why", told.Why)
	case told.Findings == nil:
		told.Why = "the reviewer gave no answer"
	case len(told.Findings) > 0:
		r := ledger.WithParts(model.Result{Text: told.ForOrchestrator()},
			progress.Inquiry{ID: q.ID, Applied: true}, store.Lines{{Agent: d.Agents[agent.Critic].Signature(), Text: told.ForThread(), Vouched: []int{0}, Progress: true}})
		return nil, &r, nil
	}
	return told, nil, nil
}

// maxKept is how many characters are quoted of the reason for leaving findings open.
const maxKept = 200

// reviewKey returns the prefix of the keys of an approval's reviews. The tree follows it.
func reviewKey(a *permit.Approval) string { return "review:" + a.ID + ":" }

// reviews returns the reviews under an approval so far.
func (d reviewStep) reviews(ctx context.Context, a *permit.Approval) ([]inquiry.Inquiry, error) {
	all, err := d.Store.Inquiries(ctx, d.Session().ID)
	return slices.DeleteFunc(all, func(q inquiry.Inquiry) bool {
		return q.Kind != inquiry.Review || !strings.HasPrefix(q.Key, reviewKey(a))
	}), err
}

func verdictOf(q inquiry.Inquiry) (v review.Verdict) {
	_ = json.Unmarshal(q.Answer, &v) // the program wrote it
	return v
}

func costOf(all []inquiry.Inquiry) (usd float64) {
	for _, q := range all {
		usd += q.USD
	}
	return usd
}

// whyNotReviewed returns why the critic could not be asked if that is no failure of the program: a limit
// of the session, or the model's endpoint. It returns an empty string for any other error.
func whyNotReviewed(err error) string {
	var limit *budget.LimitError
	var failed *endpoint.Error
	switch {
	case errors.As(err, &limit):
		return "a limit was reached (" + limit.Used() + ")"
	case errors.As(err, &failed):
		return "the model could not answer (" + cmp.Or(runtime.FailureReasons[failed.Kind], string(failed.Kind)) + ")"
	}
	return ""
}

// askCritic asks the critic what in the change should not be pushed.
func (d reviewStep) askCritic(ctx context.Context, work provenWork) (inquiry.Inquiry, error) {
	hunks, err := d.Trees.Current().Work.ListHunks(ctx)
	if err != nil {
		return inquiry.Inquiry{}, err
	}
	report, err := d.Store.Report(ctx, d.Session().ID, work.approval.Revision)
	if err != nil {
		return inquiry.Inquiry{}, fmt.Errorf("report %d: %w", work.approval.Revision, err)
	}
	since, err := d.AmendmentText(ctx, work.approval.Revision)
	if err != nil {
		return inquiry.Inquiry{}, err
	}
	parts := []string{prompt.ProgramMark + "What was approved:\n" + prompt.Fence("report", findings.ReportForWorkers(report))}
	if scope := work.approval.Scope; scope != "" {
		parts = append(parts, prompt.ProgramMark+"The approval is limited to this, and what stood outside was taken out:\n"+prompt.Fence("scope", scope))
	}
	parts = append(parts, since, d.Trees.Current().Conventions(),
		prompt.ProgramMark+"What the program proved of it:\n"+prompt.Fence("output", strings.Join(work.proof.Lines(), "\n")),
		prompt.ProgramMark+"The whole change, as it would be pushed:\n"+prompt.Fence("diff", review.DiffText(hunks)))
	shown := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
	return d.Inquiries.Ask(ctx, inquiry.Inquiry{Kind: inquiry.Review, Key: reviewKey(work.approval) + work.tree}, shown, hunks)
}
