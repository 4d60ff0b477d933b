package intent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// ConsentKind is what a message says about a report that waits for approval.
type ConsentKind string

// The kinds of consent. Only ConsentApprove and ConsentScoped may become an approval, and only when the
// person, the revision and the phase allow it.
const (
	ConsentNone    ConsentKind = ""
	ConsentApprove ConsentKind = "approve" // the whole message is a form of approval
	ConsentScoped  ConsentKind = "scoped"  // an approval that is limited by Scope
	ConsentUnclear ConsentKind = "unclear" // sounds like consent: people are asked
	ConsentRefuse  ConsentKind = "refuse"  // not now, or not at all
	// the message is a word that stops work, and nothing else but politeness
	ConsentStop ConsentKind = "stop"
)

// Consent is what a message says about a report that waits for approval. Scope holds the words that limit the
// approval, word for word. An unclear consent may have a Scope, too, which is shown when people are asked.
type Consent struct {
	Kind  ConsentKind
	Scope string
	// what the message makes its consent depend on, in its words: an event, or a time
	Condition string
	// an agreement with a scope and no word to go ahead: it may answer another person
	WithoutGoAhead bool
	// in other words than those of approval: if no report waits, it means something else
	NeedsWaitingReport bool
}

// Consents reports whether the consent may become an approval.
func (c Consent) Consents() bool { return c.Kind == ConsentApprove || c.Kind == ConsentScoped }

// readConsent judges a message by its words alone: no model takes part, and a message that is not exactly one
// of the known forms is never an approval. text is as the gateway passes it on, without the bot's own
// mention, so any mention in it is of another person.
//
// Quotes, code, questions, negations and conditions are never ConsentApprove. In English a text with a
// character that only looks like ASCII is none, either; a phrase of another language counts letter by letter.
//
// refusal is what its words refuse, and ends says that they end work in any phase.
func (l Lexicon) readConsent(text string, refusal Refusal, ends bool) Consent {
	plain := words.Straighten(text)
	own, quoted := words.OwnLines(plain)
	own = words.TrimAddress(own)
	if ends {
		return Consent{Kind: ConsentStop}
	}
	if own == "" || utf8.RuneCountInString(own) > maxConsent || words.AddressesOther(own) {
		return Consent{}
	}
	if !quoted && !strings.Contains(plain, "```") && !words.Mentions(plain) {
		if c := l.readExact(plain, own, refusal); c.Kind != ConsentNone {
			return c
		}
	}
	return l.readLoose(own, refusal)
}

// readExact reads the forms that count word for word: an approval, and an approval with a scope.
func (l Lexicon) readExact(plain, own string, refusal Refusal) Consent {
	if l.phrases().IsWhole(own, phrases.Approve) {
		return Consent{Kind: ConsentApprove}
	}
	if !words.IsPlainASCII(plain) {
		return Consent{}
	}
	text := words.Polite(own)
	if approval.MatchString(words.Squeeze(text)) {
		return Consent{Kind: ConsentApprove, NeedsWaitingReport: true}
	}
	c := readScope(text)
	if c.Kind == ConsentScoped && refusal == RefusalStop {
		return Consent{Kind: ConsentRefuse} // "fix it, but don't push it"
	}
	if c.Kind == ConsentScoped && l.refusal(c.Scope) != RefusalNone {
		c.Kind = ConsentUnclear // "fix it, but no"
	}
	c.NeedsWaitingReport = c.Kind == ConsentScoped && !fixing.MatchString(text)
	return c
}

var fixing = lazyregexp.New(`(?i)^(?:yes,? )?(?:(?:only |just )?fix)\b`)

