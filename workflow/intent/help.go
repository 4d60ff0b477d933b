package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// asksForHelp reports whether a message is empty, or only asks what the bot can do. What asks for help with
// something is not: "help me with the login".
func asksForHelp(text string) bool {
	s := helpWords(text)
	return s == "" && !isOnlyCourtesy(text) || helpForm.MatchString(s)
}

// onlyGreets reports whether a message says nothing but a greeting, thanks or an emoji.
func onlyGreets(text string) bool {
	return greeting.MatchString(helpWords(text)) || isOnlyCourtesy(text)
}

// isOnlyCourtesy reports whether a message is "thanks", an emoji and the like.
func isOnlyCourtesy(text string) bool {
	s := bare(text)
	return s != "" && words.Courtesy.FindStringIndex(s)[0] == 0
}

// asksForStatus reports whether a message only asks what the bot is doing.
func asksForStatus(text string) bool { return statusForm.MatchString(helpWords(text)) }

// helpWords returns a message in lower case, without marks and courtesy at its ends. A question mark alone
// stays.
func helpWords(text string) string {
	s := bare(text)
	s = s[:words.Courtesy.FindStringIndex(s)[0]]
	s = strings.TrimPrefix(strings.TrimPrefix(s, "please"), "/bobbin")
	return strings.Trim(s, " ,:;.!-")
}

// bare returns a message in lower case, without marks at its ends.
func bare(text string) string {
	return strings.Trim(strings.ToLower(words.Squeeze(words.Straighten(text))), " ,:;.!-")
}

var (
	helpForm = lazyregexp.New(`^(?:\?+|/?(?:help|usage|commands|hilfe|aide|ayuda)\??|--help|-h|` +
		`(?:what|which things) (?:can|do) you do(?: for (?:me|us))?\??|` +
		`what can i (?:ask|say|do)(?: you| here)?\??|what are you(?: for)?\??|who are you\??|` +
		`how do (?:i|we) use (?:you|this bot)\??|how do you work\??|what are your commands\??)$`)
	greeting = lazyregexp.New(`^(?:(?:hi|hello|hey|hallo|hiya|yo|good (?:morning|afternoon|evening|day)|` +
		`guten (?:tag|morgen)|moin|bonjour|hola|help me|test|testing|ping|are you (?:there|here))` +
		`(?: (?:there|bobbin|bot|all))?[?!., ]*)+$`)
	statusForm = lazyregexp.New(`^(?:status|what are you (?:doing|working on)(?: right)?(?: now)?|` +
		`how far are you|what(?:'s| is) your status)\??$`)
)
