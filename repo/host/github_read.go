package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A gitHubIssue is an issue or a pull request in GitHub's form, which Gitea has, too.
type gitHubIssue struct {
	Number int64  `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	State  string `json:"state"`
	User   struct {
		Login string `json:"login"`
	} `json:"user"`
	Labels   []gitHubLabel `json:"labels"`
	Created  time.Time     `json:"created_at"`
	Comments int           `json:"comments"`
	Pull     *struct{}     `json:"pull_request"` // an issue only: it is a pull request
	Merged   *time.Time    `json:"merged_at"`    // a pull request only, as what follows
	Head     gitHubEnd     `json:"head"`
	Base     gitHubEnd     `json:"base"`
}

// A gitHubEnd is one of the two branches of a pull request.
type gitHubEnd struct {
	Ref  string            `json:"ref"`
	SHA  string            `json:"sha"`
	Repo *gitHubRepository `json:"repo"` // nil: it was deleted
}

// A gitHubRepository is the name of a repository: acme/shop.
type gitHubRepository struct {
	Name string `json:"full_name"`
}

// isOther reports whether r is another repository than of, as far as the host names both.
func (r *gitHubRepository) isOther(of *gitHubRepository) bool {
	return of != nil && of.Name != "" && (r == nil || r.Name != of.Name)
}

type gitHubLabel struct {
	Name string `json:"name"`
}

func (i gitHubIssue) issue(pull bool) Issue {
	out := Issue{
		Number:  i.Number,
		Pull:    pull,
		Title:   i.Title,
		Body:    i.Body,
		Author:  i.User.Login,
		State:   i.State,
		Created: i.Created,
		Branch:  i.Head.Ref,
		Base:    i.Base.Ref,
		Head:    i.Head.SHA,
		Fork:    i.Head.Repo.isOther(i.Base.Repo),
	}
	for _, l := range i.Labels {
		out.Labels = append(out.Labels, l.Name)
	}
	if i.Merged != nil {
		out.State = string(Merged)
	}
	return out
}

// readIssue reads an issue or, if pull is set, a pull request by a client for a host with GitHub's API.
// asPull reports that the issue of that number is a pull request.
func readIssue(
	ctx context.Context, c *Client, number int64, pull bool,
) (out Issue, count int, asPull bool, err error) {
	path := c.At("/issues/%d", number)
	if pull {
		path = c.At("/pulls/%d", number)
	}
	var i gitHubIssue
	if err := c.Get(ctx, path, &i); err != nil {
		return Issue{}, 0, false, err
	}
	if i.Number != number {
		return Issue{}, 0, false, c.invalidResponse()
	}
	return i.issue(pull), i.Comments, !pull && i.Pull != nil, nil
}

// Issue returns an issue with its newest comments, or a pull request with its comments and files. A number
// may be of either, as pull says or as GitHub does.
func (r *GitHubRepository) Issue(ctx context.Context, number int64, pull bool) (Issue, error) {
	if pull {
		return r.pull(ctx, number)
	}
	out, count, isPull, err := readIssue(ctx, r.issues, number, false)
	var refused *remote.Error
	switch {
	case isPull:
		return r.pull(ctx, number)
	case errors.As(err, &refused) && !refused.Retry: // it may be a pull request, for which the rights suffice
		if out, asPull := r.pull(ctx, number); asPull == nil {
			return out, nil
		}
		return Issue{}, err
	case err != nil:
		return Issue{}, err
	}
	some, err := listPages[gitHubComment](ctx, r.issues,
		r.issues.At("/issues/%d/comments?per_page=100&page=%d", number, firstPage(count, 100)), maxIssuePages)
	for _, c := range some {
		if strings.TrimSpace(c.Body) != "" {
			out.Comments = append(out.Comments, c.comment("comment"))
		}
	}
	out.More = more(count, len(some))
	return out, err
}

func (r *GitHubRepository) pull(ctx context.Context, number int64) (Issue, error) {
	out, _, _, err := readIssue(ctx, r.client, number, true)
	if err != nil {
		return Issue{}, err
	}
	if out.Comments, err = r.Comments(ctx, number); err != nil {
		return Issue{}, err
	}
	out.Files, err = readFiles(ctx, r.client, number, "per_page=100")
	return out, err
}

// readFiles reads the files of a pull request by a client for a host with GitHub's API.
func readFiles(ctx context.Context, c *Client, number int64, size string) (files []File, err error) {
	some, err := List[struct {
		Name      string `json:"filename"`
		Status    string `json:"status"`
		Additions int    `json:"additions"`
		Deletions int    `json:"deletions"`
	}](ctx, c, c.At("/pulls/%d/files?%s", number, size))
	for _, f := range some {
		files = append(files, File{Path: f.Name, Change: f.Status, Added: f.Additions, Removed: f.Deletions})
	}
	return files, err
}

// A gitHubRun is a run of GitHub Actions, or of Gitea's, which have its form.
type gitHubRun struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Title      string `json:"display_title"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	Branch     string `json:"head_branch"`
	Commit     string `json:"head_sha"`
	HTML       string `json:"html_url"`

	Repository *gitHubRepository `json:"repository"`
	HeadIn     *gitHubRepository `json:"head_repository"`
	Pulls      []struct {
		Number int64 `json:"number"`
	} `json:"pull_requests"`
}

