package tracker

import (
	"context"
	_ "embed"
	"net/http"
	"net/url"
	"strings"
)

// Linear, by its GraphQL API.
type linear struct{ *Tracker }

// keyIn takes /acme/issue/SHOP-12/a-title, and /issue/SHOP-12 below the url of a workspace.
func (l linear) keyIn(link *url.URL) (Key, bool) {
	parts := strings.Split(link.Path, "/")
	for i, p := range parts[:max(len(parts)-1, 0)] {
		if p != "issue" || i > 1 {
			continue
		}
		if m := jiraKey.FindStringSubmatch(strings.ToUpper(parts[i+1])); m != nil {
			return Key{Project: m[1], ID: m[0], Shown: m[0]}, true
		}
	}
	return Key{}, false
}

func (l linear) keysIn(text string) []Key { return l.keysLike(text, `\d{1,9}`) }

// issueQuery asks for one issue with its newest comments; teamQuery for the team with a key.
var (
	//go:embed linear_issue.graphql
	issueQuery string
	//go:embed linear_team.graphql
	teamQuery string
)

type linearName struct {
	Name string `json:"name"`
}

type linearIssue struct {
	Identifier    string     `json:"identifier"`
	Title         string     `json:"title"`
	Description   string     `json:"description"`
	PriorityLabel string     `json:"priorityLabel"`
	State         linearName `json:"state"`
	Labels        struct {
		Nodes []linearName `json:"nodes"`
	} `json:"labels"`
	Comments struct {
		Nodes []struct {
			Body      string     `json:"body"`
			CreatedAt string     `json:"createdAt"`
			User      linearName `json:"user"`
		} `json:"nodes"`
		PageInfo struct {
			HasPreviousPage bool `json:"hasPreviousPage"`
		} `json:"pageInfo"`
	} `json:"comments"`
}

type linearErrors []struct {
	Message    string `json:"message"`
	Extensions struct {
		Code string `json:"code"`
		Type string `json:"type"`
	} `json:"extensions"`
}

// err returns what the errors of an answer mean; nil if there are none.
func (e linearErrors) err() error {
	if len(e) == 0 {
		return nil
	}
	kind := strings.ToLower(e[0].Extensions.Code + " " + e[0].Extensions.Type)
	switch {
	case strings.Contains(kind, "authentication"):
		return errToken(http.StatusUnauthorized)
	case strings.Contains(kind, "forbidden"), strings.Contains(kind, "feature"):
		return errForbidden(http.StatusForbidden)
	case strings.Contains(kind, "ratelimited"):
		return &Error{
			Reason: "the tracker is asked too often at the moment", Cure: "try again later", Retry: true,
		}
	case strings.Contains(strings.ToLower(e[0].Message), "not found"):
		return errNotThere(http.StatusNotFound)
	}
	return &Error{Reason: "the tracker refuses the question: " + cutLine(e[0].Message)}
}

func (l linear) read(ctx context.Context, key Key) (Issue, error) {
	var got struct {
		Data struct {
			Issue *linearIssue `json:"issue"`
		} `json:"data"`
		Errors linearErrors `json:"errors"`
	}
	question := map[string]any{"query": issueQuery, "variables": map[string]any{"id": key.ID}}
	if err := l.client.post(ctx, question, &got); err != nil {
		return Issue{}, err
	}
	if err := got.Errors.err(); err != nil {
		return Issue{}, err
	}
	found := got.Data.Issue
	if found == nil {
		return Issue{}, errNotThere(http.StatusNotFound)
	}
	if team, _, _ := strings.Cut(found.Identifier, "-"); !strings.EqualFold(team, key.Project) {
		return Issue{}, &Error{Reason: "it was moved to another team, as " + cutLine(found.Identifier)}
	}
	issue := Issue{Shown: key.Shown, Title: found.Title, State: found.State.Name, Body: found.Description}
	for _, label := range found.Labels.Nodes {
		issue.Labels = append(issue.Labels, label.Name)
	}
	issue.addFact("Priority", found.PriorityLabel)
	if found.Comments.PageInfo.HasPreviousPage {
		issue.addFact("Comments", "only the newest were read")
	}
	for _, c := range found.Comments.Nodes {
		issue.Comments = append(issue.Comments, Comment{c.User.Name, c.CreatedAt, c.Body})
	}
	return issue, nil
}

func (l linear) check(ctx context.Context, project string) error {
	var got struct {
		Data struct {
			Teams struct {
				Nodes []struct {
					Key string `json:"key"`
				} `json:"nodes"`
			} `json:"teams"`
		} `json:"data"`
		Errors linearErrors `json:"errors"`
	}
	question := map[string]any{"query": teamQuery, "variables": map[string]any{"key": project}}
	if err := l.client.post(ctx, question, &got); err != nil {
		return err
	}
	if err := got.Errors.err(); err != nil {
		return err
	}
	if len(got.Data.Teams.Nodes) == 0 {
		return errNotThere(http.StatusNotFound)
	}
	return nil
}
