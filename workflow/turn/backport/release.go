package backport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/commits"
	"github.com/bobbinhq/bobbin/repo/transfer"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/turn/lookback"
)

// findRelease is the row with the branch that was meant, and where that stands. One that was pushed
// before stays where it began.
func (k *port) findRelease() (backports.Row, error) {
	row := k.row
	own, base := cmp.Or(k.repository.BranchPrefix, transfer.DefaultPrefix), cmp.Or(k.repository.Base, k.mirror.Commits().DefaultBranch())
	all := k.mirror.Commits().Releases(func(name string) bool { return !strings.HasPrefix(name, own) && name != base })
	found := meant(all, row.Wanted, func(name string) bool { return lookback.IsRelease(k.Releases[row.Repository], own, name) })
	switch {
	case len(found) == 0 && row.Wanted == base:
		return row, refused(row, "that is the branch that the change was made for")
	case len(found) == 0:
		return row, refused(row, "there is no such branch. "+k.known(all))
	case len(found) > 1:
		return row, refused(row, "several may be meant: "+list(found))
	case !found[0].Branch:
		return row, refused(row, "that is a tag, and nothing is pushed to a tag. "+k.known(all))
	}
	if row.Release = found[0].Name; row.Onto == "" {
		row.Onto = found[0].Commit
	}
	return row, nil
}

// meant are the branches, or else the tags, that somebody may mean by a name: that very one, else
// those whose name ends in it ("1.4" is release/1.4 and v1.4), of several the releases.
func meant(all []commits.Release, wanted string, release func(string) bool) []commits.Release {
	if i := slices.IndexFunc(all, func(r commits.Release) bool { return r.Name == wanted }); i >= 0 {
		return all[i : i+1]
	}
	for _, branch := range []bool{true, false} {
		found := slices.DeleteFunc(slices.Clone(all), func(r commits.Release) bool { return r.Branch != branch || !endsIn(r.Name, wanted) })
		if named := slices.DeleteFunc(slices.Clone(found), func(r commits.Release) bool { return !release(r.Name) }); len(named) > 0 {
			found = named
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// endsIn reports whether a name ends in another one, behind a mark or a "v".
func endsIn(name, wanted string) bool {
	name, wanted = strings.ToLower(name), strings.TrimPrefix(strings.ToLower(wanted), "v")
	before, ends := strings.CutSuffix(name, wanted)
	if !ends || wanted == "" {
		return false
	}
	before = strings.TrimSuffix(before, "v")
	return before == "" || strings.ContainsAny(before[len(before)-1:], "/-_")
}

// known names the branches that could be meant.
func (k *port) known(all []commits.Release) string {
	branches := slices.DeleteFunc(slices.Clone(all), func(r commits.Release) bool {
		return !r.Branch || !lookback.IsRelease(k.Releases[k.row.Repository], k.repository.BranchPrefix, r.Name)
	})
	if len(branches) == 0 {
		return "No branch matches `releases` of the configuration"
	}
	return "Releases with a branch: " + list(branches)
}
