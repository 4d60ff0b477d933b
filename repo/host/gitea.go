package host

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
)

// A GiteaRepository is one repository at a Gitea or Forgejo. It implements Host.
type GiteaRepository struct {
	client *Client
	fork   *Client // nil: branches are pushed to the repository itself
	head   string  // what a branch is called in a pull request, before its name; empty: nothing
}

// GiteaConfig holds the addresses and the token of a GiteaRepository.
type GiteaConfig struct {
	API         string // https://codeberg.org/api/v1
	Web         string // https://codeberg.org/acme/shop
	Owner, Name string
	// ForkOwner and ForkName are the fork to which branches are pushed; empty: the repository itself.
	ForkOwner, ForkName string
	ForkWeb             string // https://codeberg.org/acme-bot/shop
	// ForkToken returns the credential for the fork. If it is nil, Token does.
	ForkToken func(ctx context.Context, write bool) (remote.Credential, error)
	// Token returns the credential for a request. write means that the request changes something.
	Token func(ctx context.Context, write bool) (remote.Credential, error)
}

// GiteaRights is what a token needs, in words.
const GiteaRights = "the scopes write:repository and read:issue, and its user the right to write"

// NewGitea returns a Repository.
func NewGitea(cfg GiteaConfig) *GiteaRepository {
	r := &GiteaRepository{client: newGiteaClient(cfg)}
	if cfg.ForkName != "" {
		fork := cfg
		fork.Owner = cfg.ForkOwner
		fork.Name = cfg.ForkName
		fork.Web = cfg.ForkWeb
		if cfg.ForkToken != nil {
			fork.Token = cfg.ForkToken
		}
		r.fork = newGiteaClient(fork)
		r.head = cfg.ForkOwner + ":"
		if strings.EqualFold(cfg.ForkOwner, cfg.Owner) {
			r.head = cfg.ForkOwner + "/" + cfg.ForkName + ":"
		}
	}
	return r
}

func newGiteaClient(cfg GiteaConfig) *Client {
	return &Client{
		API:        strings.TrimSuffix(cfg.API, "/"),
		Name:       "Gitea",
		Repository: cfg.Owner + "/" + cfg.Name,
		Root:       "/repos/" + cfg.Owner + "/" + cfg.Name,
		Web:        cfg.Web,
		Rights:     GiteaRights,
		Accept:     "application/json",
		Sign: func(ctx context.Context, r *http.Request, write bool) (remote.Credential, error) {
			t, err := cfg.Token(ctx, write)
			r.Header.Set("Authorization", "token "+string(t.Password))
			return t, err
		},
	}
}

// A giteaPull is a pull request in Gitea's form.
type giteaPull struct {
	Number int64       `json:"number"`
	HTML   string      `json:"html_url"`
	State  string      `json:"state"`
	Title  string      `json:"title"`
	Draft  bool        `json:"draft"`
	Body   string      `json:"body"`
	Merged bool        `json:"merged"`
	Commit string      `json:"merge_commit_sha"`
	Head   giteaBranch `json:"head"`
	Base   giteaBranch `json:"base"`
	hostPapers
	Teams []struct {
		Name string `json:"name"`
	} `json:"requested_reviewers_teams"`
	// false also for a draft, and while Gitea has not looked for conflicts yet
	Mergeable bool `json:"mergeable"`
}

// A giteaBranch is the branch that a pull request takes commits from or to.
type giteaBranch struct {
	Ref        string `json:"ref"`
	SHA        string `json:"sha"`
	Repository int64  `json:"repo_id"`
	Repo       *named `json:"repo"` // nil: it was deleted
}

// giteaDraftMark is the prefix of a draft's title.
const giteaDraftMark = "WIP: "

func (r *GiteaRepository) read(p giteaPull) PullRequest {
	out := PullRequest{
		Number: p.Number,
		URL:    r.client.Page(p.HTML),
		Draft:  p.Draft || strings.HasPrefix(p.Title, giteaDraftMark),
		Body:   p.Body,
		Head:   p.Head.SHA,
		Base:   p.Base.Ref,
		State:  Open,
	}
	p.put(&out)
	owner, _, _ := strings.Cut(r.client.Repository, "/")
	for _, t := range p.Teams {
		out.Reviewers = append(out.Reviewers, owner+"/"+t.Name)
	}
	switch {
	case p.Merged:
		out.State = Merged
		out.Merged = p.Commit
	case p.State == "closed":
		out.State = Closed
	}
	return out
}

