package server

import (
	"context"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// mirrorWith opens the mirror of a repository, and fetches if it lacks the commit. It also returns a Finder
// that knows the secrets in the private files of the commit and of its parents besides known.
func (b *Server) mirrorWith(
	ctx context.Context, r remote.Remote, commit string, known *redact.Finder,
) (*git.Mirror, *redact.Finder, error) {
	mirror, err := b.Mirrors.Open(ctx, r)
	if err == nil && !mirror.Commits().Has(commit) {
		err = mirror.Fetch(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	parents, _, err := mirror.Commits().Parents(commit)
	if err != nil {
		return nil, nil, err
	}
	secrets, err := workfile.FindSecrets(ctx, known, mirror.Commits(), append(parents, commit)...)
	return mirror, secrets, err
}
