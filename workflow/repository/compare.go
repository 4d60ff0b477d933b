package repository

import "strings"

// comparePages holds the path of a host's page that compares two commits, by the path of its pages of
// code.
var comparePages = []struct{ code, compare string }{
	{"/-/blob/{commit}/", "/-/compare/{base}...{commit}"},
	{"/blob/{commit}/", "/compare/{base}...{commit}"},
	{"/src/commit/{commit}/", "/compare/{base}...{commit}"},
	{"/src/{commit}/", "/branches/compare/{commit}%0D{base}"},
}

// ComparePage returns the URL of the host's page that compares two commits, with {base} and {commit},
// and the URL below which its pages are. Both are empty if the host is not known.
func (r Repository) ComparePage() (page, web string) {
	for _, p := range comparePages {
		if web, _, ok := strings.Cut(r.CodeURL, p.code); ok {
			return web + p.compare, web
		}
	}
	return "", ""
}

// CompareURL returns the URL of the host's page that shows the changes from base to commit, or an empty
// string if it is not known.
func (r Repository) CompareURL(base, commit string) string {
	page, _ := r.ComparePage()
	return strings.NewReplacer("{base}", base, "{commit}", commit).Replace(page)
}
