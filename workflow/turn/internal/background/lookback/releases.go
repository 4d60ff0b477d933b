package lookback

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/proof/past"
	"github.com/bobbinhq/bobbin/workflow"
)

// maxReleases is how many releases are tried: the newest ones.
const maxReleases = 6

// IsRelease reports whether one of the patterns matches the branch or tag name. prefix is the prefix of
// the bot's own branches, which are never releases; if it is empty, bobbin/ is used.
func IsRelease(patterns []string, prefix, name string) bool {
	return !strings.HasPrefix(name, cmp.Or(prefix, git.DefaultPrefix)) &&
		slices.ContainsFunc(patterns, func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, name) })
}

// releases returns the releases that the configuration's patterns match, newest first, at most
// maxReleases.
func (k *look) releases() []git.ReleaseBranch {
	all := k.mirror.Commits().Releases(func(name string) bool {
		return IsRelease(k.Looker.Releases[k.row.Repository], k.repository.BranchPrefix, name)
	})
	return all[:min(len(all), maxReleases)]
}

// askReleases returns the verdict on each release. A release for which no time is left is unclear.
func (k *look) askReleases(ctx context.Context, releases []git.ReleaseBranch) (list []workflow.ReleaseVerdict, err error) {
	for _, r := range releases {
		v, err := k.ask(ctx, r.Commit, 1)
		switch {
		case errors.Is(err, past.ErrSpent):
			v.Answer, v.Why = past.Unclear, "not tried: no time was left"
		case err != nil:
			return nil, err
		}
		list = append(list, workflow.ReleaseVerdict{Name: r.Name, Commit: r.Commit, Branch: r.Branch, Answer: string(v.Answer), Why: v.Why})
	}
	return list, nil
}
