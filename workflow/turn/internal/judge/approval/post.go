package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// PostReview judges a request to post the newest review on its pull request, in words or by the press of a
// button that was shown with that key. It is judged like an approval, and permits nothing else. From a
// private conversation the text is shown first. on is the pull request that the words name; empty: none.
func (ap *Approvals) PostReview(
	ctx context.Context, m intent.Message, p workflow.Person, pressed, on string,
) ([]store.Part, error) {
	refused := func(reason, said string) ([]store.Part, error) {
		return ap.Refuse(m, p, workflow.DecideFile, reason, said), nil
	}
	s := ap.Session()
	if no, may, err := ap.mayDecide(ctx, m, p, s.Revision, workflow.DecideFile); err != nil || !may {
		return no, err
	}
	if s.Pull == 0 || s.ReportKind != workflow.ReportReview || s.Revision <= s.Voided {
		return refused("there is no review", "there is no review of a pull request in this thread to post.")
	}
	draft, err := ap.reviewDraft(ctx)
	if err != nil {
		return nil, err
	}
	row, err := ticket.Register{Store: ap.Store}.Of(ctx, s.ID, draft.Key)
	if err != nil {
		return nil, err
	}
	number := strings.TrimPrefix(draft.Place, draft.Repository)
	switch {
	case on != "" && on != number && !strings.EqualFold(on, draft.Place):
		return refused("another pull request",
			"the review here is of "+draft.Place+", and goes nowhere else.")
	case row != nil && row.State == ticket.Filed:
		return refused("posted already", "that was posted already, on "+row.Place+".")
	case row != nil && row.State == ticket.Intended:
		return refused("being posted", "that is being posted, as "+row.UserName+" said.")
	case pressed != "" && pressed != draft.Key:
		return refused("another review", "there is a newer review since. Reply \"post it\" to post that one.")
	}
	if f, err := ap.refuseUnread(ctx, m, p, draft); f != nil || err != nil {
		return f, err
	}
	shows := ap.isPrivate(ctx) || ap.Catalog.MayQuoteClosed(ctx, ap.Catalog.Configured(draft.Repository))
	if shows && (row == nil || row.State != ticket.Offered || pressed == "") {
		return ap.offerReview(m, draft), nil
	}
	f := ap.Answer(m, fmt.Sprintf("I post the review on %s, as %s asked.", draft.Place, p.Name))
	return append(f, ap.orderParts(m, p, draft)...), nil
}

// reviewDraft returns what would be posted of the newest review.
func (ap *Approvals) reviewDraft(ctx context.Context) (draft ticket.Draft, err error) {
	s := ap.Session()
	report, err := ap.Store.Report(ctx, s.ID, s.Revision)
	if err != nil {
		return draft, fmt.Errorf("post a review: %w", err)
	}
	var review workflow.PullReview
	if err := json.Unmarshal(report.Body, &review); err != nil {
		return draft, fmt.Errorf("post a review: %w", err)
	}
	number := strconv.FormatInt(s.Pull, 10)
	r := ap.Catalog.Configured(s.Repository)
	return ticket.Draft{
		Key:        ticket.OfReview(s.Revision),
		Repository: s.Repository,
		Place:      s.Repository + r.Pulls.Words().Mark + number,
		Issue:      number,
		Revision:   s.Revision,
		Title:      review.Summary,
		Body:       proposal.ReviewBody(review, ap.MaskShown),
	}, nil
}

// offerReview returns the parts that show what would be posted, and where.
func (ap *Approvals) offerReview(m intent.Message, draft ticket.Draft) []store.Part {
	buttons := []workflow.Button{
		{
			ActionID: workflow.ButtonPostReview, Label: "Post it there", Value: store.NewToken(),
			Means: draft.Key,
		},
		{
			ActionID: workflow.ButtonDetails, Label: "Show the text", Value: store.NewToken(),
			Means: draft.Body,
		},
	}
	said := ap.ProgramLine(fmt.Sprintf("Shall I post this on %s? Others than those who read this thread may "+
		"read it there. Press the button to post it.", draft.Place), buttons...)
	return append(ap.Ignore(m), store.Lines(said), ticket.Offer(draft))
}

// PostButton returns the button that posts a review of that revision on its pull request.
func (ap *Approvals) PostButton(revision int) workflow.Button {
	s := ap.Session()
	r := ap.Catalog.Configured(s.Repository)
	return workflow.Button{
		ActionID: workflow.ButtonPostReview,
		Label:    "Post it to " + r.Pulls.Words().Mark + strconv.FormatInt(s.Pull, 10),
		Value:    store.NewToken(),
		Means:    ticket.OfReview(revision),
	}
}
