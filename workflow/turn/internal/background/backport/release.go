package backport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
)

// findRelease returns the row with the branch that the person meant and the commit it points to. A
// backport that was pushed before keeps the commit that it was made on.
func (b *backportRun) findRelease() (backports.Row, error) {
	row := b.row
	if row.Direct {
		return b.findBranch()
	}
	own := cmp.Or(b.repository.BranchPrefix, git.DefaultPrefix)
	base := cmp.Or(b.repository.Base, b.mirror.Commits().DefaultBranch())
	all := b.mirror.Commits().Releases(func(name string) bool {
		return !strings.HasPrefix(name, own) && name != base
	})
	found := catalog.FindBranches(b.repository, all, row.Wanted)
	switch {
	case row.Wanted == base:
		return row, refused(row, "that is the branch that the change was made for")
	case len(found) == 0:
		return row, refused(row, "there is no such branch. "+b.releaseList(all))
	case len(found) > 1:
		return row, refused(row, "several may be meant: "+list(found))
	case !found[0].Branch:
		return row, refused(row, "that is a tag, and nothing is pushed to a tag. "+b.releaseList(all))
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

// findBranch returns the row of a Direct request with the commit that its branch points to now.
func (b *backportRun) findBranch() (backports.Row, error) {
	row := b.row
	row.Release = row.Wanted
	commits := b.mirror.Commits()
	if !commits.HasBranch(row.Wanted) {
		return row, refused(row, "the branch is not there any more")
	}
	var err error
	row.Onto, err = commits.Resolve(row.Wanted)
	return row, err
}

// isPushedItself reports whether what is pushed is the pushed commit itself, since the branch of a Direct
// request is where it was when that was made.
func (b *backportRun) isPushedItself() bool { return b.row.Direct && b.row.Onto == b.row.Base }

// releaseList returns a sentence with the release branches that can be named.
func (b *backportRun) releaseList(all []git.ReleaseBranch) string {
	branches := slices.DeleteFunc(slices.Clone(all),
		func(r git.ReleaseBranch) bool { return !r.Branch || !b.repository.IsRelease(r.Name) })
	if len(branches) == 0 {
		return "No branch matches `releases` of the configuration"
	}
	return "Releases with a branch: " + list(branches)
}
