package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// saysCondition reports whether a message in the middle of approved work makes it wait for a person, an event
// or a time: "only if bea agrees", "after the release", "tomorrow", alone or behind a yes. What happens in a
// bug ("if I click pay, it fails"), a question, a quote and words to another person are no condition. It
// permits and refuses nothing by itself. c is what the message consents to.
func (l Lexicon) saysCondition(text string, c Consent) bool {
	if words.AddressesOther(words.Straighten(text)) {
		return false
	}
	if c.Kind == ConsentUnclear && c.Condition != "" {
		return true
	}
	return slices.ContainsFunc(spokenSentences(text), l.sentenceWaits)
}

// sentenceWaits reports whether a sentence is a condition: one of its clauses is, and the others only agree,
// approve, thank or open it.
func (l Lexicon) sentenceWaits(sentence string) bool {
	if strings.HasSuffix(sentence, "?") {
		return false
	}
	waits := false
	for _, c := range clauses(sentence) {
		switch {
		case l.isCondition(c.text):
			waits = true
		case !l.refusesOrOpens(c) && !l.agrees(c.text):
			return false
		}
	}
	return waits
}

// isCondition reports whether a clause is a condition and nothing else.
func (l Lexicon) isCondition(clause string) bool {
	if aboutUsers.MatchString(clause) {
		return false
	}
	rest := clause
	ok := true
	if at := condWithin.FindStringIndex(clause); at != nil && l.praises(clause[:at[0]]) {
		rest = strings.TrimSpace(clause[at[0]:]) // "fine by me if bea agrees"
	} else if behind, approves := l.phrases().CutWhole(clause, phrases.Approve, phrases.Near); approves {
		rest = behind // "go ahead once bea is back"
	}
	for ok && rest != "" {
		if clockTime.MatchString(rest) || l.phrases().Matches(rest, phrases.Condition) {
			return true
		}
		rest, ok = l.phrases().CutFirst(rest, phrases.But)
	}
	return false
}

// agrees reports whether a clause only says yes, approves, or lets work go on.
func (l Lexicon) agrees(clause string) bool {
	plain := thenOpens.ReplaceAllString(clause, "")
	return l.letsGo(clause) || onlyAgrees.MatchString(plain) || l.phrases().IsWhole(plain, phrases.Yes)
}

// letsGo reports whether a clause only approves, or lets work go on.
func (l Lexicon) letsGo(clause string) bool {
	clause = thenOpens.ReplaceAllString(clause, "")
	return approval.MatchString(clause) || delivering.MatchString(clause) ||
		l.phrases().IsWhole(clause, phrases.Approve) || l.phrases().IsWhole(clause, phrases.GoOn)
}

var (
	condWithin = lazyregexp.New(
		`(?i) (?:but )?(?:only )?(?:if|once|provided|as long as|as soon as|pending|subject to|after|` +
			`when|unless|assuming)\b`,
	)
	clockTime = lazyregexp.New(
		`(?i)^(?:only |not )?(?:at|after|before|around|from|um|nach|` +
			`gegen) \d{1,2}(?:[:.]\d\d)?(?: ?(?:a\.?m\.?|p\.?m\.?|h|o'clock|uhr))$`,
	)
	thenOpens  = lazyregexp.New(`(?i)^(?:(?:and|but|then|so|please) )+`)
	onlyAgrees = lazyregexp.New(`(?i)^` + agreement + `$`)
	delivering = lazyregexp.New(
		`(?i)^(?:(?:you|we) (?:can|may|should) )?(?:push|merge|ship|fix|deploy|release) ` +
			`(?:it|this|that)(?: then)?$`,
	)
	// aboutUsers matches words for those who use the product, whose deeds are no condition of the work on it.
	aboutUsers = lazyregexp.New(
		`(?i)\b(?:users?|guests?|visitors?|members?|buyers?|shoppers?|bank|gateway|server|browser|` +
			`pages?|carts?|orders?|forms?|header|api|app|i (?:press|click|tap|type|log|open|reload|` +
			`pay)|parcels?|coupons?|mails?|emails?|payments?|cards?|items?|products?|timers?|buttons?|` +
			`totals?|prices?|queues?|jobs?|sessions?|tokens?|fields?|box|it (?:fails|breaks|says|shows|` +
			`asks|works))\b`,
	)
)
