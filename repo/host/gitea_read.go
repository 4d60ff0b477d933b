package host

import (
	"context"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// Issue returns an issue with its newest comments, or a pull request with its comments and files.
func (r *GiteaRepository) Issue(ctx context.Context, number int64, pull bool) (Issue, error) {
	out, count, isPull, err := readIssue(ctx, r.client, number, pull)
	if isPull {
		out, _, _, err = readIssue(ctx, r.client, number, true)
	}
	if err != nil {
		return Issue{}, err
	}
	if out.Pull {
		if out.Comments, err = r.Comments(ctx, number); err != nil {
			return Issue{}, err
		}
		out.Files, err = readFiles(ctx, r.client, number, "limit=50")
		return out, err
	}
	some, err := listPages[giteaComment](ctx, r.client,
		r.client.At("/issues/%d/comments?limit=50&page=%d", number, firstPage(count, 50)), maxIssuePages)
	for _, c := range some {
		if strings.TrimSpace(c.Body) != "" {
			out.Comments = append(out.Comments, c.comment("comment", c.Created))
		}
	}
	out.More = more(count, len(some))
	return out, err
}

// Run returns a run of Gitea's own runners with its jobs, or with one of them. It returns an error for a
// Gitea older than 1.26 and for Forgejo, where the address of a run does not have its id.
func (r *GiteaRepository) Run(ctx context.Context, run, job string) (Run, error) {
	out, page, err := readRun(ctx, r.client, run, job)
	if err == nil && (r.client.Page(page) == "" || !strings.HasSuffix(page, "/actions/runs/"+run)) {
		err = &remote.Error{
			Op:     r.client.op(),
			Reason: "this version of Gitea does not tell by its API which run that is",
			Cure:   "Paste the end of its log into the thread",
		}
	}
	if err != nil {
		return Run{}, err
	}
	return out, nil
}

// Unreadable asks Gitea for its newest issue.
func (r *GiteaRepository) Unreadable(ctx context.Context) (missing []string, err error) {
	return refusedPaths(ctx, r.client, []readable{{"the scope read:issue", "/issues?limit=1"}})
}
