package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A GitHubRepository is one repository at GitHub. It implements Host.
type GitHubRepository struct {
	client     *Client
	issues     *Client // with the credential for issues
	owner      string
	missing    func(ctx context.Context) ([]string, error) // nil: GitHub is asked
	unreadable func(ctx context.Context) ([]string, error) // nil: GitHub is asked
}

// GitHubConfig holds the addresses and the token of a GitHubRepository.
type GitHubConfig struct {
	API         string // https://api.github.com
	Web         string // https://github.com/acme/shop
	Owner, Name string
	// Token returns the credential for a request. write means that the request changes something.
	Token func(ctx context.Context, write bool) (remote.Credential, error)
	// IssueToken returns the credential for reading issues. If it is nil, Token does.
	IssueToken func(ctx context.Context) (remote.Credential, error)
	// Missing returns the rights that the credential is known to lack. If it is nil, GitHub is asked.
	Missing func(ctx context.Context) ([]string, error)
	// Unreadable returns the rights to read that the credential is known to lack. If it is nil, GitHub is
	// asked.
	Unreadable func(ctx context.Context) ([]string, error)
}

// GitHubRights is what a token needs, in words.
const GitHubRights = "the permissions Pull requests: write, Contents: read, Checks: read, Commit statuses: " +
	"read and Actions: read"

// NewGitHub returns a Repository.
func NewGitHub(cfg GitHubConfig) *GitHubRepository {
	r := &GitHubRepository{
		client:     newGitHubClient(cfg, cfg.Token),
		owner:      cfg.Owner,
		missing:    cfg.Missing,
		unreadable: cfg.Unreadable,
	}
	r.issues = r.client
	if cfg.IssueToken != nil {
		r.issues = newGitHubClient(cfg, func(ctx context.Context, _ bool) (remote.Credential, error) {
			return cfg.IssueToken(ctx)
		})
	}
	return r
}

func newGitHubClient(
	cfg GitHubConfig, token func(ctx context.Context, write bool) (remote.Credential, error),
) *Client {
	return &Client{
		API:        strings.TrimSuffix(cfg.API, "/"),
		Name:       "GitHub",
		Repository: cfg.Owner + "/" + cfg.Name,
		Root:       "/repos/" + cfg.Owner + "/" + cfg.Name,
		Web:        cfg.Web,
		Rights:     GitHubRights,
		Accept:     "application/vnd.github+json",
		Sign: func(ctx context.Context, r *http.Request, write bool) (remote.Credential, error) {
			t, err := token(ctx, write)
			r.Header.Set("Authorization", "Bearer "+string(t.Password))
			r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
			return t, err
		},
	}
}

// A gitHubPull is a pull request in GitHub's form.
type gitHubPull struct {
	Number  int64      `json:"number"`
	HTML    string     `json:"html_url"`
	State   string     `json:"state"`
	Draft   bool       `json:"draft"`
	Body    string     `json:"body"`
	Merged  *time.Time `json:"merged_at"`
	MergedX string     `json:"merge_commit_sha"`
	// null until GitHub has looked for conflicts
	Mergeable *bool `json:"mergeable"`
	Head      struct {
		Ref string `json:"ref"`
		SHA string `json:"sha"`
	} `json:"head"`
}

func (r *GitHubRepository) read(p gitHubPull) PullRequest {
	out := PullRequest{
		Number: p.Number,
		URL:    r.client.Page(p.HTML),
		Draft:  p.Draft,
		Body:   p.Body,
		Head:   p.Head.SHA,
		State:  Open,
	}
	switch {
	case p.Merged != nil:
		out.State = Merged
		out.Merged = p.MergedX
	case p.State == "closed":
		out.State = Closed
	}
	return out
}