// Find returns the newest pull request of a branch of the repository to which branches are pushed, or nil; a
// fork of others may have a branch with the same name. It searches only the most recently updated ones,
// because Gitea cannot list those of one branch.
func (r *GiteaRepository) Find(ctx context.Context, branch string) (*PullRequest, error) {
	all, err := List[giteaPull](ctx, r.client, r.client.At("/pulls?state=all&sort=recentupdate&limit=50"))
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all,
		func(p giteaPull) bool { return p.Head.Ref != branch || !r.isOurs(p) })
	if len(all) == 0 {
		return nil, nil
	}
	found := r.read(slices.MaxFunc(all, func(a, b giteaPull) int { return cmp.Compare(a.Number, b.Number) }))
	return &found, nil
}

// isOurs reports whether a pull request is of a branch of the repository to which branches are pushed.
func (r *GiteaRepository) isOurs(p giteaPull) bool {
	if r.fork == nil {
		return p.Head.Repository == p.Base.Repository
	}
	return p.Head.Repo != nil && strings.EqualFold(p.Head.Repo.Name, r.fork.Repository)
}

// Open opens a pull request. Gitea marks drafts by a prefix of the title.
func (r *GiteaRepository) Open(ctx context.Context, o Opening) (PullRequest, error) {
	title := o.Title
	if o.Draft {
		title = giteaDraftMark + title
	}
	var p giteaPull
	err := r.client.Send(ctx, http.MethodPost, r.client.At("/pulls"),
		map[string]any{"title": title, "head": r.head + o.Branch, "base": o.Base, "body": o.Body}, &p)
	return r.read(p), err
}

// Look returns the current state of a pull request.
func (r *GiteaRepository) Look(ctx context.Context, number int64) (PullRequest, error) {
	var p giteaPull
	err := r.client.Get(ctx, r.client.At("/pulls/%d", number), &p)
	out := r.read(p)
	if out.State == Open && p.Mergeable {
		out.Merges = MergeClean
	}
	return out, err
}

// Reword replaces the text of a pull request.
func (r *GiteaRepository) Reword(ctx context.Context, number int64, body string) error {
	return r.client.Send(ctx, http.MethodPatch, r.client.At("/pulls/%d", number),
		map[string]any{"body": body}, nil)
}

// A giteaStatus is a status that Gitea's own runners or another service reported for a commit.
type giteaStatus struct {
	ID      int64  `json:"id"`
	Context string `json:"context"`
	Status  string `json:"status"`
	Target  string `json:"target_url"`
	Words   string `json:"description"`
}

// Checks returns the newest status of each name for a commit, also those in the fork.
func (r *GiteaRepository) Checks(ctx context.Context, commit string) (all []Check, err error) {
	read := func(at *Client) ([]Check, error) { return r.checksAt(ctx, at, commit) }
	all, err = read(r.client)
	return withForkChecks(all, err, r.fork, read)
}

func (r *GiteaRepository) checksAt(ctx context.Context, at *Client, commit string) (all []Check, err error) {
	some, err := List[giteaStatus](ctx, at,
		at.At("/commits/%s/statuses?sort=recentupdate&limit=50", url.PathEscape(commit)))
	if err != nil {
		return nil, err
	}
	// each change of a check is a new status
	slices.SortStableFunc(some, func(a, b giteaStatus) int { return cmp.Compare(b.ID, a.ID) })
	seen := map[string]bool{}
	for _, s := range some {
		if seen[s.Context] {
			continue
		}
		seen[s.Context] = true
		c := Check{
			Name:    s.Context,
			State:   Passed,
			URL:     at.Page(resolve(at, s.Target)),
			Summary: s.Words,
		}
		if job := giteaJobPage.FindStringSubmatch(c.URL); job != nil {
			c.ID = job[1]
			if at == r.fork {
				c.ID = ofFork + c.ID
			}
		}
		switch s.Status {
		case "failure", "error":
			c.State = Failed
		case "pending":
			c.State = Pending
		case "success":
		default:
			c.Inconclusive = cmp.Or(s.Status, "without a result")
		}
		all = append(all, c)
	}
	return heldAtGitea(all), nil
}

// giteaBlocked is what Gitea says of a job that waits for another one, or for a person who allows its run.
const giteaBlocked = "Blocked by required conditions"

// heldAtGitea returns the checks with those marked that wait for a person. Gitea has the same words for a job
// that waits for another one; but then that one is under way.
func heldAtGitea(all []Check) []Check {
	underWay := slices.ContainsFunc(all,
		func(c Check) bool { return c.State == Pending && c.Summary != giteaBlocked })
	for i := range all {
		if all[i].State == Pending && !underWay {
			all[i].State = Held
		}
	}
	return all
}

// giteaJobPage matches the page of a job of Gitea's own runners. Its number is the job's id from Gitea 1.26
// on; in older versions it is the job's position in its run.
var giteaJobPage = regexp.MustCompile(`/actions/runs/\d+/jobs/(\d+)$`)

