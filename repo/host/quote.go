package host

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// breaks is an invisible character, put where a text would have an effect at a host.
const breaks = "\u200b"

var (
	mentions = regexp.MustCompile(`(@)([A-Za-z0-9_])`)
	actions  = regexp.MustCompile(`(?m)^([ \t>]*)/`)
	tags     = regexp.MustCompile(`<([A-Za-z/!?])`)
	links    = regexp.MustCompile(`\]([(\[:])`)
)

// Quote returns a person's text so that it is safe in a host's Markdown: it mentions nobody, refers to and
// closes no issue, switches off no checks, is no command to the host and loads nothing. An address is the
// only link in it, and shows where it leads. The text reads the same for people.
func Quote(text string) string {
	text = breakTrailers(disarm(plaintext.EscapeText(text), breaks, breaks))
	text = mentions.ReplaceAllString(text, "$1"+breaks+"$2")
	text = actions.ReplaceAllString(text, "$1"+breaks+"/")
	text = tags.ReplaceAllString(text, "<"+breaks+"$1")
	return links.ReplaceAllString(text, "]"+breaks+"$1")
}

// effects match what has an effect at a host wherever it stands, also in the message of a commit. The effect
// is gone when something stands between the two groups.
var effects = []*regexp.Regexp{
	regexp.MustCompile(`\B(@)([A-Za-z0-9_])`), // a person; no address of an email
	regexp.MustCompile(`([#!])(\d)`),          // an issue
	regexp.MustCompile(`(?i)\b(GH|GL)(-\d)`),  // the same
	// its page
	regexp.MustCompile(`(?i)(://\S*?/(?:issues|incident|work_items|epics|pulls?|merge_requests)/)(\d)`),
	// "[issue:7]", and "[skip ci]", after which no checks run
	regexp.MustCompile(
		`(?i)(\[)((?:issue|work_item|epic|merge_request):|(?:skip|no)[\s_-]+\w+\]|\w+[\s_-]+skip\])`),
	regexp.MustCompile(`(?i)(\*\*\*)(NO_CI)`),
	regexp.MustCompile(`(?i)\b(skip-checks)(:)`),
	regexp.MustCompile(`(?m)^()(/\w)`), // a command
}

// keys matches an issue of another tracker behind a word that closes it. Elsewhere
// a key is a word like UTF-8.
var keys = regexp.MustCompile(
	`(?i)\b((?:clos|fix|resolv|implement)\w{0,3}:?\s+(?:issues?\s+)?)((?-i:[A-Z][A-Z0-9_]+(?:-\d+)+))\b`)

// noKeys are names of standards and of weaknesses, which look like keys.
var noKeys = regexp.MustCompile(`^(?:CVE|CWE|UTF|SHA|ISO|RFC|AES|EC)-`)

// disarm puts gap into what has an effect at a host, and mark around keys.
func disarm(text, gap, mark string) string {
	for _, e := range effects {
		text = e.ReplaceAllString(text, "${1}"+gap+"${2}")
	}
	return keys.ReplaceAllStringFunc(text, func(closing string) string {
		m := keys.FindStringSubmatch(closing)
		if noKeys.MatchString(m[2]) {
			return closing
		}
		return m[1] + mark + m[2] + mark
	})
}

// CommitText returns a text for the message of a commit, which hosts obey as they do the text of a pull
// request: it mentions nobody, refers to and closes no issue, switches off no checks, and holds no
// trailer. What was changed is visible, because messages are read, searched and copied where an
// invisible character only confuses.
func CommitText(text string) string { return breakTrailers(disarm(text, " ", `"`)) }

// The lengths that every host accepts: runes of a title, bytes of a description.
const (
	maxTitle = 200
	maxBody  = 40_000
)

// Title returns a line that can be a pull request's title.
func Title(text string) string {
	return plaintext.CutLine(Quote(plaintext.OneLine(text)), maxTitle)
}

// Body shortens a text to a length that every host accepts.
func Body(text string) string {
	if len(text) <= maxBody {
		return text
	}
	cut := strings.ToValidUTF8(text[:maxBody], "")
	if strings.Count(cut, "\n```")%2 == 1 {
		cut += "\n```"
	}
	return cut + "\n\n… The rest is in the thread."
}
