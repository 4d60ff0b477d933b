package intent

import (
	"regexp"
	"slices"
	"strings"
)

// An Address says for which of the repositories of a thread a message is.
type Address struct {
	To    []string // names of the repositories that it names as such; nil: it names none
	First bool     // it begins with them: "site: …"
	All   bool     // it names none by its name, but all of them: "both"
	Rest  string   // the text without them
}

// Names reports whether the address names the repository.
func (a Address) Names(repository string) bool { return slices.Contains(a.To, repository) }

// AddressOf returns for which of the named repositories a text is: "site: fix it", "fix it in site", "fix it
// in shop and site", "fix both". A name elsewhere in the text is no address.
func AddressOf(text string, names []string) Address {
	if len(names) == 0 {
		return Address{Rest: text}
	}
	list := repositoryList(names)
	for i, form := range []string{
		`(?i)^\s*(?:in|for)?\s*(?P<to>` + list + `)\s*[:,]\s*(?P<rest>[\s\S]+)$`,
		`(?i)^(?P<rest>[\s\S]*?\S)[\s,(–-]+(?:in|for|on)\s+(?P<to>` + list + `)` + addressEnd,
		`(?i)^(?P<rest>` + takesObject + `|[\s\S]*?\S\s*,)\s+(?P<to>` + list + `)` + addressEnd,
	} {
		at := regexp.MustCompile(form)
		m := at.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		to := m[at.SubexpIndex("to")]
		rest := strings.TrimRight(m[at.SubexpIndex("rest")], " ,")
		if noAddress.MatchString(rest) {
			break
		}
		rest = onlyObject.ReplaceAllString(rest, "$1$2")
		if onlyVerb.MatchString(rest) {
			rest += " it"
		}
		return Address{To: namesIn(to, names), First: i == 0, All: meansAll.MatchString(to), Rest: rest}
	}
	return Address{Rest: text}
}

// addressEnd matches what may follow an address at the end of a text.
const addressEnd = `[\s,]*(?:too|also|as well|only|alone|please|thanks|thank you)?\s*[.!)]*\s*$`

// noAddress matches words after which a name is no address: "fix it like in site", "fix it, but not in site".
var noAddress = regexp.MustCompile(
	`(?i)(?:\b(?:like|unlike|as|not|but|except|than|never|without)|n[’']t)\s*,?\s*$`,
)

// takesObject matches what an address may be the object of: "fix" of "fix both".
const takesObject = `(?:please\s+)?(?:also\s+|only\s+|just\s+)?(?:fix|push|merge|approve|stop)(?:\s+only)?`

var (
	onlyVerb = regexp.MustCompile(`(?i)^(?:please\s+)?(?:also\s+)?(?:fix|push|merge|approve)$`)
	// "only" beside a verb whose object is the address limits whom the words are for, and not the work
	onlyObject = regexp.MustCompile(
		`(?i)^((?:please\s+)?)(?:(?:only|just)\s+)?(fix|push|merge|approve|stop)(?:\s+only)?$`,
	)
)

// allOf matches words that mean all repositories of the thread.
const (
	allOf = `both(?:` + ofThem + `)?|all(?:` + ofThem + `)`

	ofThem = `\s+of\s+them|\s+repos(?:itories)?|\s+parts`
)

var meansAll = regexp.MustCompile(`(?i)^(?:` + allOf + `)$`)

// pronouns matches names that mean something else in a sentence. As names they are in backticks.
var pronouns = regexp.MustCompile(`(?i)^(?:it|this|that|these|those|them|both|all|everything|here|there)$`)

// MentionsOther reports whether a text has the name of another repository than own, as a word.
func MentionsOther(text, own string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		word := `(?i)(?:^|[^\pL\pN_./-])` + regexp.QuoteMeta(name) + `(?:$|[^\pL\pN_-])`
		return name != own && !pronouns.MatchString(name) && regexp.MustCompile(word).MatchString(text)
	})
}

// repositoryList matches one name or more, or words that mean all.
func repositoryList(names []string) string {
	var quoted []string
	for _, name := range names {
		if pronouns.MatchString(name) { // "fix it" is for no repository, whatever their names are
			quoted = append(quoted, "`"+regexp.QuoteMeta(name)+"`")
			continue
		}
		quoted = append(quoted, "`?"+regexp.QuoteMeta(name)+"`?")
	}
	slices.SortFunc(quoted, func(a, b string) int { return len(b) - len(a) })
	one := `(?:` + strings.Join(quoted, "|") + `)`
	return `(?:` + allOf + `|` + one + `(?:\s*(?:,|and|&|,\s*and)\s*` + one + `)*)`
}

// namesIn returns the repositories that a list names, in the order of names.
func namesIn(list string, names []string) (to []string) {
	if meansAll.MatchString(list) {
		return names
	}
	words := regexp.MustCompile(`(?i)(?:\s*,\s*and\s+|\s*[,&]\s*|\s+and\s+)`).Split(list, -1)
	for _, name := range names {
		if slices.ContainsFunc(words, func(w string) bool {
			return strings.EqualFold(strings.Trim(w, "` "), name)
		}) {
			to = append(to, name)
		}
	}
	return to
}
