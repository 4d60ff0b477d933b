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
	author     authorCache
	issues     *Client                                     // with the credential for issues
	fork       *Client                                     // to which branches are pushed; may be nil
	owner      string                                      // of the repository to which branches are pushed
	commits    *Client                                     // with the credential for commits
	forkName   string                                      // of a fork with the same owner; else empty
	missing    func(ctx context.Context) ([]string, error) // nil: GitHub is asked
	unreadable func(ctx context.Context) ([]string, error) // nil: GitHub is asked
	unfilable  func(ctx context.Context) ([]string, error) // nil: GitHub is asked
}

// GitHubConfig holds the addresses and the token of a GitHubRepository.
type GitHubConfig struct {
	API         string // https://api.github.com
	Web         string // https://github.com/acme/shop
	Owner, Name string
	// ForkOwner and ForkName are the fork to which branches are pushed; empty: the repository itself.
	ForkOwner, ForkName string
	ForkWeb             string // https://github.com/acme-bot/shop
	// ForkToken returns the credential for the fork. If it is nil, Token does.
	ForkToken func(ctx context.Context, write bool) (remote.Credential, error)
	// Token returns the credential for a request. write means that the request changes something.
	Token func(ctx context.Context, write bool) (remote.Credential, error)
	// IssueToken returns the credential for reading and filing issues. If it is nil, Token does.
	IssueToken func(ctx context.Context, write bool) (remote.Credential, error)
	// CommitToken returns the credential for making commits where branches are pushed. If it is nil, Token or
	// ForkToken does.
	CommitToken func(ctx context.Context) (remote.Credential, error)
	// Missing returns the rights that the credential is known to lack. If it is nil, GitHub is asked.
	Missing func(ctx context.Context) ([]string, error)
	// Unreadable returns the rights to read that the credential is known to lack. If it is nil, GitHub is
	// asked.
	Unreadable func(ctx context.Context) ([]string, error)
	// Unfilable returns the rights to file issues that the credential is known to lack. If it is nil, GitHub
	// is asked.
	Unfilable func(ctx context.Context) ([]string, error)
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
		unfilable:  cfg.Unfilable,
	}
	if cfg.ForkName != "" {
		fork := cfg.forPushes()
		r.fork = newGitHubClient(*fork, fork.Token)
		r.owner = cfg.ForkOwner
		if strings.EqualFold(cfg.ForkOwner, cfg.Owner) {
			r.forkName = cfg.ForkName
		}
	}
	r.commits = r.pushed()
	if cfg.CommitToken != nil {
		own := *cfg.forPushes()
		r.commits = newGitHubClient(own, func(ctx context.Context, _ bool) (remote.Credential, error) {
			return cfg.CommitToken(ctx)
		})
	}
	r.issues = r.client
	if cfg.IssueToken != nil {
		r.issues = newGitHubClient(cfg, cfg.IssueToken)
	}
	return r
}

// forPushes returns the settings of the repository to which branches are pushed.
func (cfg GitHubConfig) forPushes() *GitHubConfig {
	if cfg.ForkName != "" {
		cfg.Owner = cfg.ForkOwner
		cfg.Name = cfg.ForkName
		cfg.Web = cfg.ForkWeb
		if cfg.ForkToken != nil {
			cfg.Token = cfg.ForkToken
		}
	}
	return &cfg
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
	Base      struct {
		Ref string `json:"ref"`
	} `json:"base"`
	Head struct {
		Ref  string `json:"ref"`
		SHA  string `json:"sha"`
		Repo named  `json:"repo"`
	} `json:"head"`
	hostPapers
	Teams []struct {
		Slug string `json:"slug"`
	} `json:"requested_teams"`
}

// hostPapers are the names on a pull request in GitHub's form, which Gitea has, too.
type hostPapers struct {
	Labels    []gitHubLabel `json:"labels"`
	Assignees []hostUser    `json:"assignees"`
	Reviewers []hostUser    `json:"requested_reviewers"`
}

type hostUser struct {
	Login string `json:"login"`
}

// put sets the names of a pull request.
func (h hostPapers) put(p *PullRequest) {
	for _, l := range h.Labels {
		p.Labels = append(p.Labels, l.Name)
	}
	for _, u := range h.Assignees {
		p.Assignees = append(p.Assignees, u.Login)
	}
	for _, u := range h.Reviewers {
		p.Reviewers = append(p.Reviewers, u.Login)
	}
}

