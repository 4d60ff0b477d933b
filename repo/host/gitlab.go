package host

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A GitLabProject is one project at a GitLab. It implements Host.
type GitLabProject struct {
	client *Client
	fork   *Client // nil: branches are pushed to the project itself
}

// GitLabConfig holds the addresses and the token of a GitLabProject.
type GitLabConfig struct {
	API  string // https://gitlab.com/api/v4
	Web  string // https://gitlab.com/acme/shop
	Path string // acme/shop, with any number of groups
	// Fork is the path of the fork to which branches are pushed, and ForkWeb its page; empty: the project
	// itself.
	Fork, ForkWeb string
	// ForkToken returns the credential for the fork. If it is nil, Token does.
	ForkToken func(ctx context.Context, write bool) (remote.Credential, error)
	// Token returns the credential for a request. write means that the request changes something.
	Token func(ctx context.Context, write bool) (remote.Credential, error)
}

// GitLabRights is what a token needs, in words.
const GitLabRights = "the scope api, and the role Developer in the project"

// NewGitLab returns a Project.
func NewGitLab(cfg GitLabConfig) *GitLabProject {
	p := &GitLabProject{client: newGitLabClient(cfg)}
	if cfg.Fork != "" {
		fork := cfg
		fork.Path = cfg.Fork
		fork.Web = cfg.ForkWeb
		if cfg.ForkToken != nil {
			fork.Token = cfg.ForkToken
		}
		p.fork = newGitLabClient(fork)
	}
	return p
}

func newGitLabClient(cfg GitLabConfig) *Client {
	return &Client{
		API:        strings.TrimSuffix(cfg.API, "/"),
		Name:       "GitLab",
		Repository: cfg.Path,
		Root:       "/projects/" + url.PathEscape(cfg.Path),
		Web:        cfg.Web,
		Rights:     GitLabRights,
		Accept:     "application/json",
		Sign: func(ctx context.Context, r *http.Request, write bool) (remote.Credential, error) {
			t, err := cfg.Token(ctx, write)
			r.Header.Set("PRIVATE-TOKEN", string(t.Password))
			return t, err
		},
	}
}

// A gitLabMergeRequest is a merge request in GitLab's form.
type gitLabMergeRequest struct {
	IID    int64  `json:"iid"`
	Web    string `json:"web_url"`
	State  string `json:"state"`
	Draft  bool   `json:"draft"`
	Body   string `json:"description"`
	SHA    string `json:"sha"`
	Merge  string `json:"merge_commit_sha"`
	Squash string `json:"squash_commit_sha"`
	Source int64  `json:"source_project_id"`
	Target int64  `json:"target_project_id"`
	// since GitLab 15.6; older ones have merge_status
	Status    string `json:"detailed_merge_status"`
	OldStatus string `json:"merge_status"`
	Conflicts bool   `json:"has_conflicts"`
	Into      string `json:"target_branch"`

	Labels    []string     `json:"labels"`
	Assignees []gitLabUser `json:"assignees"`
	Reviewers []gitLabUser `json:"reviewers"`
}

type gitLabUser struct {
	Username string `json:"username"`
}

func logins(users []gitLabUser) (list []string) {
	for _, u := range users {
		list = append(list, u.Username)
	}
	return list
}

// merges returns what GitLab knows of conflicts. While it has not looked again, has_conflicts may be of an
// earlier commit.
func (m gitLabMergeRequest) merges() Mergeability {
	switch cmp.Or(m.Status, m.OldStatus) {
	case "", "checking", "unchecked", "preparing", "approvals_syncing", "cannot_be_merged_recheck",
		"cannot_be_merged_rechecking":
		return MergeUnknown
	case "conflict", "broken_status", "cannot_be_merged":
		if m.Conflicts || m.Status == "conflict" {
			return MergeConflicts
		}
		return MergeUnknown
	}
	if m.Conflicts {
		return MergeConflicts
	}
	return MergeClean // what else keeps it from being merged, such as a missing approval, is no conflict
}

