package backport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/background/lookback"
)

// findRelease returns the row with the branch that the person meant and the commit it points to. A
// backport that was pushed before keeps the commit that it was made on.
func (k *backportRun) findRelease() (backports.Row, error) {
	row := k.row
	own, base := cmp.Or(k.repository.BranchPrefix, git.DefaultPrefix), cmp.Or(k.repository.Base, k.mirror.Commits().DefaultBranch())
	all := k.mirror.Commits().Releases(func(name string) bool { return !strings.HasPrefix(name, own) && name != base })
	found := matchReleases(all, row.Wanted, func(name string) bool { return lookback.IsRelease(k.Releases[row.Repository], own, name) })
	switch {
	case len(found) == 0 && row.Wanted == base:
		return row, refused(row, "that is the branch that the change was made for")
	case len(found) == 0:
		return row, refused(row, "there is no such branch. "+k.releaseList(all))
	case len(found) > 1:
		return row, refused(row, "several may be meant: "+list(found))
	case !found[0].Branch:
		return row, refused(row, "that is a tag, and nothing is pushed to a tag. "+k.releaseList(all))
	}
	earlier := row.Release
	row.Release = found[0].Name
	switch {
	case row.Onto == "":
		row.Onto = found[0].Commit
	case earlier != row.Release:
		return row, refused(row, "its branch "+name(row.Branch)+" holds the backport to "+name(earlier))
	}
	return row, nil
}

// matchReleases returns the branches that a person may mean by wanted, or else the tags: the one with exactly
// that name, otherwise those whose name ends in it ("1.4" matches release/1.4 and v1.4). Of several,
// the ones for which release returns true are preferred.
func matchReleases(all []git.ReleaseBranch, wanted string, release func(string) bool) []git.ReleaseBranch {
	if i := slices.IndexFunc(all, func(r git.ReleaseBranch) bool { return r.Name == wanted }); i >= 0 {
		return all[i : i+1]
	}
	for _, branch := range []bool{true, false} {
		found := slices.DeleteFunc(slices.Clone(all), func(r git.ReleaseBranch) bool { return r.Branch != branch || !backports.EndsIn(r.Name, wanted) })
		if named := slices.DeleteFunc(slices.Clone(found), func(r git.ReleaseBranch) bool { return !release(r.Name) }); len(named) > 0 {
			found = named
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// releaseList returns a sentence with the release branches that can be named.
func (k *backportRun) releaseList(all []git.ReleaseBranch) string {
	branches := slices.DeleteFunc(slices.Clone(all), func(r git.ReleaseBranch) bool {
		return !r.Branch || !lookback.IsRelease(k.Releases[k.row.Repository], k.repository.BranchPrefix, r.Name)
	})
	if len(branches) == 0 {
		return "No branch matches `releases` of the configuration"
	}
	return "Releases with a branch: " + list(branches)
}
