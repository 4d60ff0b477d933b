package repository

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
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
	return strings.HasPrefix(name, cmp.Or(r.BranchPrefix, "bobbin/"))
}

// matches reports whether one of the patterns matches a name that is not that of a branch of Bobbin's own.
func (r Repository) matches(patterns []string, name string) bool {
	return !r.IsOwn(name) &&
		slices.ContainsFunc(patterns,
			func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, name) })
}
