package reference

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// Kind says what a Reference points at.
type Kind string

// The kinds of Reference.
const (
	Issue  Kind = "issue"
	Pull   Kind = "pull request"
	Run    Kind = "run"
	Commit Kind = "commit"
	File   Kind = "file"
	Folder Kind = "folder"
	Page   Kind = "page" // of another kind, which is not read
)

// A Reference is something in a configured repository at which a text points.
type Reference struct {
	Repository repository.Repository
	Kind       Kind
	Number     int64  // of an Issue or a Pull
	Commit     string // the hash of a Commit, perhaps shortened, or a tag
	Run, Job   string // ids; only one of them may be set
	// Path is the branch, tag or commit, a slash, and the path of a File or a Folder; of a Page the path
	// below the repository's page.
	Path  string
	First int // the first line of a File that is meant, from 1; 0: the whole file
	Last  int
	// Loose means that it was written as "#412", which may mean something else.
	Loose bool
}

// Name returns what people call it: shop#412.
func (r Reference) Name() string {
	repo := r.Repository.Name
	switch r.Kind {
	case Pull:
		return repo + r.Repository.Pulls.Words().Mark + strconv.FormatInt(r.Number, 10)
	case Run:
		if r.Run == "" {
			return "job " + r.Job + " of " + repo
		}
		return "run " + r.Run + " of " + repo
	case Commit:
		if !isHash.MatchString(r.Commit) {
			return plaintext.CutLine(r.Commit, 200) + " of " + repo
		}
		return "commit " + r.Commit[:min(len(r.Commit), 12)] + " of " + repo
	case File, Folder, Page:
		at := plaintext.CutLine(r.Path, 200)
		if r.First > 0 {
			at += ":" + strconv.Itoa(r.First)
		}
		return at + " of " + repo
	}
	return repo + "#" + strconv.FormatInt(r.Number, 10)
}

// NeedsHost reports whether only a git host could show what it leads to, and the configuration names none.
func (r Reference) NeedsHost() bool {
	return slices.Contains([]Kind{Issue, Pull, Run}, r.Kind) && r.Repository.Pulls.Host == nil
}

// IsNumber reports whether a name such as shop#412 or acme/shop#412 is that of the reference.
func (r Reference) IsNumber(name string) bool {
	of, number, ok := strings.Cut(name, "#")
	return ok && number == strconv.FormatInt(r.Number, 10) &&
		(strings.EqualFold(of, r.Repository.Name) || strings.EqualFold(of, pathAtHost(r.Repository)))
}

// ID returns what tells a reference from all others of a session, whatever form it was written in.
func (r Reference) ID() string {
	kind := r.Kind
	if kind == Pull && r.Repository.Pulls.Kind != host.GitLab {
		kind = Issue
	}
	return strings.Join([]string{
		r.Repository.Name, string(kind), strconv.FormatInt(r.Number, 10), r.Commit, r.Run, r.Job, r.Path,
		strconv.Itoa(r.First), strconv.Itoa(r.Last),
	}, "\x00")
}

var (
	webAddress = regexp.MustCompile(`https?://[^\s<>|"'` + "`" + `]+`)
	// named matches shop#412, acme/shop#412 and, at GitLab, shop!7.
	named = regexp.MustCompile(`(?:^|[\s(\[,;:])([A-Za-z0-9][\w.-]*(?:/[\w.-]+)*)([#!])([1-9]\d{0,8})\b`)
	// loose matches #412 and !7 where they stand alone, with what is behind them.
	loose = regexp.MustCompile(`(?:^|[\s(\[,;:])([#!])([1-9]\d{0,8})($|[\s)\],;:.?!])`)
	// code matches what Slack shows as code, and what it wrote as a link, a channel or a person.
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|<[^>\n]*>")
)

// Find returns at what a text in Slack's form points, in the repositories that its thread may be about. own
// is the name of the thread's repository, of which "#412" is. Lines that are quoted point only by whole
// addresses.
func Find(text, own string, all []repository.Repository) (found []Reference) {
	add := func(r Reference, ok bool) {
		if ok && !slices.ContainsFunc(found, func(o Reference) bool { return o.ID() == r.ID() }) {
			found = append(found, r)
		}
	}
	for _, address := range webAddress.FindAllString(text, -1) {
		add(atAddress(strings.TrimRight(html.UnescapeString(address), ".,;:!?)]}*_~"), own, all))
	}
	plain := code.ReplaceAllString(withoutQuotes(text), " ` ")
	for _, m := range named.FindAllStringSubmatch(plain, -1) {
		for _, r := range all {
			if strings.EqualFold(m[1], r.Name) || strings.EqualFold(m[1], pathAtHost(r)) {
				add(numbered(r, m[2], m[3]))
				break
			}
		}
	}
	for _, r := range all {
		if r.Name != own || r.Pulls.Host == nil { // where nothing can be read, "#12" may be anything
			continue
		}
		for m := loose.FindStringSubmatchIndex(plain); m != nil; m = loose.FindStringSubmatchIndex(plain) {
			ref, ok := numbered(r, plain[m[2]:m[3]], plain[m[4]:m[5]])
			ref.Loose = true
			add(ref, ok)
			plain = plain[m[6]:] // the space behind one may be that before the next
		}
	}
	return found
}

// withoutQuotes returns the lines of a text that are no quotes.
func withoutQuotes(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return strings.HasPrefix(line, ">") || strings.HasPrefix(line, "&gt;")
	})
	return strings.Join(lines, "\n")
}