func (r *GitHubRepository) read(p gitHubPull) PullRequest {
	out := PullRequest{
		Number: p.Number,
		URL:    r.client.Page(p.HTML),
		Draft:  p.Draft,
		Body:   p.Body,
		Head:   p.Head.SHA,
		Base:   p.Base.Ref,
		State:  Open,
	}
	p.put(&out)
	for _, t := range p.Teams {
		out.Reviewers = append(out.Reviewers, r.owner+"/"+t.Slug)
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

// Find returns the newest pull request of a branch of the repository to which branches are pushed, or nil.
func (r *GitHubRepository) Find(ctx context.Context, branch string) (*PullRequest, error) {
	all, err := List[gitHubPull](ctx, r.client,
		r.client.At("/pulls?state=all&per_page=100&head=%s", url.QueryEscape(r.owner+":"+branch)))
	if err != nil {
		return nil, err
	}
	// GitHub returns all pull requests if it does not understand head.
	all = slices.DeleteFunc(all, func(p gitHubPull) bool {
		return p.Head.Ref != branch ||
			r.fork != nil && !strings.EqualFold(p.Head.Repo.Name, r.fork.Repository)
	})
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
	if r.fork != nil {
		asked["head"] = r.owner + ":" + o.Branch
	}
	if r.forkName != "" {
		asked["head_repo"] = r.forkName
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

// Checks returns the commit's check runs and statuses, also those in the fork.
func (r *GitHubRepository) Checks(ctx context.Context, commit string) (all []Check, err error) {
	read := func(at *Client) ([]Check, error) { return r.checksAt(ctx, at, commit) }
	all, err = read(r.client)
	return withForkChecks(all, err, r.fork, read)
}

// withForkChecks returns the checks of the repository and those of the fork, as which a branch without a pull
// request has its own. Either of the two may not know the commit.
func withForkChecks(
	all []Check, err error, fork *Client, read func(*Client) ([]Check, error),
) ([]Check, error) {
	if fork == nil || err != nil && !isUnknownCommit(err) {
		return all, err
	}
	more, failed := read(fork)
	if err != nil && failed != nil {
		return nil, err
	}
	if failed != nil && !isUnknownCommit(failed) {
		return all, failed
	}
	return append(all, more...), nil
}

// ofFork begins the id of a check that the fork has.
const ofFork = "fork:"

func checkID(fork bool, id int64) string {
	if fork {
		return ofFork + strconv.FormatInt(id, 10)
	}
	return strconv.FormatInt(id, 10)
}

// checkAt returns the repository that has a check, and the check's id there.
func checkAt(repository, fork *Client, id string) (*Client, string) {
	if own, is := strings.CutPrefix(id, ofFork); is && fork != nil {
		return fork, own
	}
	return repository, id
}

// isUnknownCommit reports whether a host may have refused because it does not know a commit.
func isUnknownCommit(err error) bool {
	var refused *remote.Error
	return errors.As(err, &refused) && !refused.Retry
}

func (r *GitHubRepository) checksAt(ctx context.Context, at *Client, commit string) (all []Check, err error) {
	err = at.Pages(ctx, at.At("/commits/%s/check-runs?per_page=100",
		url.PathEscape(commit)), func(page []byte) error {
		var some struct {
			Runs []gitHubCheckRun `json:"check_runs"`
		}
		err := json.Unmarshal(page, &some)
		for _, run := range some.Runs {
			if isOther(run.Commit, commit) {
				continue
			}
			c := Check{Name: run.Name, URL: at.Page(run.HTML), Summary: run.Output.Title}
			if run.App.Slug == "github-actions" { // its jobs have the same ids as their check runs
				c.ID = checkID(at == r.fork, run.ID)
			}
			c.State, c.Inconclusive = checkState(run.Status, run.Conclusion)
			all = append(all, c)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = at.Pages(ctx, at.At("/commits/%s/status?per_page=100",
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
				URL:     at.Page(s.Target),
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
	if err != nil {
		return all, err
	}
	held, err := r.heldRuns(ctx, commit)
	return append(all, held...), err
}

// heldRuns returns the workflow runs of a commit that wait for a person, as checks: such a run has no jobs,
// or none that began. A credential that may not read runs gets none.
func (r *GitHubRepository) heldRuns(ctx context.Context, commit string) (held []Check, err error) {
	var some struct {
		Runs []gitHubRun `json:"workflow_runs"`
	}
	err = r.client.Get(ctx,
		r.client.At("/actions/runs?per_page=100&head_sha=%s", url.QueryEscape(commit)), &some)
	if errors.Is(err, ErrForbidden) || errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	for _, g := range some.Runs {
		if !isOther(g.Commit, commit) && checkHeld(g.Status, g.Conclusion) {
			held = append(held, Check{Name: g.run().Name, State: Held, URL: r.client.Page(g.HTML)})
		}
	}
	return held, err
}

// isOther reports whether a host's answer about a commit names another one.
func isOther(named, commit string) bool { return named != "" && named != commit }

// Log returns the end of a job's log.
func (r *GitHubRepository) Log(ctx context.Context, c Check) (string, error) {
	if c.ID == "" {
		return "", nil
	}
	at, id := checkAt(r.client, r.fork, c.ID)
	return at.Tail(ctx, at.At("/actions/jobs/%s/logs", url.PathEscape(id)))
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
