package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// readMove reads a message that says to go on in another channel, such as "continue in #payments" and "please
// move this to #payments". The whole message has to say so, in the form that an approval has. channel is the
// channel's id, or its name with a # before it as people type it.
func readMove(t words.Text) (channel string, ok bool) {
	plain := channelRef.ReplaceAllString(t.Plain, "#$1") // a channel's name may have any letter
	if t.Quoted || !words.IsPlainASCII(typedChannel.ReplaceAllString(plain, "#name")) ||
		strings.Contains(plain, "```") || words.Mentions(plain) {
		return "", false
	}
	own := channelRef.ReplaceAllString(t.Own, "#$1")
	m := moving.FindStringSubmatch(words.Squeeze(words.Polite(words.TrimAddress(own))))
	if m == nil {
		return "", false
	}
	if channelID.MatchString(m[1]) {
		return m[1], true
	}
	return "#" + m[1], true
}

const (
	thisThread = `(?:it|this|that|(?:the|this) (?:thread|discussion|conversation|session|work|one))`
	aChannel   = `(?:the )?(?:channel )?#([\p{L}\p{N}][\p{L}\p{N}_.-]*)(?: channel)?`
)

var (
	channelRef   = lazyregexp.New(`<#([A-Z0-9]{2,})(?:\|[^>]*)?>`)
	channelID    = lazyregexp.New(`^[CG][A-Z0-9]{2,}$`)
	typedChannel = lazyregexp.New(`#[\p{L}\p{N}][\p{L}\p{N}_.-]*`)

	moving = lazyregexp.New(`(?i)^(?:(?:ok|okay|yes|and|then|so|alright),? )*` +
		`(?:(?:can|could|would|will) (?:you|we) (?:please )?|let's |please |just )*` +
		`(?:continue|go on|carry on|proceed|` +
		`(?:continue|move|take|bring|carry|shift|transfer|hand)(?: over)? ` + thisThread + `(?: over)?|` +
		`(?:move|switch|go|come) over)(?: with ` + thisThread + `)? (?:in|to|into|over to|over in) ` +
		aChannel + `(?:,? (?:please|instead|now|from now on|from here on|then))*[.!?]?$`)
)
