package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// filesIssue reports whether a message asks for an issue of what the thread is about: "file it", "not this
// week, make an issue of it". The whole message has to say so, in the form that an approval has.
func filesIssue(t words.Text) bool {
	if !t.IsBare() {
		return false
	}
	said := strings.Join(strings.Fields(words.Polite(words.TrimAddress(t.Own))), " ")
	return filing.MatchString(said) || filingAsked.MatchString(said) || filingElsewhere.MatchString(said)
}

const (
	aTicket  = `an? (?:new )?(?:github |gitlab |gitea |jira |linear )?(?:issue|ticket|bug report)`
	ofIt     = `(?:it|this|that|the (?:bug|report|finding))`
	madeOfIt = `(?: (?:for|about|of|from|out of) ` + ofIt + `)?`
	theTimes = `now|today|tonight|yet|this (?:week|month|sprint|quarter|time|release)|for now|at the moment`

	// what puts the work off
	putOff = `(?:(?:not (?:` + theTimes + `)|later|next (?:week|month|sprint)|some other time|another time|` +
		`no time(?: (?:` + theTimes + `|for (?:it|this|that)))*|` +
		`(?:we|i)(?:'ll| will)? (?:do|fix) (?:it|this|that) later|let's not (?:fix|do) (?:it|this|that)` +
		`(?: (?:` + theTimes + `))?)(?:[,.;:]| -+)? (?:but |and |so )?)?`

	fileForms = `(?:file (?:` + ofIt + `(?: as ` + aTicket + `)?|` + aTicket +
		`(?: (?:for|about|of) ` + ofIt + `)?)|` +
		`make (?:` + aTicket + madeOfIt + `|` + ofIt + ` ` + aTicket + `)|` +
		`turn ` + ofIt + ` into ` + aTicket + `|` +
		`(?:open|create|raise) ` + aTicket + madeOfIt + `|` +
		`(?:log|raise|track) ` + ofIt + ` (?:as|in|with) ` + aTicket + `|` +
		`put ` + ofIt + ` (?:in|into|on|onto) the (?:backlog|(?:issue )?tracker))`

	filingEnd = `(?:,? (?:instead|please|then|for now|for later|for next (?:week|month|sprint)))*`
)

var (
	filing = lazyregexp.New(`(?i)^(?:(?:ok|okay|yes|no|and|then|so|alright|fine|well|hm)[,.;:]? )*` + putOff +
		`(?:please |just |let's (?:just )?|instead,? |only )*` + fileForms + filingEnd + `[.!]?$`)
	filingAsked = lazyregexp.New(`(?i)^(?:(?:ok|okay|yes|and|then|so),? )*` + putOff +
		`(?:can|could|would|will) you (?:please |just )*` + fileForms + filingEnd + `[.?]?$`)
	// German, French, Spanish, Italian and Dutch
	filingElsewhere = lazyregexp.New(`(?i)^(?:(?:nicht (?:jetzt|heute|diese woche)|` +
		`pas (?:maintenant|cette semaine)|` +
		`(?:ahora|hoy|esta semana) no|no (?:ahora|esta semana)|non (?:ora|questa settimana)|` +
		`niet (?:nu|vandaag|deze week))[,.;:]? )?(?:bitte |per favore |por favor )?(?:` +
		`mach(?:e|t)? (?:ein (?:ticket|issue) (?:daraus|draus)|daraus ein (?:ticket|issue))|` +
		`leg(?:e|t)? (?:dazu |daf(?:ue|u)r )?ein (?:ticket|issue) an|` +
		`(?:fais|faites)-en un(?:e issue| ticket)|(?:ouvre|ouvrez) un(?:e issue| ticket)|` +
		`(?:crea|abre|haz|apri) (?:un ticket|una? issue)|maak (?:er )?een (?:ticket|issue)(?: van| aan)?)` +
		`(?:,? (?:bitte|por favor|per favore|svp|alsjeblieft))?[.!]?$`)
)
