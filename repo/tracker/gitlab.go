package tracker

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
)

// GitLab, by version 4 of its API.
type gitlab struct{ *Tracker }

var gitlabLink = regexp.MustCompile(`^([\w.-]+(?:/[\w.-]+){1,20})/-/(?:issues|work_items)/(\d{1,9})(?:/|$)`)

// keyIn takes /acme/team/shop/-/issues/12.
func (g gitlab) keyIn(link *url.URL) (Key, bool) {
	m := gitlabLink.FindStringSubmatch(link.Path)
	if m == nil {
		return Key{}, false
	}
	project, ok := g.project(m[1])
	return numbered(project, m[2]), ok // others may be links to a repository's own host
}

func (g gitlab) keysIn(text string) []Key { return g.numbersLike(text) }

func (g gitlab) read(ctx context.Context, key Key) (Issue, error) {
	var got struct {
		Title       string   `json:"title"`
		State       string   `json:"state"`
		Description string   `json:"description"`
		Labels      []string `json:"labels"`
		Notes       int      `json:"user_notes_count"`
		// only for some of the project's members
		Confidential bool `json:"confidential"`
	}
	at := "/projects/" + url.PathEscape(key.Project) + "/issues/" + key.ID
	if err := g.client.get(ctx, at, &got); err != nil {
		return Issue{}, err
	}
	if got.Confidential {
		return Issue{}, &Error{Reason: "it is confidential there"}
	}
	issue := Issue{
		Shown: key.Shown, Title: got.Title, State: got.State, Labels: got.Labels, Body: got.Description,
		Count: got.Notes,
	}
	if got.Notes == 0 {
		return issue, nil
	}
	var notes []struct {
		Body   string `json:"body"`
		System bool   `json:"system"`
		// only for some of the project's members; older versions call that confidential
		Internal     bool   `json:"internal"`
		Confidential bool   `json:"confidential"`
		CreatedAt    string `json:"created_at"`
		Author       struct {
			Username string `json:"username"`
		} `json:"author"`
	}
	if err := g.client.get(ctx, at+"/notes?sort=desc&order_by=created_at&per_page=50", &notes); err != nil {
		return Issue{}, err
	}
	for _, n := range slices.Backward(notes) {
		if !n.System && !n.Internal && !n.Confidential {
			issue.Comments = append(issue.Comments, Comment{n.Author.Username, n.CreatedAt, n.Body})
		}
	}
	return issue, nil
}

func (g gitlab) check(ctx context.Context, project string) error {
	var got struct{}
	return g.client.get(ctx, "/projects/"+url.PathEscape(project), &got)
}

// pageQuery returns the path of one page of comments.
func pageQuery(size, page int) string {
	return fmt.Sprintf("/comments?per_page=%d&page=%d", size, page)
}
