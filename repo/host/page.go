package host

import (
	"cmp"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// A Page is what an address below a repository's page shows.
type Page struct {
	Kind     Kind
	Number   int64  // of an issue or a pull request
	Commit   string // the hash of a commit, perhaps shortened, or a tag
	Run, Job string // ids; only one of them may be set
	// Path is the branch, tag or commit, a slash, and the path of a file or a folder; of APage the path below
	// the repository's page.
	Path string
	// Ref begins with the name of a branch or a tag if the page is one that names it, such as tree/main/cart;
	// of a comparison it is a..b or a...b.
	Ref         string
	First, Last int // the lines of a file that are meant, from 1; 0: the whole file
}

// BelowPage returns the path of an address below a repository's page, without GitLab's "-/", and its
// fragment. ok is false if the address is not below it.
func BelowPage(page, address string) (path, fragment string, ok bool) {
	at, err := url.Parse(page)
	if err != nil || at.Host == "" {
		return "", "", false
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Scheme != at.Scheme || !strings.EqualFold(u.Host, at.Host) {
		return "", "", false
	}
	below := strings.TrimSuffix(at.Path, "/") + "/"
	n := len(below)
	if n < 2 || len(u.Path) < n || !strings.EqualFold(u.Path[:n], below) {
		return "", "", false
	}
	return strings.Trim(strings.TrimPrefix(u.Path[n:], "-/"), "/"), u.Fragment, true
}

// A pageForm is a form of paths below a repository's page. set takes its parts.
type pageForm struct {
	path *regexp.Regexp
	set  func(p *Page, parts []string)
}

// pageForms are the paths of GitHub, GitLab and Gitea. The first that matches counts.
var pageForms = []pageForm{
	{regexp.MustCompile(`^pull/\d+/(?:commits|changes)/([0-9a-f]{7,64})$`), setCommit},
	{regexp.MustCompile(`^commit/([0-9a-f]{7,64})(?:\.patch|\.diff)?$`), setCommit},
	{regexp.MustCompile(`^(?:releases/tag/(.+)|(?:releases|tags|src/tag)/([^/]+))$`), setTag},
	{regexp.MustCompile(`^(?:issues|work_items)/([1-9]\d{0,8})(?:/|$)`), setNumber(AnIssue)},
	{regexp.MustCompile(`^(?:pull|pulls|merge_requests)/([1-9]\d{0,8})(?:/|$)`), setNumber(APull)},
	{regexp.MustCompile(`^(?:actions/runs|pipelines)/(\d{1,18})(?:/(?:jobs?/(\d{1,18}))?.*)?$`), setRun},
	{regexp.MustCompile(`^()jobs/(\d{1,18})(?:/|$)`), setRun},
	{regexp.MustCompile(`^raw/refs/(?:heads|tags)/(.+/.+)$`), setPath(AFile)},
	{regexp.MustCompile(`^src/(?:branch|tag)/(.+/.+)$`), setRefPath(AFile)},
	{regexp.MustCompile(`^(?:src|raw)/(?:commit|branch|tag)/(.+/.+)$`), setPath(AFile)},
	{regexp.MustCompile(`^(?:blob|blame|raw)/(.+/.+)$`), setPath(AFile)},
	{regexp.MustCompile(`^tree/(.+/.+)$`), setRefPath(AFolder)},
	{regexp.MustCompile(`^(?:tree/|src/branch/|commits/(?:branch/|tag/)?)(.+)$`), setRef(ABranch)},
	{regexp.MustCompile(`^compare/(.+)$`), setCompared},
	// no single thing: a list, the form for a new one
	{regexp.MustCompile(`^[^/]*(?:/new(?:/.*)?)?$`), nil},
	{regexp.MustCompile(`^(.+)$`), setPath(APage)},
}

func setCommit(p *Page, parts []string) {
	p.Kind = ACommit
	p.Commit = cmp.Or(parts...)
}

func setTag(p *Page, parts []string) {
	setCommit(p, parts)
	p.Ref = p.Commit
}

func setNumber(k Kind) func(*Page, []string) {
	return func(p *Page, parts []string) {
		p.Kind = k
		p.Number, _ = strconv.ParseInt(parts[0], 10, 64)
	}
}

func setRun(p *Page, parts []string) {
	p.Kind = ARun
	p.Run = parts[0]
	p.Job = parts[1]
}

func setPath(k Kind) func(*Page, []string) {
	return func(p *Page, parts []string) {
		p.Kind = k
		p.Path = parts[0]
	}
}

func setRef(k Kind) func(*Page, []string) {
	return func(p *Page, parts []string) {
		p.Kind = k
		p.Ref = parts[0]
	}
}

func setRefPath(k Kind) func(*Page, []string) {
	return func(p *Page, parts []string) {
		setPath(k)(p, parts)
		p.Ref = p.Path
	}
}

func setCompared(p *Page, parts []string) {
	p.Kind = APage
	p.Path = "compare/" + parts[0]
	p.Ref = parts[0]
}

var pageLines = regexp.MustCompile(`^L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7})(?:C\d+)?)?$`)

// ReadPage returns what the page at a path below a repository's page shows. ok is false for a page that
// shows no single thing, such as a list.
func ReadPage(path, fragment string) (p Page, ok bool) {
	for _, f := range pageForms {
		m := f.path.FindStringSubmatch(path)
		switch {
		case m == nil:
			continue
		case f.set == nil:
			return Page{}, false
		}
		f.set(&p, m[1:])
		break
	}
	if m := pageLines.FindStringSubmatch(fragment); m != nil && p.Kind == AFile {
		p.First, _ = strconv.Atoi(m[1])
		p.Last, _ = strconv.Atoi(cmp.Or(m[2], m[1]))
	}
	return p, p.Kind != ""
}

// PullPath returns the path of a pull request's page below the repository's.
func PullPath(kind string, number int64) string {
	return map[string]string{GitHub: "/pull/", GitLab: "/-/merge_requests/", Gitea: "/pulls/"}[kind] +
		strconv.FormatInt(number, 10)
}
