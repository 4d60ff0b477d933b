// Package gitea implements host.Host for the pull requests of one repository at a Gitea or Forgejo, over
// the REST API that both have.
package gitea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
)

// A Repository is one repository at a Gitea or Forgejo. It implements host.Host.
type Repository struct{ client *host.Client }

// Config holds the addresses and the token of a Repository.
type Config struct {
	API         string // https://codeberg.org/api/v1
	Web         string // https://codeberg.org/acme/shop
	Owner, Name string
	// Token returns the credential for a request. write means that the request changes something.
	Token func(ctx context.Context, write bool) (remote.Credential, error)
}

// Rights is what a token needs, in words.
const Rights = "the scopes write:repository and read:issue, and its user the right to write"

// New returns a Repository.
func New(cfg Config) *Repository {
	return &Repository{client: &host.Client{
		API: strings.TrimSuffix(cfg.API, "/"), Name: "Gitea", Repository: cfg.Owner + "/" + cfg.Name, Root: "/repos/" + cfg.Owner + "/" + cfg.Name, Web: cfg.Web, Rights: Rights, Accept: "application/json",
		Sign: func(ctx context.Context, r *http.Request, write bool) (remote.Credential, error) {
			t, err := cfg.Token(ctx, write)
			r.Header.Set("Authorization", "token "+string(t.Password))
			return t, err
		},
	}}
}

// A pull is a pull request in Gitea's form.
type pull struct {
	Number int64  `json:"number"`
	HTML   string `json:"html_url"`
	State  string `json:"state"`
	Title  string `json:"title"`
	Draft  bool   `json:"draft"`
	Body   string `json:"body"`
	Merged bool   `json:"merged"`
	Commit string `json:"merge_commit_sha"`
	Head   side   `json:"head"`
	Base   side   `json:"base"`
}

// A side is the branch that a pull request takes commits from or to.
type side struct {
	Ref        string `json:"ref"`
	SHA        string `json:"sha"`
	Repository int64  `json:"repo_id"`
}

// draftMark is the prefix of a draft's title.
const draftMark = "WIP: "

func (r *Repository) read(p pull) host.PullRequest {
	out := host.PullRequest{Number: p.Number, URL: r.client.Page(p.HTML), Draft: p.Draft || strings.HasPrefix(p.Title, draftMark), Body: p.Body, Head: p.Head.SHA, State: host.Open}
	switch {
	case p.Merged:
		out.State, out.Merged = host.Merged, p.Commit
	case p.State == "closed":
		out.State = host.Closed
	}
	return out
}

// Find returns the newest pull request of a branch of the repository, or nil; a fork may have a branch with the
// same name. It searches only the most recently updated ones, because Gitea cannot list those of one branch.
func (r *Repository) Find(ctx context.Context, branch string) (*host.PullRequest, error) {
	all, err := host.List[pull](ctx, r.client, r.client.At("/pulls?state=all&sort=recentupdate&limit=50"))
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p pull) bool { return p.Head.Ref != branch || p.Head.Repository != p.Base.Repository })
	if len(all) == 0 {
		return nil, nil
	}
	found := r.read(slices.MaxFunc(all, func(a, b pull) int { return cmp.Compare(a.Number, b.Number) }))
	return &found, nil
}

// Open opens a pull request. Gitea marks drafts by a prefix of the title.
func (r *Repository) Open(ctx context.Context, o host.Opening) (host.PullRequest, error) {
	title := o.Title
	if o.Draft {
		title = draftMark + title
	}
	var p pull
	err := r.client.Send(ctx, http.MethodPost, r.client.At("/pulls"), map[string]any{"title": title, "head": o.Branch, "base": o.Base, "body": o.Body}, &p)
	return r.read(p), err
}

// Look returns the current state of a pull request.
func (r *Repository) Look(ctx context.Context, number int64) (host.PullRequest, error) {
	var p pull
	err := r.client.Get(ctx, r.client.At("/pulls/%d", number), &p)
	return r.read(p), err
}

// Reword replaces the text of a pull request.
func (r *Repository) Reword(ctx context.Context, number int64, body string) error {
	return r.client.Send(ctx, http.MethodPatch, r.client.At("/pulls/%d", number), map[string]any{"body": body}, nil)
}

// A status is a status that Gitea's own runners or another service reported for a commit.
type status struct {
	ID      int64  `json:"id"`
	Context string `json:"context"`
	Status  string `json:"status"`
	Target  string `json:"target_url"`
	Words   string `json:"description"`
}

// Checks returns the newest status of each name for a commit.
func (r *Repository) Checks(ctx context.Context, commit string) (all []host.Check, err error) {
	some, err := host.List[status](ctx, r.client, r.client.At("/commits/%s/statuses?sort=recentupdate&limit=50", url.PathEscape(commit)))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(some, func(a, b status) int { return cmp.Compare(b.ID, a.ID) }) // each change of a check is a new status
	seen := map[string]bool{}
	for _, s := range some {
		if seen[s.Context] {
			continue
		}
		seen[s.Context] = true
		c := host.Check{Name: s.Context, State: host.Passed, URL: r.client.Page(r.resolve(s.Target)), Summary: s.Words}
		if job := jobPage.FindStringSubmatch(c.URL); job != nil {
			c.ID = job[1]
		}
		switch s.Status {
		case "failure", "error":
			c.State = host.Failed
		case "pending":
			c.State = host.Pending
		}
		all = append(all, c)
	}
	return all, nil
}