func (p *GitLabProject) read(m gitLabMergeRequest) PullRequest {
	out := PullRequest{
		Number: m.IID,
		URL:    p.client.Page(m.Web),
		Draft:  m.Draft,
		Body:   m.Body,
		Head:   m.SHA,
		Base:   m.Into,
		State:  Open,

		Labels:    slices.Concat(m.Labels),
		Assignees: logins(m.Assignees),
		Reviewers: logins(m.Reviewers),
	}
	switch m.State {
	case "merged":
		out.State = Merged
		out.Merged = m.SHA
		for _, commit := range []string{m.Squash, m.Merge} {
			if commit != "" {
				out.Merged = commit
			}
		}
	case "closed":
		out.State = Closed
	}
	return out
}

// Find returns the newest merge request of a branch of the project, or nil. GitLab also lists those of
// branches with the same name in forks of others.
func (p *GitLabProject) Find(ctx context.Context, branch string) (*PullRequest, error) {
	all, err := List[gitLabMergeRequest](ctx, p.client,
		p.client.At("/merge_requests?state=all&order_by=created_at&sort=desc&per_page=100&source_branch=%s",
			url.QueryEscape(branch)))
	if err != nil {
		return nil, err
	}
	fork, err := p.forkID(ctx)
	all = slices.DeleteFunc(all,
		func(m gitLabMergeRequest) bool { return m.Source != cmp.Or(fork, m.Target) })
	if err != nil || len(all) == 0 {
		return nil, err
	}
	found := p.read(all[0])
	return &found, nil
}

// Open opens a merge request. GitLab marks drafts by a prefix of the title.
func (p *GitLabProject) Open(ctx context.Context, o Opening) (PullRequest, error) {
	title := o.Title
	if o.Draft {
		title = "Draft: " + title
	}
	asked := map[string]any{
		"source_branch": o.Branch, "target_branch": o.Base, "title": title, "description": o.Body,
	}
	at := p.client
	if p.fork != nil { // the fork is asked, for a request into the project
		var own gitLabAbout
		if err := p.client.Get(ctx, p.client.At(""), &own); err != nil {
			return PullRequest{}, err
		}
		asked["target_project_id"] = own.ID
		at = p.fork
	}
	var m gitLabMergeRequest
	err := at.Send(ctx, http.MethodPost, at.At("/merge_requests"), asked, &m)
	return p.read(m), err
}

// Look returns the current state of a merge request.
func (p *GitLabProject) Look(ctx context.Context, number int64) (PullRequest, error) {
	var m gitLabMergeRequest
	err := p.client.Get(ctx, p.client.At("/merge_requests/%d", number), &m)
	out := p.read(m)
	if out.State == Open {
		out.Merges = m.merges()
	}
	return out, err
}

// Reword replaces the text of a merge request.
func (p *GitLabProject) Reword(ctx context.Context, number int64, body string) error {
	return p.client.Send(ctx, http.MethodPut, p.client.At("/merge_requests/%d", number),
		map[string]any{"description": body}, nil)
}

