package tracker

import (
	"context"
	"net/url"
	"regexp"
)

// GitHub and GitHub Enterprise, by the REST API.
type github struct{ *Tracker }

var githubLink = regexp.MustCompile(`^([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d{1,9})(?:/|$)`)

// keyIn takes /acme/shop/issues/12. A pull request is an issue, too.
func (g github) keyIn(link *url.URL) (Key, bool) {
	m := githubLink.FindStringSubmatch(link.Path)
	if m == nil {
		return Key{}, false
	}
	project, ok := g.project(m[1])
	return numbered(project, m[2]), ok // others may be links to a repository's own host
}

func (g github) keysIn(text string) []Key { return g.numbersLike(text) }

type githubUser struct {
	Login string `json:"login"`
}

type githubIssue struct {
	Title       string `json:"title"`
	State       string `json:"state"`
	StateReason string `json:"state_reason"`
	Body        string `json:"body"`
	Comments    int    `json:"comments"`
	Labels      []struct {
		Name string `json:"name"`
	} `json:"labels"`
}

func (g github) read(ctx context.Context, key Key) (Issue, error) {
	var got githubIssue
	at := "/repos/" + key.Project + "/issues/" + key.ID
	if err := g.client.get(ctx, at, &got); err != nil {
		return Issue{}, err
	}
	issue := Issue{
		Shown: key.Shown, Title: got.Title, State: got.State, Body: got.Body, Count: got.Comments,
	}
	issue.addFact("Reason", got.StateReason)
	for _, l := range got.Labels {
		issue.Labels = append(issue.Labels, l.Name)
	}
	if got.Comments == 0 {
		return issue, nil
	}
	var comments []struct {
		User      githubUser `json:"user"`
		Body      string     `json:"body"`
		CreatedAt string     `json:"created_at"`
	}
	last := (got.Comments-1)/githubPage + 1 // the oldest are first
	if err := g.client.get(ctx, at+pageQuery(githubPage, last), &comments); err != nil {
		return Issue{}, err
	}
	for _, c := range comments {
		issue.Comments = append(issue.Comments, Comment{c.User.Login, c.CreatedAt, c.Body})
	}
	return issue, nil
}

// githubPage is how many comments a page has.
const githubPage = 50

func (g github) check(ctx context.Context, project string) error {
	var got struct{}
	return g.client.get(ctx, "/repos/"+project, &got)
}
