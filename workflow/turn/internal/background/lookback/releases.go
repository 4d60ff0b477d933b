package lookback

import (
	"context"
	"errors"
	"slices"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/proof/past"
	"github.com/bobbinhq/bobbin/workflow"
)

// maxReleases is how many releases are tried: the newest ones.
const maxReleases = 6

// releases returns the releases that the configuration's patterns match, newest first, at most maxReleases.
// Of a session on another base than the repository's, it returns the repository's first, and not the
// session's own.
func (l *look) releases() []git.ReleaseBranch {
	commits := l.mirror.Commits()
	all := commits.Releases(l.repository.IsRelease)
	if l.base != "" {
		own := l.ownBase()
		all = slices.DeleteFunc(all,
			func(r git.ReleaseBranch) bool { return r.Name == l.base || r.Name == own })
		all = append(commits.Releases(func(name string) bool { return name == own }), all...)
	}
	return all[:min(len(all), maxReleases)]
}

// askReleases returns the verdict on each release. A release for which no time is left is unclear.
func (l *look) askReleases(
	ctx context.Context, releases []git.ReleaseBranch,
) (list []workflow.ReleaseVerdict, err error) {
	for _, r := range releases {
		v, err := l.ask(ctx, r.Commit, 1)
		switch {
		case errors.Is(err, past.ErrSpent):
			v.Answer = past.Unclear
			v.Why = "not tried: no time was left"
		case err != nil:
			return nil, err
		}
		list = append(list, workflow.ReleaseVerdict{
			Name:   r.Name,
			Commit: r.Commit,
			Branch: r.Branch,
			Answer: string(v.Answer),
			Why:    v.Why,
		})
	}
	return list, nil
}
