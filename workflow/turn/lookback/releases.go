package lookback

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/bisect"
	"github.com/bobbinhq/bobbin/workflow"
)

// mostReleases is how many releases are asked, the newest ones.
const mostReleases = 6

// releases are those that the configuration names, newest first.
func (k *look) releases() []repo.Release {
	own := cmp.Or(k.repository.BranchPrefix, "bobbin/")
	all := k.mirror.Releases(func(name string) bool {
		return !strings.HasPrefix(name, own) && slices.ContainsFunc(k.Looker.Releases[k.row.Repository], func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, name) })
	})
	return all[:min(len(all), mostReleases)]
}

// askReleases says of each release what it is.
func (k *look) askReleases(ctx context.Context, releases []repo.Release) (list []workflow.ReleaseVerdict, err error) {
	for _, r := range releases {
		v, err := k.ask(ctx, r.Commit, 1)
		switch {
		case errors.Is(err, bisect.ErrSpent):
			v.Answer, v.Why = bisect.Unclear, "not tried: no time was left"
		case err != nil:
			return nil, err
		}
		list = append(list, workflow.ReleaseVerdict{Name: r.Name, Commit: r.Commit, Answer: string(v.Answer), Why: v.Why})
	}
	return list, nil
}