// numbered returns the issue or pull request of that number. ok is false if the repository's host writes
// another mark.
func numbered(r repository.Repository, mark, number string) (ref Reference, ok bool) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || mark == "!" && r.Pulls.Kind != host.GitLab {
		return Reference{}, false
	}
	ref = Reference{Repository: r, Kind: Issue, Number: n}
	if mark == "!" {
		ref.Kind = Pull
	}
	return ref, true
}

// PageOf returns the address of a repository's page: that of its host's configuration, otherwise the one that
// its own address tells. It is empty for a folder.
func PageOf(r repository.Repository) string {
	if r.Pulls.Web != "" {
		return r.Pulls.Web
	}
	address := r.URL
	if m := shortSSH.FindStringSubmatch(address); m != nil {
		address = "https://" + m[1] + "/" + m[2]
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	site := "https://" + u.Host
	switch u.Scheme {
	case "http":
		site = "http://" + u.Host
	case "ssh":
		site = "https://" + u.Hostname()
	}
	return site + strings.TrimSuffix(u.Path, ".git")
}

// shortSSH matches an address of ssh in its short form, user@host:path.
var shortSSH = regexp.MustCompile(`^[\w.-]+@([\w.-]+):(.+)$`)

// pathAtHost returns the path of a repository's page: acme/shop.
func pathAtHost(r repository.Repository) string {
	u, err := url.Parse(PageOf(r))
	if err != nil {
		return ""
	}
	return strings.Trim(u.Path, "/")
}

// atAddress returns at what an address points. Of several repositories at that address it is of own,
// otherwise of the one with the longest path.
func atAddress(address, own string, all []repository.Repository) (ref Reference, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return Reference{}, false
	}
	var best repository.Repository
	longest := 0
	for _, r := range all {
		at, err := url.Parse(PageOf(r))
		if err != nil || at.Host == "" || at.Scheme != u.Scheme || !strings.EqualFold(at.Host, u.Host) {
			continue
		}
		path := strings.TrimSuffix(at.Path, "/") + "/"
		n := len(path)
		below := n > 1 && len(u.Path) > n && strings.EqualFold(u.Path[:n], path)
		if below && (n > longest || n == longest && r.Name == own) {
			best = r
			longest = n
		}
	}
	if longest == 0 {
		return Reference{}, false
	}
	return belowPage(best, u.Path[longest:], u.Fragment)
}

// A form is a form of paths below a repository's page. set takes its parts.
type form struct {
	path *regexp.Regexp
	set  func(r *Reference, parts []string)
}

// forms are the paths of GitHub, GitLab (without their "-/") and Gitea.
var forms = []form{
	{regexp.MustCompile(`^pull/\d+/(?:commits|changes)/([0-9a-f]{7,64})$`), setCommit},
	{regexp.MustCompile(`^commit/([0-9a-f]{7,64})(?:\.patch|\.diff)?$`), setCommit},
	{regexp.MustCompile(`^(?:releases/tag/(.+)|(?:releases|tags|src/tag)/([^/]+))$`), setCommit},
	{regexp.MustCompile(`^(?:issues|work_items)/([1-9]\d{0,8})(?:/|$)`), setNumber(Issue)},
	{regexp.MustCompile(`^(?:pull|pulls|merge_requests)/([1-9]\d{0,8})(?:/|$)`), setNumber(Pull)},
	{regexp.MustCompile(`^(?:actions/runs|pipelines)/(\d{1,18})(?:/(?:jobs?/(\d{1,18}))?.*)?$`), setRun},
	{regexp.MustCompile(`^()jobs/(\d{1,18})(?:/|$)`), setRun},
	{regexp.MustCompile(`^raw/refs/(?:heads|tags)/(.+/.+)$`), setPath(File)},
	{regexp.MustCompile(`^(?:src|raw)/(?:commit|branch|tag)/(.+/.+)$`), setPath(File)},
	{regexp.MustCompile(`^(?:blob|blame|raw)/(.+/.+)$`), setPath(File)},
	{regexp.MustCompile(`^tree/(.+/.+)$`), setPath(Folder)},
	// no single thing: a list, the form for a new one, a branch
	{regexp.MustCompile(`^[^/]*(?:/new(?:/.*)?)?$|^(?:tree|src/branch)/[^/]+$|^commits/`), nil},
	{regexp.MustCompile(`^(.+)$`), setPath(Page)},
}

func setCommit(r *Reference, parts []string) {
	r.Kind = Commit
	r.Commit = cmp.Or(parts...)
}

func setNumber(k Kind) func(*Reference, []string) {
	return func(r *Reference, parts []string) {
		r.Kind = k
		r.Number, _ = strconv.ParseInt(parts[0], 10, 64)
	}
}

func setRun(r *Reference, parts []string) {
	r.Kind = Run
	r.Run = parts[0]
	r.Job = parts[1]
}

func setPath(k Kind) func(*Reference, []string) {
	return func(r *Reference, parts []string) {
		r.Kind = k
		r.Path = parts[0]
	}
}

var (
	isHash = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
	lines  = regexp.MustCompile(`^L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7})(?:C\d+)?)?$`)
)

// belowPage returns at what an address points whose path below the repository's page is given.
func belowPage(r repository.Repository, path, fragment string) (ref Reference, ok bool) {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "-/"), "/")
	ref = Reference{Repository: r}
	for _, f := range forms {
		m := f.path.FindStringSubmatch(path)
		switch {
		case m == nil:
			continue
		case f.set == nil:
			return Reference{}, false
		}
		f.set(&ref, m[1:])
		break
	}
	if m := lines.FindStringSubmatch(fragment); m != nil && ref.Kind == File {
		ref.First, _ = strconv.Atoi(m[1])
		ref.Last, _ = strconv.Atoi(cmp.Or(m[2], m[1]))
	}
	return ref, ref.Kind != ""
}
