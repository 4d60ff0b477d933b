package reference

import (
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

// A Reference is something in a configured repository at which a text points.
type Reference struct {
	Repository repository.Repository
	host.Page
	// Loose means that it was written as "#412", which may mean something else.
	Loose bool
}

// Name returns what people call it: shop#412.
func (r Reference) Name() string {
	repo := r.Repository.Name
	switch r.Kind {
	case host.APull:
		return repo + r.Repository.Pulls.Words().Mark + strconv.FormatInt(r.Number, 10)
	case host.ARun:
		if r.Run == "" {
			return "job " + r.Job + " of " + repo
		}
		return "run " + r.Run + " of " + repo
	case host.ACommit:
		if !isHash.MatchString(r.Commit) {
			return plaintext.CutLine(r.Commit, 200) + " of " + repo
		}
		return "commit " + r.Commit[:min(len(r.Commit), 12)] + " of " + repo
	case host.AFile, host.AFolder, host.APage:
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
	atHost := []host.Kind{host.AnIssue, host.APull, host.ARun}
	return slices.Contains(atHost, r.Kind) && r.Repository.Pulls.Host == nil
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
	if kind == host.APull && r.Repository.Pulls.Kind != host.GitLab {
		kind = host.AnIssue
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

var isHash = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// numbered returns the issue or pull request of that number. ok is false if the repository's host writes
// another mark.
func numbered(r repository.Repository, mark, number string) (ref Reference, ok bool) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || mark == "!" && r.Pulls.Kind != host.GitLab {
		return Reference{}, false
	}
	ref = Reference{Repository: r, Page: host.Page{Kind: host.AnIssue, Number: n}}
	if mark == "!" {
		ref.Kind = host.APull
	}
	return ref, true
}

// pathAtHost returns the path of a repository's page: acme/shop.
func pathAtHost(r repository.Repository) string {
	u, err := url.Parse(r.Page())
	if err != nil {
		return ""
	}
	return strings.Trim(u.Path, "/")
}

// atAddress returns at what an address points. Of several repositories at that address it is of own,
// otherwise of the one with the longest path.
func atAddress(address, own string, all []repository.Repository) (ref Reference, ok bool) {
	var path, fragment string
	longest := 0
	for _, r := range all {
		page := r.Page()
		below, part, is := host.BelowPage(page, address)
		if is && (len(page) > longest || len(page) == longest && r.Name == own) {
			ref.Repository = r
			path = below
			fragment = part
			longest = len(page)
		}
	}
	if longest == 0 {
		return Reference{}, false
	}
	ref.Page, ok = host.ReadPage(path, fragment)
	return ref, ok && ref.Kind != host.ABranch
}
