package workfile

import (
	"context"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// maxRead is how many bytes of a private file are read.
const maxRead = 64 << 10

// FindSecrets returns a Finder that also knows the secrets in the private files of these commits, which are
// named by their whole hashes. It leaves out commits that are not here, as at the end of a shallow clone. It
// returns nil for a nil Finder.
func FindSecrets(
	ctx context.Context, known *redact.Finder, r git.Commits, of ...string,
) (*redact.Finder, error) {
	if known == nil {
		return nil, nil
	}
	var values []string
	for _, commit := range of {
		if !r.Has(commit) {
			continue
		}
		files, err := r.ListPaths(ctx, commit, func(string) bool { return false })
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			if !IsPrivate(path) {
				continue
			}
			text, err := r.ReadFile(commit, path)
			if err != nil {
				return nil, err
			}
			values = append(values, redact.EnvValues(string(text[:min(len(text), maxRead)]))...)
		}
	}
	return known.With(values...), nil
}
