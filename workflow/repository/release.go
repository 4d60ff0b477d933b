package repository

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/repo/git"
)

// IsRelease reports whether a branch or tag of that name is a release by the configured patterns. The
// branches that Bobbin pushes are none.
func (r Repository) IsRelease(name string) bool { return r.matches(r.Releases, name) }

// IsBase reports whether a request may be about the branch or tag of that name: it is the repository's base,
// a release, or one that the configuration allows.
func (r Repository) IsBase(name string) bool {
	return name == r.Base || r.IsRelease(name) || r.matches(r.Bases, name)
}

// IsOwn reports whether a branch of that name is one that Bobbin pushes.
func (r Repository) IsOwn(name string) bool {
	return strings.HasPrefix(name, cmp.Or(r.BranchPrefix, git.DefaultPrefix))
}

// matches reports whether one of the patterns matches a name that is not that of a branch of Bobbin's own.
func (r Repository) matches(patterns []string, name string) bool {
	return !r.IsOwn(name) &&
		slices.ContainsFunc(patterns,
			func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, name) })
}

// NamesEnd reports whether the name of a branch or tag ends in what a person wrote, after a separator
// (/, - or _) or a "v": "1.4" and "v1.4" mean release/1.4. It ignores case.
func NamesEnd(name, wanted string) bool {
	name = strings.ToLower(name)
	wanted = strings.TrimPrefix(strings.ToLower(wanted), "v")
	before, ends := strings.CutSuffix(name, wanted)
	if !ends || wanted == "" {
		return false
	}
	before = strings.TrimSuffix(before, "v")
	return before == "" || strings.ContainsAny(before[len(before)-1:], "/-_")
}

// FindBranches returns the branches that a person may mean by wanted, or else the tags: the one with exactly
// that name, otherwise those whose name ends in it. Of several, releases are preferred.
func (r Repository) FindBranches(all []git.ReleaseBranch, wanted string) []git.ReleaseBranch {
	if i := slices.IndexFunc(all, func(b git.ReleaseBranch) bool { return b.Name == wanted }); i >= 0 {
		return all[i : i+1]
	}
	for _, branch := range []bool{true, false} {
		found := slices.DeleteFunc(slices.Clone(all),
			func(b git.ReleaseBranch) bool { return b.Branch != branch || !NamesEnd(b.Name, wanted) })
		if releases := slices.DeleteFunc(slices.Clone(found),
			func(b git.ReleaseBranch) bool { return !r.IsRelease(b.Name) }); len(releases) > 0 {
			found = releases
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}
