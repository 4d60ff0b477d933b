package host

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A FiledIssue is an issue that the bot filed.
type FiledIssue struct {
	Number int64
	URL    string // its page; empty if the host returned an address outside the repository's pages
}

// RightsToFile returns what a credential needs to file an issue at a kind of host, in words.
func RightsToFile(kind string) string {
	switch kind {
	case GitLab:
		return "the scope api and the role Guest"
	case Gitea:
		return "the scope write:issue"
	}
	return "the permission Issues: Read and write"
}

const (
	// maxFindPages is how many pages of issues FindIssue reads, newest first.
	maxFindPages = 3
	// clockSkew is how far the clocks of a host and of this machine may be apart.
	clockSkew = time.Hour
)

// file sends a new issue and reads the answer into out.
func file(ctx context.Context, c *Client, kind string, issue map[string]any, out any) error {
	return cureOfFiling(c.Send(ctx, http.MethodPost, c.At("/issues"), issue, out), kind)
}

// cureOfFiling returns the error with the right that filing an issue needs as its cure, if it is about a
// right.
func cureOfFiling(err error, kind string) error {
	var refused *remote.Error
	if errors.As(err, &refused) && (errors.Is(err, ErrForbidden) || errors.Is(err, ErrNotFound)) {
		cured := *refused
		cured.Cure = "To file issues it needs " + RightsToFile(kind)
		return &cured
	}
	return err
}

// unfilable returns the right to file issues in a list if the host refuses an issue without a title for want
// of that right, and an empty list if it refuses the issue for want of the title. Nothing is filed.
func unfilable(ctx context.Context, c *Client, kind string) (missing []string, err error) {
	err = c.Send(ctx, http.MethodPost, c.At("/issues"), struct{}{}, nil)
	var refused *remote.Error
	switch {
	case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
		return []string{RightsToFile(kind)}, nil
	case errors.As(err, &refused) && refused.Retry, err != nil && refused == nil:
		return nil, err
	}
	return nil, nil
}

// A listedIssue is an issue in a list of GitHub, Gitea or GitLab.
type listedIssue struct {
	Number      int64     `json:"number"`
	IID         int64     `json:"iid"`
	Body        string    `json:"body"`
	Description string    `json:"description"`
	HTML        string    `json:"html_url"`
	Web         string    `json:"web_url"`
	Pull        *struct{} `json:"pull_request"`
}

// filed returns the issue, with its address if that is below the repository's page.
func (i listedIssue) filed(c *Client) FiledIssue {
	return FiledIssue{Number: i.Number + i.IID, URL: c.Page(i.HTML + i.Web)}
}

// findIssue returns the issue of a list, newest first, whose text holds mark, or nil.
func findIssue(ctx context.Context, c *Client, query, mark string) (*FiledIssue, error) {
	var found *FiledIssue
	err := c.somePages(ctx, c.At("/issues?%s", query), maxFindPages, func(page []byte) error {
		var some []listedIssue
		if err := json.Unmarshal(page, &some); err != nil {
			return err
		}
		for _, i := range some {
			if i.Pull == nil && strings.Contains(i.Body+i.Description, mark) && found == nil {
				one := i.filed(c)
				found = &one
			}
		}
		return nil
	})
	return found, err
}

// sinceQuery returns the time in the form of a query, earlier by what the clocks may be apart.
func sinceQuery(since time.Time) string {
	return url.QueryEscape(since.Add(-clockSkew).UTC().Format(time.RFC3339))
}

// FileIssue opens an issue.
func (r *GitHubRepository) FileIssue(ctx context.Context, title, body string) (FiledIssue, error) {
	var i listedIssue
	err := file(ctx, r.issues, GitHub, map[string]any{"title": title, "body": body}, &i)
	return i.filed(r.issues), err
}

// FindIssue returns the issue, filed since then, whose text holds mark, or nil.
func (r *GitHubRepository) FindIssue(
	ctx context.Context, mark string, since time.Time,
) (*FiledIssue, error) {
	return findIssue(ctx, r.issues,
		"state=all&sort=created&direction=desc&per_page=100&since="+sinceQuery(since), mark)
}

// Unfilable returns in words the rights that the credential lacks for FileIssue.
func (r *GitHubRepository) Unfilable(ctx context.Context) ([]string, error) {
	if r.unfilable != nil {
		return r.unfilable(ctx)
	}
	return unfilable(ctx, r.issues, GitHub)
}

// FileIssue opens an issue.
func (r *GiteaRepository) FileIssue(ctx context.Context, title, body string) (FiledIssue, error) {
	var i listedIssue
	err := file(ctx, r.client, Gitea, map[string]any{"title": title, "body": body}, &i)
	return i.filed(r.client), err
}

// FindIssue returns the issue, filed since then, whose text holds mark, or nil.
func (r *GiteaRepository) FindIssue(
	ctx context.Context, mark string, since time.Time,
) (*FiledIssue, error) {
	return findIssue(ctx, r.client, "state=all&type=issues&limit=50&since="+sinceQuery(since), mark)
}

// Unfilable returns in words the rights that the credential lacks for FileIssue.
func (r *GiteaRepository) Unfilable(ctx context.Context) ([]string, error) {
	return unfilable(ctx, r.client, Gitea)
}

// FileIssue opens an issue.
func (p *GitLabProject) FileIssue(ctx context.Context, title, body string) (FiledIssue, error) {
	var i listedIssue
	err := file(ctx, p.client, GitLab, map[string]any{"title": title, "description": body}, &i)
	return i.filed(p.client), err
}

// FindIssue returns the issue, filed since then, whose text holds mark, or nil.
func (p *GitLabProject) FindIssue(
	ctx context.Context, mark string, since time.Time,
) (*FiledIssue, error) {
	return findIssue(ctx, p.client,
		"scope=all&order_by=created_at&sort=desc&per_page=100&created_after="+sinceQuery(since), mark)
}

// Unfilable returns in words the rights that the credential lacks for FileIssue.
func (p *GitLabProject) Unfilable(ctx context.Context) ([]string, error) {
	return unfilable(ctx, p.client, GitLab)
}
