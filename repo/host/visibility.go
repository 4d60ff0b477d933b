package host

import (
	"context"
	"fmt"
)

// A Visibility says who may read a repository.
type Visibility string

// Who may read a repository.
const (
	Public   Visibility = "public"   // everybody
	Internal Visibility = "internal" // everybody who can sign in at the host, or is in the organization
	Private  Visibility = "private"  // those who were let in
)

// namedVisibility returns the visibility, or an error if the host named none that is known: then nobody may
// take the repository for a private one.
func (c *Client) namedVisibility(v Visibility) (Visibility, error) {
	switch v {
	case Public, Internal, Private:
		return v, nil
	}
	return "", fmt.Errorf("%s did not say who may read %s", c.Name, c.Repository)
}

// readVisibility reads what GitHub and Gitea say.
func readVisibility(ctx context.Context, c *Client) (Visibility, error) {
	var about struct {
		Private    *bool      `json:"private"`
		Visibility Visibility `json:"visibility"` // GitHub
		Internal   bool       `json:"internal"`   // Gitea
	}
	if err := c.Get(ctx, c.At(""), &about); err != nil {
		return "", err
	}
	switch {
	case about.Private == nil:
		return c.namedVisibility(about.Visibility)
	case !*about.Private && about.Visibility == Private:
		return c.namedVisibility("")
	case !*about.Private && !about.Internal && about.Visibility != Internal:
		return Public, nil
	case about.Internal || about.Visibility == Internal:
		return Internal, nil
	}
	return Private, nil
}

// Visibility returns who may read the repository.
func (r *GitHubRepository) Visibility(ctx context.Context) (Visibility, error) {
	return readVisibility(ctx, r.client)
}

// Visibility returns who may read the repository. Of a user or an organization that only people who signed in
// may see, Gitea says that its repositories are internal.
func (r *GiteaRepository) Visibility(ctx context.Context) (Visibility, error) {
	return readVisibility(ctx, r.client)
}

// Visibility returns who may read the project.
func (p *GitLabProject) Visibility(ctx context.Context) (Visibility, error) {
	var about struct{ Visibility Visibility }
	if err := p.client.Get(ctx, p.client.At(""), &about); err != nil {
		return "", err
	}
	return p.client.namedVisibility(about.Visibility)
}
