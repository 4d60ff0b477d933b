package host

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// breaks is an invisible character, put where a text would have an effect at a host.
const breaks = "\u200b"

var (
	mentions = regexp.MustCompile(`(@)([A-Za-z0-9_])|([#!])(\d)`)
	closing  = regexp.MustCompile(`(?i)\b(GH)(-\d)`)
	actions  = regexp.MustCompile(`(?m)^([ \t>]*)/`)
	tags     = regexp.MustCompile(`<([A-Za-z/!?])`)
	links    = regexp.MustCompile(`\]([(\[:])`)
)

// Quote returns a person's text so that it is safe in a host's Markdown: it mentions nobody, refers to and
// closes no issue, is no command to the host, loads nothing and links nowhere. It reads the same for
// people.
func Quote(text string) string {
	text = plaintext.EscapeText(text)
	text = mentions.ReplaceAllString(text, "$1$3"+breaks+"$2$4")
	text = closing.ReplaceAllString(text, "$1"+breaks+"$2")
	text = actions.ReplaceAllString(text, "$1"+breaks+"/")
	text = tags.ReplaceAllString(text, "<"+breaks+"$1")
	return links.ReplaceAllString(text, "]"+breaks+"$1")
}

// The lengths that every host accepts: runes of a title, bytes of a description.
const (
	mostTitle = 200
	mostBody  = 40_000
)

// Title returns a line that can be a pull request's title.
func Title(text string) string {
	return plaintext.CutLine(Quote(plaintext.OneLine(text)), mostTitle)
}

// Body shortens a text to a length that every host accepts.
func Body(text string) string {
	if len(text) <= mostBody {
		return text
	}
	cut := strings.ToValidUTF8(text[:mostBody], "")
	if strings.Count(cut, "\n```")%2 == 1 {
		cut += "\n```"
	}
	return cut + "\n\n… The rest is in the thread."
}