// resolve returns an address as an absolute one. Gitea writes the addresses of its own pages without the
// host.
func resolve(at *Client, address string) string {
	web, err := url.Parse(at.Web)
	if err != nil {
		return address
	}
	to, err := web.Parse(address)
	if err != nil {
		return address
	}
	return to.String()
}

// Log returns the end of a job's log. It is empty for a Gitea older than 1.26 and for Forgejo, where a
// status does not identify its job.
func (r *GiteaRepository) Log(ctx context.Context, c Check) (string, error) {
	if c.ID == "" {
		return "", nil
	}
	var job struct {
		HTML string `json:"html_url"`
	}
	at, id := checkAt(r.client, r.fork, c.ID)
	err := at.Get(ctx, at.At("/actions/jobs/%s", url.PathEscape(id)), &job)
	if err == nil && job.HTML == c.URL {
		var log string
		if log, err = at.Tail(ctx,
			at.At("/actions/jobs/%s/logs", url.PathEscape(id))); err == nil {
			return log, nil
		}
	}
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return "", err
}

// A giteaComment is a comment on a pull request or its code, in Gitea's form.
type giteaComment struct {
	ID   int64 `json:"id"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
	Body    string    `json:"body"`
	Path    string    `json:"path"`
	Line    int       `json:"position"`
	Created time.Time `json:"created_at"`
}

func (c giteaComment) comment(kind string, at time.Time) Comment {
	return Comment{
		ID:    fmt.Sprintf("%s:%d", kind, c.ID),
		Login: c.User.Login,
		Text:  c.Body,
		Path:  c.Path,
		Line:  c.Line,
		At:    at,
	}
}

// A giteaReview is a review in Gitea's form, with the number of its comments on the code.
type giteaReview struct {
	giteaComment
	Submitted time.Time `json:"submitted_at"`
	Count     int       `json:"comments_count"`
}

// Comments returns the comments below the pull request, the texts of its reviews and their comments on the
// code.
func (r *GiteaRepository) Comments(ctx context.Context, number int64) (all []Comment, err error) {
	add := func(kind string, c giteaComment, at time.Time) {
		if strings.TrimSpace(c.Body) != "" {
			all = append(all, c.comment(kind, at))
		}
	}
	below, err := List[giteaComment](ctx, r.client, r.client.At("/issues/%d/comments?limit=50", number))
	if err != nil {
		return nil, err
	}
	for _, c := range below {
		add("comment", c, c.Created)
	}
	reviews, err := List[giteaReview](ctx, r.client, r.client.At("/pulls/%d/reviews?limit=50", number))
	if err != nil {
		return nil, err
	}
	for _, v := range reviews {
		add("review", v.giteaComment, v.Submitted)
		if v.Count == 0 {
			continue
		}
		beside, err := List[giteaComment](ctx, r.client,
			r.client.At("/pulls/%d/reviews/%d/comments?limit=50", number, v.ID))
		if err != nil {
			return nil, err
		}
		for _, c := range beside {
			add("beside", c, c.Created)
		}
	}
	slices.SortFunc(all,
		func(a, b Comment) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// Commits returns the newest commits of a branch. It reads one page and ignores the time, because older
// Giteas do not support since.
func (r *GiteaRepository) Commits(ctx context.Context, branch string, _ time.Time) (all []Commit, err error) {
	var some []struct {
		SHA    string `json:"sha"`
		Commit struct {
			Message string `json:"message"`
		} `json:"commit"`
	}
	err = r.client.Get(ctx, r.client.At("/commits?limit=50&stat=false&verification=false&files=false&sha=%s",
		url.QueryEscape(branch)), &some)
	for _, c := range some {
		all = append(all, Commit{Hash: c.SHA, Message: c.Commit.Message})
	}
	return all, err
}

// Missing sends an invalid request for a pull request, because Gitea checks the right before the content.
// It opens nothing.
func (r *GiteaRepository) Missing(ctx context.Context) (missing []string, err error) {
	var of struct {
		Permissions struct{ Push, Pull bool } `json:"permissions"`
		Pulls       *bool                     `json:"has_pull_requests"`
	}
	if err := r.client.Get(ctx, r.client.At(""), &of); err != nil {
		return nil, err
	}
	if !of.Permissions.Push && r.fork == nil {
		missing = append(missing, "the right to write to the repository")
	}
	if of.Pulls != nil && !*of.Pulls {
		missing = append(missing, "pull requests, which are turned off in the repository's settings")
	}
	if errors.Is(r.client.Send(ctx, http.MethodPost, r.client.At("/pulls"), struct{}{}, nil),
		ErrForbidden) {
		missing = append(missing, "the scope write:repository")
	}
	return missing, nil
}
