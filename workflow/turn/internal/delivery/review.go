package delivery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	turninquiry "github.com/bobbinhq/bobbin/workflow/turn/internal/agents/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/review"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// reviewStep has the critic review the change that finish was called for.
type reviewStep struct {
	*Delivery
	finish decision.Finish
}

// beforePush has the critic review the proven change, once for each tree. Its findings go back to the
// orchestrator once under an approval, as a prompt.Refusal, with the done criteria that are not as people
// wanted them; that they did is recorded with the result that holds them. A limit or a failing model does
// not keep the work from being pushed.
//
// The reviewer of scopes is another agent: it is also asked about each task, its verdict takes hunks
// out, and work without its verdict does not go on.
func (rs reviewStep) beforePush(
	ctx context.Context, work provenWork,
) (told *review.Outcome, err error) {
	p := rs.Trees.Current()
	if p.Repository.Unreviewed {
		return &review.Outcome{Why: "reviews are off for this repository"}, nil
	}
	all, err := rs.reviews(ctx, work.approval)
	if err != nil {
		return nil, err
	}
	told = &review.Outcome{Kept: plaintext.CutLine(plaintext.OneLine(rs.finish.Kept), maxKept)}
	if i := slices.IndexFunc(all, func(q workflow.Inquiry) bool { return q.Applied }); i >= 0 {
		told.Verdict = verdictOf(all[i])
		told.USD = costOf(all)
		told.Left = told.Standing(p.Work.FS())
		told.Criteria, err = rs.criteriaNow(ctx, work, told.Criteria, all[i].Key)
		return told, err
	}
	q, err := rs.askCritic(ctx, work)
	if told.Why = whyNotReviewed(err); err != nil && (told.Why == "" || ctx.Err() != nil) {
		return nil, err
	}
	if all, err = rs.reviews(ctx, work.approval); err != nil {
		return nil, err
	}
	told.Verdict = verdictOf(q)
	told.USD = costOf(all)
	switch {
	case told.Why != "":
		rs.Log.Warn("pushed without a review", "why", told.Why)
	case told.Findings == nil:
		told.Why = "the reviewer gave no answer"
	case len(told.Findings)+len(told.WrongCriteria()) > 0:
		r := ledger.WithParts(
			model.Result{Text: told.ForOrchestrator()}, progress.Inquiry{ID: q.ID, Applied: true},
			store.Lines{{
				Agent: rs.Agents[agent.Critic].Signature(), Text: told.ForThread(), Vouched: []int{0},
				Progress: true,
			}},
		)
		return nil, &prompt.Refusal{Result: r}
	}
	return told, nil
}

// criteriaNow returns the verdicts on the done criteria as finish gives them now, after findings went
// back. The critic is asked again if one of the lines for the thread is another now, or if one was wrong
// and the files changed since.
func (rs reviewStep) criteriaNow(
	ctx context.Context, work provenWork, before []review.CriterionAnswer, key string,
) ([]review.CriterionAnswer, error) {
	v := review.Verdict{Criteria: before}
	again := len(v.WrongCriteria()) > 0 && !strings.HasPrefix(key, reviewKey(work.approval)+work.tree)
	for i, c := range criterionLines(work.criteria, rs.finish) {
		_, known := v.CriterionFor(i+1, c.Line)
		again = again || !known
	}
	if !again {
		return before, nil
	}
	q, err := rs.askCritic(ctx, work)
	if why := whyNotReviewed(err); why != "" && ctx.Err() == nil {
		rs.Log.Warn("the done criteria were not looked at again", "why", why)
		return nil, nil
	}
	return verdictOf(q).Criteria, err
}

// maxKept is how many characters are quoted of the reason for leaving findings open.
const maxKept = 200

// reviewKey returns the prefix of the keys of an approval's reviews. The tree follows it.
func reviewKey(a *workflow.Approval) string { return "review:" + a.ID + ":" }

// reviews returns the reviews under an approval so far.
func (rs reviewStep) reviews(ctx context.Context, a *workflow.Approval) ([]workflow.Inquiry, error) {
	all, err := rs.Store.Inquiries(ctx, rs.Session().ID)
	return slices.DeleteFunc(all, func(q workflow.Inquiry) bool {
		return q.Kind != workflow.InquiryReview || !strings.HasPrefix(q.Key, reviewKey(a))
	}), err
}

func verdictOf(q workflow.Inquiry) (v review.Verdict) {
	_ = json.Unmarshal(q.Answer, &v) // the program wrote it
	return v
}

func costOf(all []workflow.Inquiry) (usd float64) {
	for _, q := range all {
		usd += q.USD
	}
	return usd
}

// whyNotReviewed returns why the critic could not be asked if that is no failure of the program: a limit
// of the session, or the model's endpoint. It returns an empty string for any other error.
func whyNotReviewed(err error) string {
	var limit *budget.LimitError
	var failed *model.Error
	switch {
	case errors.As(err, &limit):
		return "a limit was reached (" + limit.Used() + ")"
	case errors.As(err, &failed):
		return "the model could not answer (" +
			cmp.Or(runtime.FailureReasons[failed.Kind], string(failed.Kind)) + ")"
	}
	return ""
}

// askCritic asks the critic what in the change should not be pushed.
func (rs reviewStep) askCritic(ctx context.Context, work provenWork) (workflow.Inquiry, error) {
	hunks, err := rs.Trees.Current().Work.ListHunks(ctx)
	if err != nil {
		return workflow.Inquiry{}, err
	}
	report, err := rs.Store.Report(ctx, rs.Session().ID, work.approval.Revision)
	if err != nil {
		return workflow.Inquiry{}, fmt.Errorf("report %d: %w", work.approval.Revision, err)
	}
	since, err := rs.AmendmentText(ctx, work.approval.Revision)
	if err != nil {
		return workflow.Inquiry{}, err
	}
	parts := []string{prompt.ProgramMark + "What was approved:\n" +
		prompt.Fence("report", findings.ReportForWorkers(report))}
	if scope := work.approval.Scope; scope != "" {
		parts = append(parts, prompt.ProgramMark+"The approval is limited to this, "+
			"and what stood outside was taken out:\n"+prompt.Fence("scope", scope))
	}
	parts = append(parts, since, rs.Trees.Current().Conventions(),
		prompt.ProgramMark+"What the program proved of it:\n"+
			prompt.Fence("output", strings.Join(work.proof.Lines(), "\n")),
		prompt.ProgramMark+"The whole change, as it would be pushed:\n"+
			prompt.Fence("diff", review.DiffText(hunks)))
	criteria := criterionLines(work.criteria, rs.finish)
	asked := review.NewAsked(work.proof.NewTests, criteria)
	parts = append(parts, asked.Text())
	shown := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
	key := reviewKey(work.approval) + work.tree
	if len(criteria) > 0 {
		key += ":" + sumOf(criteria)
	}
	about := turninquiry.Material{FirstMessage: shown, Hunks: hunks, Asked: asked}
	return rs.Inquiries.AskAbout(ctx, workflow.Inquiry{Kind: workflow.InquiryReview, Key: key}, about)
}
