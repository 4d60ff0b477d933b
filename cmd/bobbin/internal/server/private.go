package server

import (
	"context"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/redact/private"
)

// mirrorWith opens the mirror of a repository, and fetches if it lacks the commit.
func (b *Server) mirrorWith(ctx context.Context, r remote.Remote, commit string) (*repo.Mirror, error) {
	mirror, err := b.Mirrors.Open(ctx, r)
	if err != nil || mirror.Commits().Has(commit) {
		return mirror, err
	}
	return mirror, mirror.Fetch(ctx)
}

// withPrivate returns a Finder that also knows the secrets in the private files of a commit and of its parents.
func withPrivate(ctx context.Context, secrets *redact.Finder, m *repo.Mirror, commit string) (*redact.Finder, error) {
	parents, _, err := m.Commits().Parents(commit)
	if err != nil {
		return nil, err
	}
	return private.Secrets(ctx, secrets, m.Commits(), append(parents, commit)...)
}
