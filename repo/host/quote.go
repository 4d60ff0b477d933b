package host

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// breaks is put where a text would do something at a host; nobody sees it.
const breaks = "\u200b"

var (
	mentions = regexp.MustCompile(`(@)([A-Za-z0-9_])|([#!])(\d)`)
	closing  = regexp.MustCompile(`(?i)\b(GH)(-\d)`)
	actions  = regexp.MustCompile(`(?m)^([ \t>]*)/`)
	tags     = regexp.MustCompile(`<([A-Za-z/!?])`)
	links    = regexp.MustCompile(`\]([(\[:])`)
)

// Quote is somebody's text as it may stand in the Markdown of a host: it calls nobody, refers to
// and closes no issue, is no command to the host, loads nothing and links nowhere. What one reads
// stays the same.
func Quote(text string) string {
	text = plaintext.EscapeText(text)
	text = mentions.ReplaceAllString(text, "$1$3"+breaks+"$2$4")
	text = closing.ReplaceAllString(text, "$1"+breaks+"$2")
	text = actions.ReplaceAllString(text, "$1"+breaks+"/")
	text = tags.ReplaceAllString(text, "<"+breaks+"$1")
	return links.ReplaceAllString(text, "]"+breaks+"$1")
}

// The sizes that every host takes.
const (
	mostTitle = 200
	mostBody  = 40_000
)

// Title is a line as it may be a pull request's title.
func Title(text string) string {
	return plaintext.CutLine(Quote(plaintext.OneLine(text)), mostTitle)
}

// Body cuts a text to what every host takes.
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
