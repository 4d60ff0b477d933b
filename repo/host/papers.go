package host

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A Paper is a kind of name that a pull request has besides its text.
type Paper string

// The kinds of Paper.
const (
	Labels    Paper = "labels"
	Assignees Paper = "assignees" // logins
	Reviewers Paper = "reviewers" // logins, and teams as acme/money
)

// Names returns the names of that kind that the pull request has.
func (p PullRequest) Names(of Paper) []string {
	switch of {
	case Labels:
		return p.Labels
	case Assignees:
		return p.Assignees
	}
	return p.Reviewers
}

// Lacking returns the names of that kind that the pull request does not have.
func (p PullRequest) Lacking(of Paper, names []string) (left []string) {
	for _, name := range names {
		if !slices.ContainsFunc(p.Names(of), func(o string) bool { return strings.EqualFold(o, name) }) {
			left = append(left, name)
		}
	}
	return left
}

// teamOf returns the team if the name is one of a team, acme/money, and not of a person.
func teamOf(name string) (team string, ok bool) {
	_, team, ok = strings.Cut(name, "/")
	return team, ok
}

// isUnfit reports whether a host refused what it was sent, and not who sent it.
func isUnfit(err error) bool {
	var refused *remote.Error
	return errors.As(err, &refused) && !refused.Retry && !errors.Is(err, ErrForbidden)
}

// putEach calls put with all names, and with each alone if the host refuses them together. It returns the
// names that were not taken.
func putEach(names []string, put func(names []string) error) (left []string, err error) {
	err = put(names)
	switch {
	case !isUnfit(err):
		return nil, err
	case len(names) == 1:
		return names, nil
	}
	for _, name := range names {
		switch err := put([]string{name}); {
		case isUnfit(err):
			left = append(left, name)
		case err != nil:
			return left, err
		}
	}
	return left, nil
}

// Put adds labels to a pull request, or asks people. GitHub makes labels that do not exist.
func (r *GitHubRepository) Put(
	ctx context.Context, number int64, of Paper, names []string,
) (left []string, err error) {
	left, err = putEach(names, func(names []string) error {
		switch of {
		case Labels, Assignees:
			return r.client.Send(ctx, http.MethodPost, r.client.At("/issues/%d/%s", number, of),
				map[string]any{string(of): names}, nil)
		}
		return r.client.askReviewers(ctx, number, names)
	})
	if err != nil || of != Assignees {
		return left, err
	}
	p, err := r.Look(ctx, number) // GitHub leaves out in silence whom it cannot assign
	return p.Lacking(of, names), err
}

// askReviewers asks people and teams at GitHub or Gitea to review a pull request.
func (c *Client) askReviewers(ctx context.Context, number int64, names []string) error {
	asked := map[string][]string{}
	for _, name := range names {
		if team, ok := teamOf(name); ok {
			asked["team_reviewers"] = append(asked["team_reviewers"], team)
		} else {
			asked["reviewers"] = append(asked["reviewers"], name)
		}
	}
	return c.Send(ctx, http.MethodPost, c.At("/pulls/%d/requested_reviewers", number), asked, nil)
}

// Put adds labels to a merge request, or asks people, besides those that it has.
func (p *GitLabProject) Put(
	ctx context.Context, number int64, of Paper, names []string,
) (left []string, err error) {
	asked := map[string]any{"add_labels": strings.Join(names, ",")}
	if of != Labels {
		there, err := p.Look(ctx, number)
		if err != nil {
			return nil, err
		}
		var ids []int64
		for _, name := range slices.Concat(there.Names(of), names) {
			switch id, err := p.userID(ctx, name); {
			case err != nil:
				return nil, err
			case id != 0:
				ids = append(ids, id)
			}
		}
		asked = map[string]any{strings.TrimSuffix(string(of), "s") + "_ids": ids}
	}
	var m gitLabMergeRequest
	err = p.client.Send(ctx, http.MethodPut, p.client.At("/merge_requests/%d", number), asked, &m)
	if isUnfit(err) {
		return names, nil
	}
	return p.read(m).Lacking(of, names), err
}

// userID returns the id of the person with that login, or 0 if there is none.
func (p *GitLabProject) userID(ctx context.Context, login string) (int64, error) {
	var found []struct {
		ID       int64  `json:"id"`
		Username string `json:"username"`
	}
	if err := p.client.Get(ctx, "/users?username="+url.QueryEscape(login), &found); err != nil {
		return 0, err
	}
	for _, u := range found {
		if strings.EqualFold(u.Username, login) {
			return u.ID, nil
		}
	}
	return 0, nil
}

