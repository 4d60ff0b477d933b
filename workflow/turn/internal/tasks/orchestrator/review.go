package orchestrator

import (
	"context"
	"fmt"
	"strconv"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Review shows a review of the pull request that the session is about, and ends the turn. It is a report like
// any other: an approval lets its findings be fixed on a branch of the bot's own.
func (l *Tools) Review(ctx context.Context, review workflow.PullReview) (model.Result, error) {
	s := l.Session()
	switch _, err := s.Phase.Next(workflow.EventReport); {
	case s.Pull == 0:
		return prompt.Wrong("This thread is about no pull request: its files are those of the base. For " +
			"a change of this thread's own, people reply \"review it\"."), nil
	case err != nil:
		return prompt.Wrong("A review cannot be given now: the session is %s. Use reply to answer, or "+
			"finish the approved work.", s.Phase), nil
	}
	var wrong []string
	if missing := review.Missing(); missing != "" {
		wrong = append(wrong, fmt.Sprintf("report_review: %s.", missing))
	}
	if err := l.checkClaims(ctx, wrong, claims{evidence: review.Evidence(), headline: review.Summary},
		review.Text(), review.Looked); err != nil {
		return prompt.Refused(err)
	}
	r, err := l.NewReport(ctx, workflow.ReportReview, review)
	if err != nil {
		return model.Result{}, err
	}
	changed, err := l.changedText(ctx, r, review.Changed)
	if err != nil {
		return model.Result{}, err
	}
	review.Summary = l.Headline(review.Summary) // it stands in the program's first line
	name := l.Trees.Current().Repository.Pulls.Words().Mark + strconv.FormatInt(s.Pull, 10)
	if r.Text, err = l.Attachments.NameRefs(ctx, belowFirstLine(findings.ReviewText(review, name, r.Revision,
		prompt.ShortHash(s.BaseCommit)), changed)); err != nil {
		return model.Result{}, err
	}
	return l.showReport(ctx, r, findings.DetailsText(l.quotedGrounds(*r), "",
		"Looked at: "+plaintext.OneLine(review.Looked)))
}
