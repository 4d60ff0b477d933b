package backports

import "github.com/bobbinhq/bobbin/workflow/repository"

// MayBeTo reports whether the row is a backport to the release that a person names. Before the row's release
// was looked up, "1.4" and "release/1.4" may be the same one; "api-1.4" and "web-1.4" never are.
func (r Row) MayBeTo(release string) bool {
	if r.Release != "" {
		return repository.NamesEnd(r.Release, release)
	}
	return repository.NamesEnd(r.Wanted, release) || repository.NamesEnd(release, r.Wanted)
}