// jobPage matches the page of a job of Gitea's own runners. Its number is the job's id from Gitea 1.26 on;
// in older versions it is the job's position in its run.
var jobPage = regexp.MustCompile(`/actions/runs/\d+/jobs/(\d+)$`)

// resolve returns an address as an absolute one. Gitea writes the addresses of its own pages without the
// host.
func (r *Repository) resolve(address string) string {
	at, err := url.Parse(r.client.Web)
	if err != nil {
		return address
	}
	to, err := at.Parse(address)
	if err != nil {
		return address
	}
	return to.String()
}

// Log returns the end of a job's log. It is empty for a Gitea older than 1.26 and for Forgejo, where a
// status does not identify its job.
func (r *Repository) Log(ctx context.Context, c host.Check) (string, error) {
	if c.ID == "" {
		return "", nil
	}
	var job struct {
		HTML string `json:"html_url"`
	}
	err := r.client.Get(ctx, r.client.At("/actions/jobs/%s", url.PathEscape(c.ID)), &job)
	if err == nil && job.HTML == c.URL {
		var log string
		if log, err = r.client.Tail(ctx, r.client.At("/actions/jobs/%s/logs", url.PathEscape(c.ID))); err == nil {
			return log, nil
		}
	}
	if errors.Is(err, host.ErrNotFound) {
		err = nil
	}
	return "", err
}

// A comment is a comment on a pull request or its code, in Gitea's form.
type comment struct {
	ID   int64 `json:"id"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
	Body    string    `json:"body"`
	Path    string    `json:"path"`
	Line    int       `json:"position"`
	Created time.Time `json:"created_at"`
}

// A review is a review in Gitea's form, with the number of its comments on the code.
type review struct {
	comment
	Submitted time.Time `json:"submitted_at"`
	Count     int       `json:"comments_count"`
}

// Comments returns the comments below the pull request, the texts of its reviews and their comments on the
// code.
func (r *Repository) Comments(ctx context.Context, number int64) (all []host.Comment, err error) {
	add := func(kind string, c comment, at time.Time) {
		if strings.TrimSpace(c.Body) != "" {
			all = append(all, host.Comment{ID: fmt.Sprintf("%s:%d", kind, c.ID), Login: c.User.Login, Text: c.Body, Path: c.Path, Line: c.Line, At: at})
		}
	}
	below, err := host.List[comment](ctx, r.client, r.client.At("/issues/%d/comments?limit=50", number))
	if err != nil {
		return nil, err
	}
	for _, c := range below {
		add("comment", c, c.Created)
	}
	reviews, err := host.List[review](ctx, r.client, r.client.At("/pulls/%d/reviews?limit=50", number))
	if err != nil {
		return nil, err
	}
	for _, v := range reviews {
		add("review", v.comment, v.Submitted)
		if v.Count == 0 {
			continue
		}
		beside, err := host.List[comment](ctx, r.client, r.client.At("/pulls/%d/reviews/%d/comments?limit=50", number, v.ID))
		if err != nil {
			return nil, err
		}
		for _, c := range beside {
			add("beside", c, c.Created)
		}
	}
	slices.SortFunc(all, func(a, b host.Comment) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// Commits returns the newest commits of a branch. It reads one page and ignores the time, because older
// Giteas do not support since.
func (r *Repository) Commits(ctx context.Context, branch string, _ time.Time) (all []host.Commit, err error) {
	var some []struct {
		SHA    string `json:"sha"`
		Commit struct {
			Message string `json:"message"`
		} `json:"commit"`
	}
	err = r.client.Get(ctx, r.client.At("/commits?limit=50&stat=false&verification=false&files=false&sha=%s", url.QueryEscape(branch)), &some)
	for _, c := range some {
		all = append(all, host.Commit{Hash: c.SHA, Message: c.Commit.Message})
	}
	return all, err
}

// Missing sends an invalid request for a pull request, because Gitea checks the right before the content.
// It opens nothing.
func (r *Repository) Missing(ctx context.Context) (missing []string, err error) {
	var of struct {
		Permissions struct{ Push, Pull bool } `json:"permissions"`
		Pulls       *bool                     `json:"has_pull_requests"`
	}
	if err := r.client.Get(ctx, r.client.At(""), &of); err != nil {
		return nil, err
	}
	if !of.Permissions.Push {
		missing = append(missing, "the right to write to the repository")
	}
	if of.Pulls != nil && !*of.Pulls {
		missing = append(missing, "pull requests, which are turned off in the repository's settings")
	}
	if errors.Is(r.client.Send(ctx, http.MethodPost, r.client.At("/pulls"), struct{}{}, nil), host.ErrForbidden) {
		missing = append(missing, "the scope write:repository")
	}
	return missing, nil
}