// Find returns the newest pull request of a branch of this repository, or nil.
func (r *GitHubRepository) Find(ctx context.Context, branch string) (*PullRequest, error) {
	all, err := List[gitHubPull](ctx, r.client,
		r.client.At("/pulls?state=all&per_page=100&head=%s", url.QueryEscape(r.owner+":"+branch)))
	if err != nil {
		return nil, err
	}
	// GitHub returns all pull requests if it does not understand head.
	all = slices.DeleteFunc(all, func(p gitHubPull) bool { return p.Head.Ref != branch })
	if len(all) == 0 {
		return nil, nil
	}
	found := r.read(slices.MaxFunc(all, func(a, b gitHubPull) int { return cmp.Compare(a.Number, b.Number) }))
	return &found, nil
}

// Open opens a pull request.
func (r *GitHubRepository) Open(ctx context.Context, o Opening) (PullRequest, error) {
	var p gitHubPull
	asked := map[string]any{
		"title": o.Title,
		"head":  o.Branch,
		"base":  o.Base,
		"body":  o.Body,
		"draft": o.Draft,
	}
	err := r.client.Send(ctx, http.MethodPost, r.client.At("/pulls"), asked, &p)
	if err != nil && o.Draft &&
		strings.Contains(strings.ToLower(err.Error()), "draft pull requests are not supported") {
		asked["draft"] = false
		err = r.client.Send(ctx, http.MethodPost, r.client.At("/pulls"), asked, &p)
	}
	return r.read(p), err
}

// Look returns the current state of a pull request.
func (r *GitHubRepository) Look(ctx context.Context, number int64) (PullRequest, error) {
	var p gitHubPull
	err := r.client.Get(ctx, r.client.At("/pulls/%d", number), &p)
	out := r.read(p)
	switch {
	case out.State != Open || p.Mergeable == nil:
	case *p.Mergeable:
		out.Merges = MergeClean
	default:
		out.Merges = MergeConflicts
	}
	return out, err
}

// Reword replaces the text of a pull request.
func (r *GitHubRepository) Reword(ctx context.Context, number int64, body string) error {
	return r.client.Send(ctx, http.MethodPatch, r.client.At("/pulls/%d", number),
		map[string]any{"body": body}, nil)
}

