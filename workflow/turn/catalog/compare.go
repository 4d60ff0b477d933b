package catalog

import "strings"

// comparePages are where hosts show what differs between two commits, by how their pages of
// code are addressed.
var comparePages = []struct{ code, compare string }{
	{"/-/blob/{commit}/", "/-/compare/{base}...{commit}"},
	{"/blob/{commit}/", "/compare/{base}...{commit}"},
	{"/src/commit/{commit}/", "/compare/{base}...{commit}"},
	{"/src/{commit}/", "/branches/compare/{commit}%0D{base}"},
}

// ComparePage is where the repository's host shows the page of a comparison, with {base} and
// {commit}; empty where that is not known. Pages are below web.
func (r Repository) ComparePage() (page, web string) {
	for _, p := range comparePages {
		if web, _, ok := strings.Cut(r.CodeURL, p.code); ok {
			return web + p.compare, web
		}
	}
	return "", ""
}

// CompareURL is where the repository's host shows what a commit changed since its base; empty
// where that is not known.
func (r Repository) CompareURL(base, commit string) string {
	page, _ := r.ComparePage()
	return strings.NewReplacer("{base}", base, "{commit}", commit).Replace(page)
}