// The words of approval: an optional agreement, one or two phrases that say to go ahead, and optional thanks
// or a friendly emoji ("looks good, go ahead", "ok, fix it now", "lgtm, ship it :rocket:"). They are the
// whole message, or precede what limits them (see readScope). An assent is an agreement that says yes, and
// not only thanks.
const (
	assent = `(?:yes|yep|yeah|yup|ok|okay|sure|great|perfect|right|alright|agreed|i agree|makes sense|` +
		`(?:looks|sounds|all) (?:good|great|right|fine)(?: to me)?|sgtm|lgtm|that's (?:it|right)|exactly)`
	agreement = `(?:` + assent + `|thanks|thank you|thx|cool|good|nice|(?:good|nice) (?:catch|find|work|job))`
	goAhead   = `(?:(?:please |just |let's |(?:so |then )?(?:you can |you may )?)?(?:fix (?:it|this)|go ` +
		`ahead(?: (?:and fix it|with (?:it|this|the fix)))?|go for it|do it|ship it|proceed|make it so)|` +
		`(?:i )?approved?(?: (?:it|this))?|lgtm)`
	friendly = `(?:(?:,? (?:and )?(?:now|then|please|thanks|thank you|thx|cheers|asap))|[,.!]? ` + smile +
		`)`
)

var approval = lazyregexp.New(`(?i)^(?:` + agreement +
	`[,.!:;]* )*` + goAhead + `(?:(?:,|\.|!| and|,? then)? ` + goAhead + `)?` + friendly + `*!?$`)

// readLoose finds what a person may have meant as consent, which people are asked about, and refusals. It
// never returns ConsentApprove or ConsentScoped.
func (l Lexicon) readLoose(own string, refusal Refusal) Consent {
	bare := strings.ToLower(words.Polite(words.Squeeze(words.WithoutSpeech(own))))
	bare = strings.TrimSpace(harmlessNo.ReplaceAllString(bare, ""))
	switch {
	case bare == "":
		return Consent{}
	case l.refusesWhole(bare):
		return Consent{Kind: ConsentRefuse}
	case refusal == RefusalNone && approvesFirst(bare): // "fix the guard, not the header"
		scope, condition := looseScope(own)
		return Consent{Kind: ConsentUnclear, Scope: scope, Condition: condition}
	case isRefusal(bare):
		return Consent{Kind: ConsentRefuse}
	case negation.MatchString(bare), isQuestion(bare):
		return Consent{}
	case l.soundsLike(bare):
		scope, condition := looseScope(own)
		return Consent{Kind: ConsentUnclear, Scope: scope, Condition: condition}
	case refusal == RefusalNone:
		if m := yesWhen.FindStringSubmatch(words.Polite(own)); m != nil && !reports.MatchString(m[1]) {
			return Consent{Kind: ConsentUnclear, Condition: m[1]}
		}
		return l.readNearMiss(own)
	}
	return Consent{}
}

// refusesWhole reports whether a whole message is one phrase that refuses or puts off.
func (l Lexicon) refusesWhole(bare string) bool {
	bare = phrases.Fold(strings.TrimRight(bare, "!"))
	refusing := []phrases.Meaning{phrases.No, phrases.Wait, phrases.Hold}
	return slices.ContainsFunc(refusing, func(m phrases.Meaning) bool { return l.phrases().IsWhole(bare, m) })
}

// harmlessNo matches a no that refuses nothing, such as "no rush".
var harmlessNo = lazyregexp.New(`[,.!]? (?:no (?:rush|hurry|worries|problem)|don't wait for (?:me|us))\b`)

// approvesFirst reports whether a short message begins with words that consent, and denies something behind
// them.
func approvesFirst(bare string) bool {
	at := opensWith.FindStringIndex(bare)
	return at != nil && isRefusal(bare) && !negation.MatchString(bare[:at[1]]) &&
		!reportsAFix.MatchString(bare)
}

var consentWords = lazyregexp.New(
	`(?i)\b(?:fix|fix it|go ahead|approved?|lgtm|ship it|do it|do that|proceed|merge it|touch it)\b`)

// isQuestion reports whether a message is a question, which is no consent. It returns false for "Can you fix
// it?", a request in the form of a question, which soundsLike judges.
func isQuestion(bare string) bool {
	if requesting.MatchString(bare) {
		return false
	}
	return strings.HasSuffix(bare, "?") || questioning.MatchString(bare) && !tellsToDo.MatchString(bare)
}