// A gitLabStatus is a job of a pipeline, or a status that another service reported for a commit.
type gitLabStatus struct {
	ID      int64  `json:"id"`
	Commit  string `json:"sha"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Target  string `json:"target_url"`
	Words   string `json:"description"`
	MayFail bool   `json:"allow_failure"`
}

// Checks returns the commit's jobs and statuses, also those in the fork.
func (p *GitLabProject) Checks(ctx context.Context, commit string) (all []Check, err error) {
	read := func(at *Client) ([]Check, error) { return p.checksAt(ctx, at, commit) }
	all, err = read(p.client)
	return withForkChecks(all, err, p.fork, read)
}

func (p *GitLabProject) checksAt(ctx context.Context, at *Client, commit string) (all []Check, err error) {
	some, err := List[gitLabStatus](ctx, at,
		at.At("/repository/commits/%s/statuses?per_page=100", url.PathEscape(commit)))
	for _, s := range some {
		if isOther(s.Commit, commit) {
			continue
		}
		all = append(all, p.check(at, s))
	}
	return all, err
}

// check returns a job or status in the form of all hosts.
func (p *GitLabProject) check(at *Client, s gitLabStatus) Check {
	c := Check{
		ID:      checkID(at == p.fork, s.ID),
		Name:    s.Name,
		State:   Passed,
		URL:     at.Page(s.Target),
		Summary: s.Words,
	}
	switch {
	case s.Status == "failed" && !s.MayFail:
		c.State = Failed
	case slices.Contains([]string{"created", "waiting_for_resource", "preparing", "pending", "running"},
		s.Status):
		c.State = Pending
	case s.Status == "manual" && !s.MayFail: // the pipeline stops there
		c.State = Held
	case s.Status == "failed":
		c.Inconclusive = "failed, which it may"
	case s.Status != "success":
		c.Inconclusive = s.Status
	}
	return c
}

// Log returns the end of a job's log.
func (p *GitLabProject) Log(ctx context.Context, c Check) (string, error) {
	at, id := checkAt(p.client, p.fork, c.ID)
	return at.Tail(ctx, at.At("/jobs/%s/trace", url.PathEscape(id)))
}

// A gitLabNote is a comment in GitLab's form.
type gitLabNote struct {
	ID     int64  `json:"id"`
	Body   string `json:"body"`
	System bool   `json:"system"`
	// only some of those who may read the project may read it; older versions call that confidential
	Internal     bool `json:"internal"`
	Confidential bool `json:"confidential"`
	Author       struct {
		Username string `json:"username"`
		Bot      bool   `json:"bot"`
	} `json:"author"`
	Created  time.Time `json:"created_at"`
	Position struct {
		Path string `json:"new_path"`
		Line int    `json:"new_line"`
	} `json:"position"`
}

// botName reports whether login is the name of a user that GitLab makes for a project or group token.
func botName(login string) bool {
	return strings.HasPrefix(login, "project_") && strings.Contains(login, "_bot") ||
		strings.HasPrefix(login, "group_") && strings.Contains(login, "_bot")
}

// Comments returns the notes that people and programs wrote, without GitLab's own system notes.
func (p *GitLabProject) Comments(ctx context.Context, number int64) (all []Comment, err error) {
	notes, err := List[gitLabNote](ctx, p.client,
		p.client.At("/merge_requests/%d/notes?sort=asc&order_by=created_at&per_page=100", number))
	for _, n := range notes {
		if !n.System && strings.TrimSpace(n.Body) != "" {
			all = append(all, n.comment())
		}
	}
	return all, err
}

// Commits returns the newest commits of a branch.
func (p *GitLabProject) Commits(
	ctx context.Context, branch string, since time.Time,
) (all []Commit, err error) {
	some, err := List[struct {
		ID      string `json:"id"`
		Message string `json:"message"`
	}](ctx, p.client, p.client.At("/repository/commits?per_page=100&ref_name=%s&since=%s",
		url.QueryEscape(branch), since.UTC().Format(time.RFC3339)))
	for _, c := range some {
		all = append(all, Commit{Hash: c.ID, Message: c.Message})
	}
	return all, err
}

// gitLabDeveloper is the lowest role that may push branches and open merge requests.
const gitLabDeveloper = 30

// Missing reads the token's scopes and its role in the project.
func (p *GitLabProject) Missing(ctx context.Context) (missing []string, err error) {
	var of struct {
		Permissions struct {
			Project *struct {
				Level int `json:"access_level"`
			} `json:"project_access"`
			Group *struct {
				Level int `json:"access_level"`
			} `json:"group_access"`
		} `json:"permissions"`
	}
	if err := p.client.Get(ctx, p.client.At(""), &of); err != nil {
		return nil, err
	}
	level := 0
	if of.Permissions.Project != nil {
		level = of.Permissions.Project.Level
	}
	if of.Permissions.Group != nil {
		level = max(level, of.Permissions.Group.Level)
	}
	if level < gitLabDeveloper && p.fork == nil { // else the fork's credential opens them
		missing = append(missing, "the role Developer in the project")
	}
	var token struct {
		Scopes []string `json:"scopes"`
	}
	// Some versions do not show the scopes of a project or group token; then they stay unchecked.
	if p.client.Get(ctx, "/personal_access_tokens/self", &token) == nil &&
		!slices.Contains(token.Scopes, "api") {
		missing = append(missing, "the scope api")
	}
	if p.fork != nil && p.fork.Get(ctx, "/personal_access_tokens/self", &token) == nil &&
		!slices.Contains(token.Scopes, "api") && len(missing) == 0 {
		missing = append(missing, "the scope api of the fork's token")
	}
	return missing, nil
}