// A gitHubCheckRun is the run of an App, such as GitHub Actions, on a commit.
type gitHubCheckRun struct {
	ID         int64  `json:"id"`
	Commit     string `json:"head_sha"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	HTML       string `json:"html_url"`
	App        struct {
		Slug string `json:"slug"`
	} `json:"app"`
	Output struct {
		Title string `json:"title"`
	} `json:"output"`
}

// A gitHubStatus is a status that another service reported for a commit.
type gitHubStatus struct {
	State       string `json:"state"`
	Context     string `json:"context"`
	Description string `json:"description"`
	Target      string `json:"target_url"`
}

// Checks returns the commit's check runs and statuses.
func (r *GitHubRepository) Checks(ctx context.Context, commit string) (all []Check, err error) {
	err = r.client.Pages(ctx, r.client.At("/commits/%s/check-runs?per_page=100",
		url.PathEscape(commit)), func(page []byte) error {
		var some struct {
			Runs []gitHubCheckRun `json:"check_runs"`
		}
		err := json.Unmarshal(page, &some)
		for _, run := range some.Runs {
			if isOther(run.Commit, commit) {
				continue
			}
			c := Check{Name: run.Name, URL: r.client.Page(run.HTML), Summary: run.Output.Title}
			if run.App.Slug == "github-actions" { // its jobs have the same ids as their check runs
				c.ID = strconv.FormatInt(run.ID, 10)
			}
			c.State, c.Inconclusive = checkState(run.Status, run.Conclusion)
			all = append(all, c)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = r.client.Pages(ctx, r.client.At("/commits/%s/status?per_page=100",
		url.PathEscape(commit)), func(page []byte) error {
		var some struct {
			Commit   string         `json:"sha"`
			Statuses []gitHubStatus `json:"statuses"`
		}
		err := json.Unmarshal(page, &some)
		if isOther(some.Commit, commit) {
			return err
		}
		for _, s := range some.Statuses {
			c := Check{
				Name:    s.Context,
				State:   Pending,
				URL:     r.client.Page(s.Target),
				Summary: s.Description,
			}
			switch s.State {
			case "success":
				c.State = Passed
			case "failure", "error":
				c.State = Failed
			}
			all = append(all, c)
		}
		return err
	})
	return all, err
}

// isOther reports whether a host's answer about a commit names another one.
func isOther(named, commit string) bool { return named != "" && named != commit }

// Log returns the end of a job's log.
func (r *GitHubRepository) Log(ctx context.Context, c Check) (string, error) {
	if c.ID == "" {
		return "", nil
	}
	return r.client.Tail(ctx, r.client.At("/actions/jobs/%s/logs", url.PathEscape(c.ID)))
}

// A gitHubComment is a comment or a review in GitHub's form.
type gitHubComment struct {
	ID   int64 `json:"id"`
	User struct {
		Login string `json:"login"`
		Type  string `json:"type"`
	} `json:"user"`
	Body      string    `json:"body"`
	Path      string    `json:"path"`
	Line      int       `json:"line"`
	Created   time.Time `json:"created_at"`
	Submitted time.Time `json:"submitted_at"` // set for a review
}

func (c gitHubComment) comment(kind string) Comment {
	at := c.Created
	if at.IsZero() {
		at = c.Submitted
	}
	return Comment{
		ID:    fmt.Sprintf("%s:%d", kind, c.ID),
		Login: c.User.Login,
		Bot:   c.User.Type == "Bot",
		Text:  c.Body,
		Path:  c.Path,
		Line:  c.Line,
		At:    at,
	}
}

// Comments returns the comments below the pull request, those on its code, and the texts of its reviews.
func (r *GitHubRepository) Comments(ctx context.Context, number int64) (all []Comment, err error) {
	for kind, path := range map[string]string{
		"comment": r.client.At("/issues/%d/comments?per_page=100", number),
		"beside":  r.client.At("/pulls/%d/comments?per_page=100", number),
		"review":  r.client.At("/pulls/%d/reviews?per_page=100", number),
	} {
		some, err := List[gitHubComment](ctx, r.client, path)
		if err != nil {
			return nil, err
		}
		for _, c := range some {
			if strings.TrimSpace(c.Body) == "" {
				continue // a review whose text is only in comments on the code
			}
			all = append(all, c.comment(kind))
		}
	}
	slices.SortFunc(all,
		func(a, b Comment) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// A gitHubCommit is a commit in the form of GitHub's lists.
type gitHubCommit struct {
	SHA    string `json:"sha"`
	Commit struct {
		Message string `json:"message"`
	} `json:"commit"`
}

// Commits returns the newest commits of a branch.
func (r *GitHubRepository) Commits(
	ctx context.Context, branch string, since time.Time,
) (all []Commit, err error) {
	some, err := List[gitHubCommit](ctx, r.client, r.client.At("/commits?per_page=100&sha=%s&since=%s",
		url.QueryEscape(branch), since.UTC().Format(time.RFC3339)))
	for _, c := range some {
		all = append(all, Commit{Hash: c.SHA, Message: c.Commit.Message})
	}
	return all, err
}

// Missing sends an invalid request for a pull request, because GitHub checks the right before the content.
// It opens nothing.
func (r *GitHubRepository) Missing(ctx context.Context) (missing []string, err error) {
	if r.missing != nil {
		return r.missing(ctx)
	}
	var of struct {
		Branch string `json:"default_branch"`
	}
	if err := r.client.Get(ctx, r.client.At(""), &of); err != nil {
		return nil, err
	}
	for right, err := range map[string]error{
		"Checks: read": r.client.Get(ctx,
			r.client.At("/commits/%s/check-runs?per_page=1", url.PathEscape(of.Branch)), &struct{}{}),
		"Commit statuses: read": r.client.Get(ctx,
			r.client.At("/commits/%s/status?per_page=1", url.PathEscape(of.Branch)), &struct{}{}),
		"Pull requests: write": r.client.Send(ctx, http.MethodPost, r.client.At("/pulls"), struct{}{}, nil),
	} {
		if errors.Is(err, ErrForbidden) {
			missing = append(missing, right)
		}
	}
	slices.Sort(missing)
	return missing, nil
}