var (
	tellsToDo  = lazyregexp.New(`^do (?:it|this|that)\b`)
	requesting = lazyregexp.New(`^(?:can|could|would|will) you (?:please |just |now )*(?:go ahead|fix ` +
		`(?:it|this|that)|do it|ship it)(?: now| please)*\??$`)
	questioning = lazyregexp.New(`^(?:should|shall|do|does|did|is|are|was|were|can|could|would|will|why|` +
		`how|what|when|where|who|which|whose|may|might|must|have|has)\b (?:we|i|you|they|it|he|she|the|` +
		`this|that|anybody|anyone|somebody|someone|to|if|about|will|would|should|can|is|do|does)\b`)
)

var (
	// opensWith matches an opening and a consent, followed by anything: "ok, fix it in the store".
	opensWith = lazyregexp.New(`^(?:(?:yes|yep|yeah|ok|okay|sure|great|perfect|thanks|thank you|cool|good|` +
		`nice|right|alright|please|then|so|now|just|only|i|we|you|can|could|may|will|would|should|let's|` +
		`lets|let us|approve:)[,!. ]*)*(?:fix (?:it|this|that|the|all|only|just|both|everything)\b|fix$|go ` +
		`ahead|approved?\b|lgtm|ship (?:it|this|that)\b|do (?:it|that|this)\b|go for it|proceed\b|make it ` +
		`so|merge (?:it|this)\b)`)
	endsWith = lazyregexp.New(`\b(?:fix (?:it|this|that)|go ahead|approved?|lgtm|ship it|do it|go for ` +
		`it)(?: (?:now|please|then|thanks|too|anyway|already|asap))*[.!]*$`)
	emoji     = lazyregexp.New(`:[a-z0-9_+'-]+:(?::skin-tone-[2-6]:)?`)
	approveBy = lazyregexp.New(`^(?::(?:\+1|thumbsup|white_check_mark|heavy_check_mark|ok_hand|ok|rocket|` +
		`shipit|ship):(?::skin-tone-[2-6]:)?\s*)+$`)
	// reportsAFix matches a message that reports a fix, or whose writer wants to make it.
	reportsAFix = lazyregexp.New(
		`\b(?:i'll|we'll|i will|we will|they'll|he'll|she'll|i'm going to|i am going to|let me|i can|i ` +
			`could|tried|try|trying|attempt(?:s|ed)?|failed|fails|already fixed|somebody|someone|anybody|` +
			`who|hope|wish|wanted|used to|before you|as soon as|said|says|told|asked|wrote|writes)\b`)
)

// soundsLike reports whether a message is short and made of words that people use to consent.
func (l Lexicon) soundsLike(bare string) bool {
	if approveBy.MatchString(strings.TrimSpace(bare)) {
		return true
	}
	bare = words.Squeeze(emoji.ReplaceAllString(bare, " "))
	bare = strings.Trim(words.Courteous(bare), " .!,;-")
	switch {
	case l.phrases().IsWhole(bare, phrases.Yes), approval.MatchString(bare):
		return true
	case len(strings.Fields(bare)) > 25 || reportsAFix.MatchString(bare):
		return false
	}
	return requesting.MatchString(bare) || opensWith.MatchString(bare) || endsWith.MatchString(bare)
}

var (
	// yesWhen matches a bare yes with a condition or a time: "yes, pending CI", "ok, tomorrow".
	yesWhen = lazyregexp.New(
		`(?i)^(?:` + agreement + `[,.!:;]* )*` + assent + `[,.!:;]* (?:` + agreement +
			`[,.!:;]* )*(?:but |then |and )*(?:\()?((?:only |not before )?(?:only if|only when|` +
			conditions +
			`|` + times + `)\b[^.!?()]{0,60})\)?$`,
	)
	// reports matches what happens in a report, and is no condition.
	reports = lazyregexp.New(
		`(?i)^(?:when|until|before)\b|\b(?:i|it|we|you|users?|guests?|fails?|breaks?|happens?|shows?|` +
			`press|click|reload|total|price|page)\b`,
	)
)

// maxConsent is the limit, in characters, of a message that is read as consent.
const maxConsent = 300
