package lookback

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/repo/bisect"
	"github.com/bobbinhq/bobbin/repo/commits"
	"github.com/bobbinhq/bobbin/repo/transfer"
	"github.com/bobbinhq/bobbin/workflow/diagnosis"
)

// mostReleases is how many releases are asked, the newest ones.
const mostReleases = 6

// IsRelease reports whether one of the patterns is of that branch or tag. prefix begins the names of
// the bot's own branches; empty: bobbin/.
func IsRelease(patterns []string, prefix, name string) bool {
	return !strings.HasPrefix(name, cmp.Or(prefix, transfer.DefaultPrefix)) &&
		slices.ContainsFunc(patterns, func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, name) })
}

// releases are those that the configuration names, newest first.
func (k *look) releases() []commits.Release {
	all := k.mirror.Commits().Releases(func(name string) bool {
		return IsRelease(k.Looker.Releases[k.row.Repository], k.repository.BranchPrefix, name)
	})
	return all[:min(len(all), mostReleases)]
}

// askReleases says of each release what it is.
func (k *look) askReleases(ctx context.Context, releases []commits.Release) (list []diagnosis.ReleaseVerdict, err error) {
	for _, r := range releases {
		v, err := k.ask(ctx, r.Commit, 1)
		switch {
		case errors.Is(err, bisect.ErrSpent):
			v.Answer, v.Why = bisect.Unclear, "not tried: no time was left"
		case err != nil:
			return nil, err
		}
		list = append(list, diagnosis.ReleaseVerdict{Name: r.Name, Commit: r.Commit, Branch: r.Branch, Answer: string(v.Answer), Why: v.Why})
	}
	return list, nil
}