func (g gitHubRun) run() Run {
	out := Run{
		Name:   g.Name,
		State:  g.Status,
		Branch: g.Branch,
		Commit: g.Commit,
		Fork:   g.HeadIn.isOther(g.Repository),
	}
	if len(g.Pulls) == 1 {
		out.Pull = g.Pulls[0].Number
	}
	if g.Conclusion != "" {
		out.State = g.Conclusion
	}
	if out.Name == "" {
		out.Name = g.Title
	}
	return out
}

// A gitHubJob is a job of a run.
type gitHubJob struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	HTML       string `json:"html_url"`
}

// readRun reads a run with its jobs by a client for a host with GitHub's API; job is the id of the only job
// that is wanted, or empty.
func readRun(ctx context.Context, c *Client, run, job string) (out Run, page string, err error) {
	var g gitHubRun
	if err := c.Get(ctx, c.At("/actions/runs/%s", url.PathEscape(run)), &g); err != nil {
		return Run{}, "", err
	}
	if fmt.Sprint(g.ID) != run {
		return Run{}, "", c.invalidResponse()
	}
	out = g.run()
	jobs := c.At("/actions/runs/%s/jobs?per_page=100", url.PathEscape(run))
	err = c.Pages(ctx, jobs, func(page []byte) error {
		var some struct {
			Jobs []gitHubJob `json:"jobs"`
		}
		err := json.Unmarshal(page, &some)
		for _, j := range some.Jobs {
			if job != "" && fmt.Sprint(j.ID) != job {
				continue
			}
			check := Check{ID: fmt.Sprint(j.ID), Name: j.Name, URL: c.Page(j.HTML)}
			check.State, check.Inconclusive = checkState(j.Status, j.Conclusion)
			out.Checks = append(out.Checks, check)
		}
		return err
	})
	return out, g.HTML, err
}

// checkHeld reports whether a run or a check waits until somebody presses a button: to approve the run of an
// outsider's workflow, or its use of a protected environment.
func checkHeld(status, conclusion string) bool {
	return conclusion == "action_required" || status == "action_required" || status == "waiting"
}

// checkState returns how a check of GitHub stands, and the word for an end that shows nothing.
func checkState(status, conclusion string) (state CheckState, inconclusive string) {
	switch {
	case checkHeld(status, conclusion):
		return Held, ""
	case status != "completed":
		return Pending, ""
	case slices.Contains([]string{"failure", "timed_out", "startup_failure"}, conclusion):
		return Failed, ""
	case conclusion == "success":
		return Passed, ""
	}
	return Passed, conclusion
}

// Run returns a run of GitHub Actions with its jobs, or with one of them.
func (r *GitHubRepository) Run(ctx context.Context, run, job string) (Run, error) {
	out, _, err := readRun(ctx, r.client, run, job)
	return out, err
}

// Unreadable asks GitHub for its newest issue and run.
func (r *GitHubRepository) Unreadable(ctx context.Context) (missing []string, err error) {
	if r.unreadable != nil {
		return r.unreadable(ctx)
	}
	return refusedPaths(ctx, r.client, []readable{
		{"Issues: read", "/issues?per_page=1"},
		{"Actions: read", "/actions/runs?per_page=1"},
	})
}

// A readable is a right and a request that it allows.
type readable struct{ right, path string }

// refusedPaths returns the rights whose requests the host refuses.
func refusedPaths(ctx context.Context, c *Client, list []readable) (missing []string, err error) {
	for _, r := range list {
		err := c.Get(ctx, c.At("%s", r.path), &json.RawMessage{})
		var refused *remote.Error
		switch {
		case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
			missing = append(missing, r.right)
		case errors.As(err, &refused) && refused.Retry, err != nil && refused == nil:
			return nil, err
		}
	}
	return missing, nil
}
