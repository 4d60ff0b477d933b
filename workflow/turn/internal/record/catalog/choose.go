package catalog

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

const aName = `([A-Za-z0-9][A-Za-z0-9._/-]*)`

var (
	// repoColon and theRepo match the forms that name a repository, wherever they stand: "repo: web",
	// "repo=web"; "the web repo".
	repoColon = regexp.MustCompile(`(?i)\brepo(?:sitory)?\s*[:=]\s*(?:(?:the|our|my|this)\s+)?` + aName)
	theRepo   = regexp.MustCompile(`(?i)\b(?:the|our|my|this)\s+` + aName + `\s+repo(?:sitory)?\b`)
	// namesAtStart matches a message that begins with the repository: "web: the total is wrong".
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
	// atRepository matches an address in the place of the name, perhaps as a link with a label:
	// "repo: https://git.example/acme/web".
	atRepository = regexp.MustCompile(`(?i)\brepo(?:sitory)?\s*[:=]\s*<?` +
		`((?:https?|ssh)://[^\s<>|)\]]+|[\w.-]+@[\w.-]+:[^\s<>|)\]]+)(?:\|([^<>]+)>)?`)
)

// choose returns the name of the repository that a request is about: one that its own words name, otherwise
// the channel's, otherwise the only one, otherwise one that the channel's topic names, otherwise one that its
// prose may name. Quoted lines name none. It returns an empty string if a person has to be asked. topic is
// called only if it is needed; nil: there is none.
func choose(text, channel string, topic func() string, all []repository.Repository) string {
	text = withoutQuotes(text)
	own := withoutAlso(text, all)
	if name := named(own, all); name != "" || unknown(own, all) != "" {
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
	return cmp.Or(firstOf(inProse.FindAllStringSubmatch(withoutExcluded(text), -1), all), named(text, all))
}

// named returns the first repository that a text names in a form that can mean nothing else.
func named(text string, all []repository.Repository) string {
	for _, m := range atRepository.FindAllStringSubmatch(text, -1) {
		name := atAddress(strings.TrimRight(m[1], ".,;:!?/"), all)
		if name = cmp.Or(name, firstOf([][]string{m[1:]}, all)); name != "" {
			return name
		}
	}
	text = atRepository.ReplaceAllString(text, " ")
	if name := firstOf(repoColon.FindAllStringSubmatch(text, -1), all); name != "" {
		return name
	}
	text = withoutExcluded(text)
	if name := firstOf(theRepo.FindAllStringSubmatch(text, -1), all); name != "" {
		return name
	}
	for _, address := range webAddress.FindAllString(text, -1) {
		if name := atAddress(address, all); name != "" {
			return name
		}
	}
	if name := firstOf(namesAtStart.FindAllStringSubmatch(text+" ", 1), all); name != "" {
		return name
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n.,;!?")
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

// aPlace is what may be a repository: "the web repo", "acme/web", "web".
const aPlace = `(?:(?:the|our|my|this)[ \t]+)?<?[A-Za-z0-9][A-Za-z0-9._/-]*(?:[ \t]+repo(?:sitory)?\b)?`

var (
	// denied matches what is said not to be meant: "not in the web repo", "it isn't the web repo".
	denied = regexp.MustCompile(`(?i)(?:\bnot|\b(?:it|this|that)[ \t]+(?:is|was)n['’]t|` +
		`n['’]t(?:[ \t]+(?:look|search|work))?[ \t]+in|\binstead[ \t]+of|\bignore|\bexcept(?:[ \t]+for)?|` +
		`\bfixed[ \t]+in)[*_~]*[ \t]+(?:(?:in|from|about|for|of|at|on|with)[ \t]+)?` + aPlace)
	// working matches what is said to work: "it works in the api repo", "my api repository is fine, but".
	working = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:works|worked|fine|ok|okay)(?:[ \t]+(?:fine|well))?[ \t]+` +
			`(?:in|with|on|for)[ \t]+` + aPlace),
		regexp.MustCompile(`(?im)` + aPlace + `(?:,?[ \t]+(?:it|all|everything))?[ \t]+` +
			`(?:works|is[ \t]+(?:fine|ok|okay))` +
			`(?:[ \t]+(?:fine|well|but|and)\b|[ \t]*(?:[,.;!)]|$))`),
	}
	// negation matches what turns "works" into its opposite: "nothing works in the web repo".
	negation = regexp.MustCompile(`(?i)\b(?:no|not|nothing|none|never|neither|hardly)\b|n['’]t\b`)
)

// maxClause is how many bytes before "works" are searched for a negation.
const maxClause = 200

// withoutExcluded returns a text without the places that it says are not meant, or in which it says that all
// is well. It knows the usual words only; people are shown which repository was chosen.
func withoutExcluded(text string) string {
	for _, form := range working {
		for _, at := range form.FindAllStringIndex(text, -1) {
			clause := text[max(0, at[0]-maxClause):at[0]]
			clause = clause[strings.LastIndexAny(clause, ".,;:!?\n")+1:]
			if !negation.MatchString(clause) {
				// as long as it was, so that the places of the others stay right
				text = text[:at[0]] + strings.Repeat(" ", at[1]-at[0]) + text[at[1]:]
			}
		}
	}
	return denied.ReplaceAllString(text, " ")
}

// ofProse matches words after which "repository:" begins a sentence and no name: "remember for this
// repository: amounts are in cents", "the sister repository: call it".
var ofProse = regexp.MustCompile(`(?i)\b(?:(?:this|that|the|our|my|your|which|each|a)[ \t]+repo|` +
	`([\w'-]+)[ \t]+repository)[ \t]*[:=]`)

// givesName matches the form that gives a repository's name, and noName are the words in the place of a name
// that are none: "repo: my stuff", "repo: not sure".
var (
	givesName = regexp.MustCompile(`(?i)\brepo(?:sitory)?[ \t]*[:=][ \t]*` + aName)
	noName    = []string{
		"a", "all", "an", "any", "i", "in", "is", "it", "its", "my", "n/a", "no", "none", "not", "our", "see",
		"some", "that", "the", "their", "this", "unknown", "we", "which", "your",
	}
)

// beforeName are the words after which a name follows all the same: "it fails in repository: web".
var beforeName = []string{"in", "at", "on", "for", "of", "from", "use", "with", "is", "please", "sorry"}

// unknown returns the name or the address that a text gives to a repository in the form "repo: web", if none
// has it.
func unknown(text string, all []repository.Repository) string {
	text = withoutQuotes(text)
	if len(all) == 0 || named(text, all) != "" {
		return ""
	}
	text = ofProse.ReplaceAllStringFunc(text, func(found string) string {
		word := ofProse.FindStringSubmatch(found)[1]
		if slices.Contains(beforeName, strings.ToLower(word)) {
			return found
		}
		return " "
	})
	if m := atRepository.FindStringSubmatch(text); m != nil {
		host, path := place(strings.TrimRight(m[1], ".,;:!?/"))
		return cmp.Or(m[2], strings.Trim(host+"/"+path, "/"))
	}
	if m := givesName.FindStringSubmatch(text); m != nil && !slices.Contains(noName, strings.ToLower(m[1])) {
		return strings.TrimRight(m[1], ".,;:!?/-")
	}
	return ""
}

// mostNear is how many names are offered in place of one that no repository has.
const mostNear = 3

// nearRepositories is near for a repository's name, which may stand behind its owner's.
func nearRepositories(name string, names []string) []string {
	return near(name[strings.LastIndex(name, "/")+1:], names)
}

// near returns the names that are like the one that a person wrote, the nearest first: with a slip of the
// pen, or with more or less of the name.
func near(name string, names []string) (found []string) {
	name = strings.ToLower(name)
	const slips = 2 // bytes that differ
	distance := func(n string) int {
		n = strings.ToLower(n)
		d := plaintext.EditDistance(name, n, slips)
		within := len(name) > 2 && strings.Contains(n, name) || len(n) > 2 && strings.Contains(name, n)
		if d > slips && within {
			return slips
		}
		return d
	}
	for _, n := range names {
		if distance(n) <= slips && distance(n) < len(name) {
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return distance(a) - distance(b) })
	return found[:min(len(found), mostNear)]
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

// code matches what is quoted as code.
var code = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")

// withoutQuotes returns the lines of a text that are neither quotes nor code, nor name files.
func withoutQuotes(text string) string {
	text = code.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "```") {
			return " "
		}
		return strings.Trim(found, "`")
	})
	lines := slices.DeleteFunc(strings.Split(text, "\n"),
		func(line string) bool {
			line = strings.TrimSpace(line)
			return strings.HasPrefix(line, ">") || strings.HasPrefix(line, "[attached: ")
		})
	return strings.Join(lines, "\n")
}
