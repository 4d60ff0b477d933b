package intent

import (
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// limitOf reads a message that limits work which was approved already: a limited form of approval ("fix only
// the guard", "looks good, but leave the header alone"), or a sentence that is a limit and nothing else
// ("only cart/price.go please", "don't touch the tests"). limit says what may change or what has to stay; ok
// is false for any other message. What asks for another change ("use the other package") limits nothing. c is
// what the message consents to.
func (l Lexicon) limitOf(text string, c Consent) (limit string, ok bool) {
	if c.Kind == ConsentScoped {
		if asksForMore.MatchString(c.Scope) || c.WithoutGoAhead && !limitsWork(c.Scope, text) {
			return "", false
		}
		return limitWords(c.Scope), true
	}
	plain := words.Straighten(text)
	own, quoted := words.OwnLines(plain)
	if quoted || strings.ContainsAny(own, "?`\n") || utf8.RuneCountInString(own) > maxConsent ||
		words.AddressesOther(own) || words.Mentions(plain) {
		return "", false
	}
	own, _ = l.cutRefusal(words.TrimAddress(own))
	said := strings.TrimRight(strings.TrimSpace(limitOpeners.ReplaceAllString(words.Polite(own), "")), " .!")
	said = limitTails.ReplaceAllString(said, "")
	if !limitsOnly(said) || conditionAt(said) != nil || anotherSentence.MatchString(said) {
		return "", false
	}
	return said, true
}

// limitsOnly reports whether words are a limit and nothing else.
func limitsOnly(text string) bool {
	keeps := leavesAlone.MatchString(text) && !leavesNothing(text) && !smallTalk.MatchString(text)
	only := onlyThis.MatchString(text) && !limitsNoThing(text) && !statesSomething.MatchString(text)
	return keeps || only || limitsToPath.MatchString(text)
}

// leavesNothing reports whether the first clause of a limit leaves nothing of the fix, so that what follows
// is a reason: "don't change a thing, it's perfect".
func leavesNothing(text string) bool { return limitsAll.MatchString(readParts.Split(text, 2)[0]) }

// limitsWork reports whether the limit of a mere yes is one of the work: it says what to keep, names the
// thing that alone may change, a file or a step, or stands behind praise of what was shown. In the middle of
// work "yes, only in production" and "sure, but not the canteen" answer somebody.
func limitsWork(scope, text string) bool {
	if leavesNothing(scope) || smallTalk.MatchString(scope) {
		return false
	}
	return keepsThing.MatchString(scope) || namesFile.MatchString(scope) || praisesFirst.MatchString(text)
}

// objectsBesideLimit reports whether a message that limitOf reads as a limit also objects to the work:
// "don't touch refund, and I don't agree".
func (l Lexicon) objectsBesideLimit(text string) bool {
	own, _ := words.OwnLines(words.Straighten(text))
	_, refusal := l.cutRefusal(words.TrimAddress(own))
	return refusal != RefusalNone
}

// cutRefusal drops the clauses that refuse from a limit, and returns what they refuse. If nothing refuses, or
// nothing else would be left, it returns own as it is.
func (l Lexicon) cutRefusal(own string) (rest string, refusal Refusal) {
	if l.refusal(own) == RefusalNone {
		return own, RefusalNone
	}
	kept := own
	for _, part := range besideLimit.Split(own, -1) {
		if limitsOnly(strings.TrimRight(limitOpeners.ReplaceAllString(part, ""), " .!")) {
			continue
		}
		if r := l.refusal(part); r != RefusalNone {
			refusal = stronger(refusal, r)
			kept = strings.Replace(kept, part, "\n", 1)
		}
	}
	kept = strings.Trim(aroundCut.ReplaceAllString(kept, ", "), " ,;.!-")
	if refusal == RefusalNone || kept == "" {
		return own, RefusalNone
	}
	return kept, refusal
}

var (
	besideLimit = lazyregexp.New(`(?i)(?:[,;.!]+ +| -+ )(?:(?:and|but|also) )?| (?:and|but) `)
	// aroundCut matches the marks around a clause that was cut off.
	aroundCut = lazyregexp.New(`(?i)(?:[,;.! -]|\b(?:and|but|also)\b)*\n(?:[,;.! -]|\b(?:and|but|also)\b)*`)
)

// Parts of limits in the words of all languages: a file or folder, several, what alone may change, and what
// is left out.
const (
	path      = `[\w./-]*(?:\w\.[a-z]\w*|\w/)[\w./*-]*`
	paths     = path + `(?:(?:,| and| or|,? und|,? et|,? y|,? e|,? en|,? i) ` + path + `)*`
	onlyWords = `only|just|nothing but|nur|bloß|seulement|uniquement|juste|solo|sólo|solamente|` +
		`soltanto|só|somente|apenas|alleen|enkel|tylko|jedynie`
	exceptWords = `not|without|w/o|skip|except(?: for)?|excluding|exclude|minus|omit|leave out|` +
		`no changes (?:to|in)|nothing in|stay out of|keep out of|ohne|außer|nicht|sans|sauf|pas|sin|` +
		`excepto|sem|exceto|senza|tranne|zonder|behalve|niet|bez|oprócz`
)

// limitWords returns the words of a limit as they are read without those of the approval around them.
func limitWords(scope string) string {
	if beginsLimit.MatchString(scope) {
		return scope
	}
	return "only " + scope
}

var (
	limitOpeners = lazyregexp.New(
		`(?i)^(?:(?:please|pls|but|and|ok|okay|hey|oh|one more thing|also|actually|sorry|well|i mean|` +
			`i meant|rather|bitte|aber|por favor|pero|per favore|ma|s'il te plaît|s'il vous plaît|svp|` +
			`mais|alsjeblieft|maar|proszę|ale|mas)[,:.!]? +)+`,
	)
	limitTails = lazyregexp.New(
		`(?i),? (?:bitte|por favor|per favore|s'il te plaît|s'il vous plaît|svp|alsjeblieft|proszę)$`,
	)
	leavesAlone = lazyregexp.New(
		`(?i)^(?:leave .+ (?:alone|out|as (?:it|they) (?:is|are))|(?:don't|dont|do not|` +
			`never) (?:(?:touch|change|edit|modify|alter|rename|reformat|refactor) .+|fix (?:the )?` + path +
			`)|stay (?:in|within|inside) .+|limit (?:it|this|the fix) to .+|restrict (?:it|this|` +
			`the fix) to .+)$`,
	)
	onlyThis = lazyregexp.New(`(?i)^(?:only|just|nothing but) \S+(?: \S+){0,7}$`)
	// limitsToPath matches what names nothing but files: what alone may change, or what has to stay.
	limitsToPath = lazyregexp.New(
		`(?i)^(?:(?:` + onlyWords + `|` + exceptWords + `)(?: (?:in|the|fix|change|edit|touch))* ` + paths +
			`|(?:只改|只修|只动|仅修改|不要动|别动) ?` + paths +
			`|` + paths + ` ?(?:だけ|のみ|만)(?:にして|お願いします|で| 고쳐 주세요)?)$`,
	)
	namesFile  = lazyregexp.New(`(?i)(?:^|\s)` + path + `(?:$|[\s,;])|\x60|\b` + steps + ` #?\d`)
	keepsThing = lazyregexp.New(
		`(?i)^(?:please )?(?:(?:leave|keep|skip|preserve|avoid|spare|stick to|stay|limit|restrict|` +
			`exclude|omit|make no|no|don't|dont|do not|never|without) \S|(?:only|just) (?:the|this|` +
			`these|its) \S)`,
	)
	praisesFirst = lazyregexp.New(
		`(?i)^\W*(?:looks|sounds|good|great|nice|perfect|lgtm|sgtm|makes sense|all good)\b`,
	)
	// smallTalk matches what only looks like a limit.
	smallTalk = lazyregexp.New(
		`(?i)^(?:please )?(?:leave (?:me|us|him|her|them) (?:alone|out|be)|keep (?:it up|it coming|` +
			`an eye|me |us |going|calm|in (?:mind|touch)|up\b|(?:that|this|it) in mind)|skip (?:lunch|` +
			`the (?:small talk|meeting|standup))|just the (?:two|three|few) of (?:us|you))`,
	)
	// statesSomething matches a sentence about the world, which is a report or a correction.
	statesSomething = lazyregexp.New(
		`(?i)\b(?:is|are|was|were|am|be|has|have|had|does|do|did|needs?|fails?|works?|happens?|breaks?|` +
			`shows?|says?|gets?|should|would|could|can|will|must|when|where|if|because|since|` +
			`as far as|afaik|iirc|i (?:think|guess|believe|suppose|mean)|apparently|probably|maybe|` +
			`perhaps|so far)\b`,
	)
	asksForMore = lazyregexp.New(`(?i)^(?:please )?(?:use|call it|name it|add|also)\b`)
	beginsLimit = lazyregexp.New(
		`(?i)^(?:please )?(?:only|just|nothing but|not|no|minus|without|w/o|exclude|excluding|omit|except|` +
			`leave|keep|skip|preserve|avoid|spare|stick|stay|limit|restrict|make no|don't|dont|do not|` +
			`never)\b`,
	)
)
