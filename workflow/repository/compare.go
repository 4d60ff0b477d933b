package repository

import (
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

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

// FetchFrom returns what git fetches the pushed branches from: origin, or the address of the fork, or Fetch.
func (r Repository) FetchFrom() string {
	if r.Fetch != "" {
		return r.Fetch
	}
	if r.PushTo != nil {
		return remote.Redact(r.PushTo.URL)
	}
	return "origin"
}

// CompareURL returns the URL of the host's page that shows the changes from base to commit, or an empty
// string if it is not known.
func (r Repository) CompareURL(base, commit string) string {
	page, web := r.ComparePage()
	if r.PushTo != nil { // the commit is in the fork only
		if r.Pulls.ForkWeb == "" || page == "" {
			return ""
		}
		page = r.Pulls.ForkWeb + page[len(web):]
	}
	return strings.NewReplacer("{base}", base, "{commit}", commit).Replace(page)
}