// Put adds labels to a pull request, or asks people, besides those that it has. Labels have to exist.
func (r *GiteaRepository) Put(
	ctx context.Context, number int64, of Paper, names []string,
) (left []string, err error) {
	if of == Reviewers {
		return putEach(names, func(names []string) error {
			return r.client.askReviewers(ctx, number, names)
		})
	}
	there, err := r.Look(ctx, number)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(there.Names(of), there.Lacking(of, names))
	asked := map[string]any{string(of): all}
	if of == Labels {
		ids, err := r.labelIDs(ctx, all)
		if err != nil {
			return nil, err
		}
		asked = map[string]any{string(of): ids}
	}
	put := func(asked map[string]any) (PullRequest, error) {
		var p giteaPull
		err := r.client.Send(ctx, http.MethodPatch, r.client.At("/pulls/%d", number), asked, &p)
		return r.read(p), err
	}
	p, err := put(asked)
	if of == Assignees && isUnfit(err) { // it names somebody who cannot be assigned
		p = there
		for _, name := range there.Lacking(of, names) {
			one, err := put(map[string]any{string(of): append(slices.Clone(p.Assignees), name)})
			switch {
			case err == nil:
				p = one
			case !isUnfit(err):
				return nil, err
			}
		}
		err = nil
	}
	return p.Lacking(of, names), err
}

// labelIDs returns the ids of the labels with these names, of the repository or its organization, as far as
// they exist.
func (r *GiteaRepository) labelIDs(ctx context.Context, names []string) (ids []int64, err error) {
	type label struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}
	known, err := List[label](ctx, r.client, r.client.At("/labels?limit=50"))
	if err != nil {
		return nil, err
	}
	owner, _, _ := strings.Cut(r.client.Repository, "/")
	// the owner may be a person, who has none
	shared, err := List[label](ctx, r.client, "/orgs/"+url.PathEscape(owner)+"/labels?limit=50")
	if err == nil {
		known = append(known, shared...)
	}
	ids = []int64{}
	for _, name := range names {
		i := slices.IndexFunc(known, func(l label) bool { return strings.EqualFold(l.Name, name) })
		if i >= 0 {
			ids = append(ids, known[i].ID)
		}
	}
	return ids, nil
}

// LackingFor sends an invalid request for a label, because GitHub checks the right before the content, and
// asks whether people can be assigned.
func (r *GitHubRepository) LackingFor(
	ctx context.Context, labels, people []string,
) (lacks []string, err error) {
	if len(labels) > 0 && r.missing == nil { // an App's right to pull requests suffices
		err := r.client.Send(ctx, http.MethodPost, r.client.At("/issues/0/labels"), struct{}{}, nil)
		if errors.Is(err, ErrForbidden) {
			lacks = append(lacks, "Pull requests: write or Issues: write, to set labels")
		}
	}
	return lackingAssignees(ctx, r.client, lacks, people)
}

// lackingAssignees adds the people who cannot be assigned, by a client for a host with GitHub's API.
func lackingAssignees(ctx context.Context, c *Client, lacks, people []string) ([]string, error) {
	if len(people) == 0 {
		return lacks, nil
	}
	there, err := List[hostUser](ctx, c, c.At("/assignees?per_page=100&limit=50"))
	if errors.Is(err, ErrForbidden) { // an App may be allowed to assign people, and not to list them
		return lacks, nil
	}
	if err != nil {
		return nil, err
	}
	return lackingEach(lacks, people, func(login string) (bool, error) {
		return slices.ContainsFunc(there,
			func(u hostUser) bool { return strings.EqualFold(u.Login, login) }), nil
	})
}

// lackingEach adds the people whom a host does not know in a repository, as has says.
func lackingEach(lacks, people []string, has func(login string) (bool, error)) ([]string, error) {
	for _, login := range people {
		if _, team := teamOf(login); team {
			continue
		}
		known, err := has(login)
		if err != nil {
			return nil, err
		}
		if !known {
			lacks = append(lacks, "somebody with the login "+login+" who may read the repository")
		}
	}
	return lacks, nil
}

// LackingFor asks whether there are people of these logins. GitLab makes labels that do not exist.
func (p *GitLabProject) LackingFor(ctx context.Context, _, people []string) (lacks []string, err error) {
	return lackingEach(nil, people, func(login string) (bool, error) {
		id, err := p.userID(ctx, login)
		return id != 0, err
	})
}

// LackingFor asks whether the labels exist, and whether the people can be assigned.
func (r *GiteaRepository) LackingFor(
	ctx context.Context, labels, people []string,
) (lacks []string, err error) {
	for _, label := range labels {
		ids, err := r.labelIDs(ctx, []string{label})
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			lacks = append(lacks, "a label "+label)
		}
	}
	return lackingAssignees(ctx, r.client, lacks, people)
}
