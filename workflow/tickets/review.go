package tickets

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
)

// reviewOn posts the review of a row on the pull request that its session is about.
func (f *Filer) reviewOn(ctx context.Context, r repository.Repository, row ticket.Row) (destination, error) {
	number, err := strconv.ParseInt(row.Issue, 10, 64)
	if err != nil || r.Pulls.Host == nil {
		return destination{}, &tracker.Error{Reason: "the configuration names no git host for it any more"}
	}
	report, err := f.Rows.Store.Report(ctx, row.Session, row.Revision)
	if err != nil {
		return destination{}, fmt.Errorf("post a review: %w", err)
	}
	var review workflow.PullReview
	if err := json.Unmarshal(report.Body, &review); err != nil {
		return destination{}, fmt.Errorf("post a review: %w", err)
	}
	mark := "<!-- " + row.Mark + " -->"
	told := tracker.Filed{Shown: row.Place}
	if r.Pulls.Web != "" {
		told.URL = r.Pulls.Web + host.PullPath(r.Pulls.Kind, number)
	}
	return destination{
		find: func(ctx context.Context, _ ticket.Row) (*tracker.Filed, error) {
			all, err := r.Pulls.Host.Comments(ctx, number)
			for _, c := range all {
				if strings.Contains(c.Text, mark) {
					return &told, err
				}
			}
			return nil, err
		},
		send: func(ctx context.Context, _ ticket.Row, text string) (tracker.Filed, error) {
			err := refuseMerged(ctx, r.Pulls, number)
			if err == nil {
				posted := f.hostReview(review, report.BaseCommit, text, mark)
				err = r.Pulls.Host.PostReview(ctx, number, posted)
			}
			return told, err
		},
	}, nil
}

// refuseMerged refuses a review of a pull request that is not open any more.
func refuseMerged(ctx context.Context, p repository.PullRequests, number int64) error {
	pull, err := p.Host.Look(ctx, number)
	if err == nil && pull.State != host.Open {
		err = &remote.Error{Op: "post a review", Reason: "it is " + string(pull.State) + " already"}
	}
	return err
}

// hostReview returns the review in the form of a host. text has all of it.
func (f *Filer) hostReview(review workflow.PullReview, commit, text, mark string) host.Review {
	out := host.Review{Commit: commit, Whole: text + "\n\n" + mark}
	mask := f.Secrets.Mask
	out.Summary = host.Body(host.Quote(mask(review.Summary))+"\n\n"+lastParagraph(text)) + "\n\n" + mark
	for _, found := range review.Findings {
		path, line, _ := strings.Cut(found.At, ":")
		first, _, _ := strings.Cut(line, "-")
		n, err := strconv.Atoi(first)
		if err != nil {
			return host.Review{Commit: commit, Summary: out.Whole, Whole: out.Whole}
		}
		note := "**" + found.Weight + "**: " + host.Quote(mask(found.Problem))
		if found.Change != "" {
			note += "\n\n" + host.Quote(mask(found.Change))
		}
		out.Findings = append(out.Findings, host.LineNote{Path: path, Line: n, Text: host.Body(note)})
	}
	return out
}

// lastParagraph returns what stands below the findings: which thread the review comes from.
func lastParagraph(text string) string { return text[strings.LastIndex(text, "\n\n")+1:] }
