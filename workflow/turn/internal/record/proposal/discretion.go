package proposal

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// A Discretion says what of a thread its push must not show.
type Discretion struct {
	Neutral   bool // no words of the thread, and nobody of it
	Anonymous bool // nobody, no address and no link to the thread
	// how the people of the thread are called, each perhaps with an address: "Ann Lee <ann@shop.example>"
	People []string
}

// Nameless reports whether nobody is named.
func (d Discretion) Nameless() bool { return d.Neutral || d.Anonymous }

// What stands in place of what is left out.
const (
	someone     = "somebody"
	someAddress = "[address]"
	someLink    = "[link]"
)

var (
	slackMention = regexp.MustCompile(`<[@#!][^>\n]{1,100}>`)
	slackLink    = regexp.MustCompile(`(?i)\bhttps?://[a-z0-9.-]*\bslack\.com(?:/[^\s<>)\]"']*)?`)
	address      = regexp.MustCompile(
		`(?i)(?:mailto:)?[a-z0-9](?:[a-z0-9._%+-]{0,62}[a-z0-9_%+-])?@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}\b`)
)

// WithoutPeople returns a text without the names of the people of the thread, without addresses, and without
// links to Slack, if nobody is to be named.
func (d Discretion) WithoutPeople(text string) string {
	if !d.Nameless() {
		return text
	}
	text = slackMention.ReplaceAllString(text, someone)
	text = slackLink.ReplaceAllString(text, someLink)
	text = address.ReplaceAllString(text, someAddress)
	if names := d.names(); len(names) > 0 {
		text = regexp.MustCompile(`@?\b(?:`+strings.Join(names, "|")+`)\b`).ReplaceAllString(text, someone)
	}
	return text
}

// atName matches a name that is called, also one of nobody in the thread. What it stands after is kept.
var atName = regexp.MustCompile(`(^|[\s(,;:])@[\pL\d._-]+`)

// WithoutNames returns a text without the names of the people of the thread and those called with @, without
// addresses and links to Slack, also if people may be named elsewhere. Nothing stands in their place.
func (d Discretion) WithoutNames(text string) string {
	d.Anonymous = true
	text = d.WithoutPeople(text)
	for _, stands := range []string{"@" + someone, someone, someAddress, someLink} {
		text = strings.ReplaceAll(text, stands, "")
	}
	return atName.ReplaceAllString(text, "$1")
}

// shortest is how many characters the part of a name has at least that is looked for alone: a shorter one is
// in too many words.
const shortest = 3

// names returns what people are called, as parts of a pattern, the longest first: the whole name, and its
// parts, as written and with a capital.
func (d Discretion) names() (names []string) {
	for _, who := range d.People {
		name, _, _ := strings.Cut(who, "<")
		name = strings.TrimSpace(name)
		for _, part := range append([]string{name}, strings.Fields(name)...) {
			part = strings.Trim(part, ".,()@")
			if utf8.RuneCountInString(part) < shortest {
				continue
			}
			first, size := utf8.DecodeRuneInString(part)
			names = append(names, regexp.QuoteMeta(part),
				regexp.QuoteMeta(strings.ToUpper(string(first))+part[size:]))
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return slices.Compact(names)
}

// Addresses returns the email addresses in a text, each once, without those that stand for nobody: of
// example.com, and of other names that are set aside for examples.
func Addresses(text string) (found []string) {
	for _, a := range address.FindAllString(text, -1) {
		a = strings.TrimPrefix(strings.ToLower(a), "mailto:")
		if !madeUp.MatchString(a) && !slices.Contains(found, a) {
			found = append(found, a)
		}
	}
	return found
}

var madeUp = regexp.MustCompile(
	`@(?:.*\.)?(?:example\.(?:com|org|net)|[a-z0-9-]+\.(?:example|test|invalid|localhost|local))$` +
		`|^(?:git|noreply|no-reply)@`)

// NeutralTitle returns a title that says nothing but which files change.
func NeutralTitle(changes []diff.Change) string {
	if len(changes) == 0 {
		return "Change nothing"
	}
	verb := map[string]string{"added": "Add", "deleted": "Remove"}[changes[0].Kind]
	for _, c := range changes[1:] {
		if c.Kind != changes[0].Kind {
			verb = ""
		}
	}
	title := cmp.Or(verb, "Change") + " " + shownPath(changes)
	switch more := len(changes) - 1; {
	case more == 1:
		title += " and 1 more file"
	case more > 1:
		title += " and " + strconv.Itoa(more) + " more files"
	}
	return title
}

// shownPath returns the path of the first file that is no test, or of the first one. Of a long path it
// returns the end.
func shownPath(changes []diff.Change) string {
	at := slices.IndexFunc(changes, func(c diff.Change) bool {
		return !strings.Contains(strings.ToLower(c.Path), "test")
	})
	path := changes[max(at, 0)].Path
	for len(path) > maxTitlePath {
		_, rest, more := strings.Cut(path, "/")
		if !more {
			break
		}
		path = rest
	}
	return path
}

// maxTitlePath is how long the path in a title may be.
const maxTitlePath = 44
