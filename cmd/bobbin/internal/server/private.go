package server

import (
	"context"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// mostPrivate is how many bytes of a private file are read.
const mostPrivate = 64 << 10

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
	var values []string
	for _, c := range append(parents, commit) {
		if !m.Commits().Has(c) {
			continue // the clone ends here
		}
		files, err := m.Commits().ListPaths(ctx, c, func(string) bool { return false })
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			if !workfile.IsPrivate(path) {
				continue
			}
			text, err := m.Commits().ReadFile(c, path)
			if err != nil {
				return nil, err
			}
			values = append(values, redact.EnvValues(string(text[:min(len(text), mostPrivate)]))...)
		}
	}
	return secrets.With(values...), nil
}
