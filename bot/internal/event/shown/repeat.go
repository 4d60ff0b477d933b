package shown

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
)

// A message may have a text and blocks. Slack makes both from what a person writes, so they say the same. An
// app writes them apart: its text may be a short form of the blocks, and Slack shows the blocks alone. So
// what the blocks say is left out only where the text says it, too.

// repeats reports whether the text beside the blocks has these words, too.
func (r *reader) repeats(text string) bool {
	return r.said != "" && strings.Contains(" "+r.said+" ", " "+wordsOf(text)+" ")
}

// repeatsRich reports whether the text has the words of a part of rich text. The items of a list are looked
// up one by one, since a text counts them in other ways.
func (r *reader) repeatsRich(e map[string]any, depth int) bool {
	if str(e, "type") != "rich_text_list" {
		return r.repeats(richText(e, depth))
	}
	for _, item := range list(e, "elements") {
		if in, _ := item.(map[string]any); !r.repeats(richText(in, depth)) {
			return false
		}
	}
	return true
}

var (
	labelled = regexp.MustCompile(`<([@#]\w+|!subteam\^\w+|!here|!channel|!everyone)\|[^<>]*>`)
	dated    = regexp.MustCompile(`<!date\^[^<>|]*\|([^<>]*)>`)
	emoji    = regexp.MustCompile(`:[\w+'-]+:(:skin-tone-\d:)?`)
)

// wordsOf returns the letters and digits of a text with single spaces between words, without emoji, and
// without the names that may stand beside the ids of people and channels.
func wordsOf(text string) string {
	text = labelled.ReplaceAllString(mrkdwn.Unescape(text), "$1")
	text = dated.ReplaceAllString(text, "$1")
	text = emoji.ReplaceAllString(text, " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return r
		}
		return -1
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
