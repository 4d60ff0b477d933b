package catalog

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/repository"
)

const aName = `([A-Za-z0-9][A-Za-z0-9._/-]*)`

var (
	// namesRepository are the forms that name a repository, wherever they stand: "repo: web", "repo=web",
	// "the web repo".
	namesRepository = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\brepo(?:sitory)?\s*[:=]\s*` + aName),
		regexp.MustCompile(`(?i)\b(?:the|our|my|this)\s+` + aName + `\s+repo(?:sitory)?\b`),
	}
	// namesAtStart matches a line that begins with the repository: "web: the total is wrong".
	namesAtStart = regexp.MustCompile(`^\s*` + aName + `:\s`)
	// saysWhere matches a line that says where, and nothing else: "sorry, in web".
	saysWhere = regexp.MustCompile(`(?i)^(?:(?:sorry|no|oh|oops|actually|i mean|it is|it's|that is|` +
		`that's)[,. ]+)*` +
		`in\s+(?:the\s+)?` + aName + `$`)
	// inProse matches words that may name a repository, or anything else: "wrong in search results".
	inProse = regexp.MustCompile(`(?i)\bin\s+` + aName)
	// ownerAndName matches the name of a repository with its owner.
	ownerAndName = regexp.MustCompile(`(?:^|[\s(<"'` + "`" + `])([A-Za-z0-9][\w.-]*/[\w.-]*\w)`)
	webAddress   = regexp.MustCompile(`https?://[^\s<>|)\]]+`)
)

// choose returns the name of the repository that a request is about: one that its own words name, otherwise
// the channel's, otherwise the only one, otherwise one that the channel's topic names, otherwise one that its
// prose may name. Quoted lines name none. It returns an empty string if a person has to be asked. topic is
// called only if it is needed; nil: there is none.
func choose(text, channel string, topic func() string, all []repository.Repository) string {
	text = withoutQuotes(text)
	if name := named(text, all); name != "" || unknown(text, all) != "" {
		return name
	}
	var here []string
	for _, r := range all {
		if slices.Contains(r.Channels, channel) {
			here = append(here, r.Name)
		}
	}
	switch {
	case len(here) == 1:
		return here[0]
	case len(here) == 0 && len(all) == 1:
		return all[0].Name
	}
	if topic != nil && len(all) > 1 {
		if name := named(topic(), all); name != "" {
			return name
		}
	}
	return firstOf(inProse.FindAllStringSubmatch(text, -1), all)
}

// named returns the first repository that a text names in a form that can mean nothing else.
func named(text string, all []repository.Repository) string {
	for _, form := range namesRepository {
		if name := firstOf(form.FindAllStringSubmatch(text, -1), all); name != "" {
			return name
		}
	}
	for _, address := range webAddress.FindAllString(text, -1) {
		if name := atAddress(address, all); name != "" {
			return name
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n.,;!?")
		if name := firstOf(namesAtStart.FindAllStringSubmatch(line+" ", 1), all); name != "" {
			return name
		}
		if name := firstOf(saysWhere.FindAllStringSubmatch(line, 1), all); name != "" {
			return name
		}
	}
	for _, m := range ownerAndName.FindAllStringSubmatch(text, -1) {
		for _, r := range all {
			if _, path := place(r.URL); path != "" && strings.EqualFold(m[1], path) {
				return r.Name
			}
		}
	}
	return ""
}

// unknown returns the name that a text gives to a repository in the form "repo: web", if none has that name.
func unknown(text string, all []repository.Repository) string {
	m := namesRepository[0].FindStringSubmatch(withoutQuotes(text))
	if m == nil || len(all) == 0 || named(withoutQuotes(text), all) != "" {
		return ""
	}
	return strings.TrimRight(m[1], ".,;:!?/-")
}

// firstOf returns the first of the found names that is a repository's.
func firstOf(found [][]string, all []repository.Repository) string {
	for _, m := range found {
		for _, r := range all {
			name := strings.TrimRight(m[1], ".,;:!?/-")
			_, path := place(r.URL)
			if strings.EqualFold(name, r.Name) || path != "" && strings.EqualFold(name, path) {
				return r.Name
			}
		}
	}
	return ""
}

// atAddress returns the repository that a web address is of: its own, or that of a file, an issue or a pull
// request of it.
func atAddress(address string, all []repository.Repository) string {
	host, path := place(address)
	for _, r := range all {
		ofHost, of := place(r.URL)
		if of != "" && strings.EqualFold(host, ofHost) &&
			strings.HasPrefix(strings.ToLower(path)+"/", strings.ToLower(of)+"/") {
			return r.Name
		}
	}
	return ""
}

// shortSSH matches an address of ssh in its short form, user@host:path.
var shortSSH = regexp.MustCompile(`^[\w.-]+@([\w.-]+):(.+)$`)

// place returns the host and the path of a repository's address, without .git; empty for a folder.
func place(address string) (host, path string) {
	if m := shortSSH.FindStringSubmatch(address); m != nil {
		return m[1], strings.TrimSuffix(strings.Trim(m[2], "/"), ".git")
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", ""
	}
	return u.Hostname(), strings.TrimSuffix(strings.Trim(cmp.Or(u.Path, ""), "/"), ".git")
}

// withoutQuotes returns the lines of a text that are no quotes.
func withoutQuotes(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"),
		func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), ">") })
	return strings.Join(lines, "\n")
}
