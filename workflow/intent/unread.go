package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// withUnread adds to the limit of an inexact yes the words that nothing reads: "fix it, auth.go is off
// limits". People are asked about them, and what they permit then is held to them.
func withUnread(text, scope, condition string) (string, string) {
	rest := unread(text)
	if rest == "" {
		return scope, condition
	}
	limit := rest
	when := ""
	if conditionAt(rest) != nil {
		limit, when = splitCondition(rest)
	}
	if condition == "" {
		condition = when
	}
	switch at := strings.Index(limit, scope); {
	case scope == "", at > 0 && words.HasWord(bareOnly.ReplaceAllString(limit[:at], "")):
		scope = limit // what the scope was found in says more
	}
	return scope, condition
}

// unread returns the words of an English yes beyond those that agree, approve, thank, or add something to the
// fix. What names a thing to fix is a limit: "fix price.go" is "only price.go".
func unread(text string) string {
	var kept []string
	text, _, _ = strings.Cut(text, "```")
	text = words.Polite(words.Squeeze(text))
	m := approvedThen.FindStringSubmatch(text)
	if m == nil {
		if at := endsWith.FindStringIndex(text); at != nil { // "auth.go is off limits, fix it"
			for _, part := range readParts.Split(text[:at[0]], -1) {
				if limit.MatchString(part) || fencesOff.MatchString(part) {
					kept = append(kept, part)
				}
			}
		}
		return joinParts(kept)
	}
	rest := m[1]
	if m[2] != "" {
		rest = m[2]
	}
	for i, part := range readParts.Split(alsoBehind.ReplaceAllString(rest, " $1"), -1) {
		part = strings.Trim(partOpeners.ReplaceAllString(part, ""), " .,;:!-")
		switch {
		case !words.HasWord(part), pleasant.MatchString(part), builtIn().Is(part, phrases.Praise),
			thanksFor.MatchString(part), widens.MatchString(part), adds.MatchString(part):
		case i == 0 && m[2] != "" && !beginsLimit.MatchString(part):
			kept = append(kept, "only "+part)
		default:
			kept = append(kept, part)
		}
	}
	return joinParts(kept)
}

var (
	// approvedThen matches words of approval with what follows, and "fix" with what is to be fixed.
	approvedThen = lazyregexp.New(
		`(?is)^` + openly + `(?:(?:only |just )?(?:` + goAhead + `|merge it|do that|` +
			`fix that)\b([ ,.;:!(].*)|fix (.+))$`,
	)
	alsoBehind  = lazyregexp.New(`(?i),? (too|as well|also)\b`)
	readParts   = lazyregexp.New(`(?s)[,;!]+\s+|\.\s+|\s-+\s|\n`)
	partOpeners = lazyregexp.New(`(?i)^\W*(?:(?:and|but|then|so|please|just) )*`)
	pleasant    = lazyregexp.New(
		`(?i)^(?:(?:please|pls|plz|thanks|thank you|thx|cheers|now|then|asap|already|anyway|again|` +
			`properly|soon|right away|immediately|quickly|` +
			`no (?:rush|hurry|worries|problem|pressure|stress)|take your time|(?:don't|` +
			`do not) wait for (?:me|us)|a lot|so much|very much|great|good|nice|perfect|awesome|cool|` +
			`(?:good|nice|great) (?:catch|find|work|job)|looks good(?: to me)?|` +
			`all|everyone|everybody|guys|folks|team|bot|bobbin|it|this|that|these|those|them|both|` +
			`all of (?:it|them|this|these)|everything|(?:the|this|that) (?:bug|issue|problem|fix)|` +
			`(?:the )?(?:revision|rev|report|version) #?\d+|` +
			`i agree|i approve|yes|yep|ok|okay|lgtm|fix|but|only|just|` + goAhead + `|for (?:now|me|us|` +
			`sure)|with (?:it|this|that)|:[a-z0-9_+'-]+:)[ ,!]*)+$`,
	)
	thanksFor = lazyregexp.New(
		`(?i)^(?:many |big )?(?:thanks|thank you|thx)(?: (?:a lot|so much|very much))? for [^,]{1,40}$|` +
			`^it(?:'s| is) (?:very |really )?(?:urgent|important)$`,
	)
	// adds matches what is to be done beside the fix, which limits nothing.
	adds = lazyregexp.New(`(?i)^(?:also\b|add |make |write |it (?:also|only|still) )|\b(?:too|as well|also)$`)
	// fencesOff matches a clause that names what has to stay.
	fencesOff = lazyregexp.New(
		`(?i)\b(?:is|are|stays?|remains?) (?:off.limits|taboo|untouched|as (?:it|they) ` +
			`(?:is|are)|out of scope)$`,
	)
)

// unreadIn returns the words of a near miss in any language behind those that approve, if they are more than
// the words that may follow any.
func (l Lexicon) unreadIn(text string) string {
	tail, approves := l.phrases().CutWhole(text, phrases.Approve, phrases.Near)
	tail = strings.Trim(tail, " ,.;:!-")
	says := len(strings.Fields(tail)) > 1 || strings.ContainsAny(tail, "./_")
	if !approves || !says || l.phrases().OnlyTails(tail) {
		return ""
	}
	return tail
}
