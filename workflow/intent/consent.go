package intent

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ConsentKind says what a message says about a report that waits.
type ConsentKind string

// The kinds of consent. Only the first two may become an approval, and only when the
// person, the revision and the phase allow it.
const (
	ConsentNone    ConsentKind = ""
	ConsentApprove ConsentKind = "approve" // the whole message is one of the words
	ConsentScoped  ConsentKind = "scoped"  // the same, limited by Scope
	ConsentUnclear ConsentKind = "unclear" // sounds like consent: people are asked
	ConsentRefuse  ConsentKind = "refuse"  // not now, or not at all
	ConsentStop    ConsentKind = "stop"    // the whole message is a word of stop
)

// Consent is what ReadConsent found. Scope holds the words that limit it, word for word;
// an unclear one may have a scope too, to be shown when people are asked.
type Consent struct {
	Kind  ConsentKind
	Scope string
}

// ReadConsent judges a message by its words alone: no model takes part, and whatever is
// not exactly one of the known forms is at most Unclear. The text is as the gateway hands
// it on, without the bot's own mention, so any mention in it names somebody else.
//
// Quotes, code, questions, negations and conditions are never Approve, and neither is a
// text with a character that only looks like one of ours.
func ReadConsent(text string) Consent {
	plain := straighten(text)
	own, quoted := ownLines(plain)
	words := trimAddress(own)
	if words == "" || utf8.RuneCountInString(words) > maxConsent || addressesOther.MatchString(words) {
		return Consent{}
	}
	exact := !quoted && isPlainASCII(plain) && !strings.Contains(plain, "```") && !mentions.MatchString(plain)
	if exact {
		if c := readExact(words); c.Kind != ConsentNone {
			return c
		}
	}
	return readLoose(words, quoted)
}

// AllowsPush reports whether the whole message is the word that lets a change be pushed
// which decides more than what the code does. It is held to the form of ReadConsent.
func AllowsPush(text string) bool {
	plain := straighten(text)
	own, quoted := ownLines(plain)
	if quoted || !isPlainASCII(plain) || strings.Contains(plain, "```") || mentions.MatchString(plain) {
		return false
	}
	return slices.Contains([]string{"push it", "yes, push it", "yes push it"}, strings.ToLower(polite(trimAddress(own))))
}

// SaysGoOn reports whether the whole message says that the work may go on, and nothing
// else: no question, quote or condition.
func SaysGoOn(text string) bool {
	plain := straighten(text)
	own, quoted := ownLines(plain)
	return !quoted && isPlainASCII(plain) && slices.Contains(goingOn, strings.ToLower(polite(trimAddress(own))))
}

// goingOn are the words for it.
var goingOn = []string{"go on", "yes, go on", "yes go on", "ok, go on", "ok go on", "go ahead", "continue", "carry on", "keep going", "resume"}

// maxConsent is how long, in characters, a message may be to be read as consent at all.
const maxConsent = 300

// approving are the words of approval; each stands as the whole message.
var approving = []string{"fix it", "go ahead", "approve", "approved", "lgtm", "ship it", "do it", "yes, fix it", "yes fix it"}

var stopping = []string{
	"stop", "stop it", "stop this", "stop that", "stop now", "stop work", "stop working", "abort", "abort it", "abort this",
	"cancel", "cancel it", "cancel this", "cancel that",
}

var refusing = []string{
	"no", "nope", "nah", "not yet", "not now", "wait", "hold", "hold on", "hold off", "hold it", "don't", "do not", "no thanks",
	"reject", "rejected", "leave it", "leave it alone", "later", "maybe later", "never mind", "nevermind",
}

// readExact reads what is to be taken at its word.
func readExact(words string) Consent {
	said := polite(words)
	key := strings.ToLower(said)
	switch {
	case slices.Contains(stopping, strings.TrimRight(key, "!")):
		return Consent{Kind: ConsentStop}
	case slices.Contains(approving, key):
		return Consent{Kind: ConsentApprove}
	}
	return readScope(said)
}

// The forms of a scope. Each has the scope as its only group.
var scopes = []*regexp.Regexp{
	regexp.MustCompile(`(?is)^(?:yes,? )?fix only(?:: ?| )(.+)$`),
	regexp.MustCompile(`(?is)^(?:yes,? )?only fix(?:: ?| )(.+)$`),
	regexp.MustCompile(`(?is)^(?:yes,? )?just fix(?:: ?| )(.+)$`),
	regexp.MustCompile(`(?is)^(?:yes,? )?fix it,? but (.+)$`),
	regexp.MustCompile(`(?is)^(?:yes,? )?fix (.+?),? only$`),
}

// readScope takes one of the forms with a scope. A scope that says when instead of what,
// or says nothing, or goes on in another sentence, has to be asked about.
func readScope(said string) Consent {
	for _, form := range scopes {
		m := form.FindStringSubmatch(said)
		if m == nil {
			continue
		}
		scope := strings.TrimSpace(m[1])
		switch {
		case refusesLater.MatchString(scope):
			return Consent{Kind: ConsentRefuse}
		case strings.Contains(scope, "?"):
			return Consent{}
		case everything.MatchString(scope):
			return Consent{Kind: ConsentUnclear}
		case conditional.MatchString(setAside.ReplaceAllString(scope, "$1")) || anotherSentence.MatchString(scope) || hasConsentWords(scope):
			return Consent{Kind: ConsentUnclear, Scope: scope}
		}
		return Consent{Kind: ConsentScoped, Scope: scope}
	}
	return Consent{}
}

var (
	refusesLater = regexp.MustCompile(`(?i)^(?:please )?(?:not (?:yet|now|today|tonight|this week|at the moment)|later|wait\b.*|hold (?:on|off)\b.*|don't(?: yet)?|do not(?: yet)?|don't (?:fix|do|touch|start|change) (?:it|that|this|anything)\b.*)$`)
	everything   = regexp.MustCompile(`(?i)^(?:it|this|that|them|all|everything|the bug|the issue|the problem|this bug|that bug)(?: (?:all|now|already|properly))?$`)
	conditional  = regexp.MustCompile(`(?i)\b(?:if|unless|until|till|when|whenever|once|after|before|first|later|tomorrow|tonight|today|monday|tuesday|wednesday|thursday|friday|next (?:week|month|sprint)|yet|wait|hold|as soon as|provided|assuming|depending|in case|ask me|check with|confirm)\b`)
	// What is left for another time limits a fix; it is no condition of it.
	setAside        = regexp.MustCompile(`(?i)\b((?:leave|keep|save)(?: [\w./'-]+){1,8}) for (?:later|another (?:time|day)|tomorrow|next (?:week|month|sprint))\b`)
	anotherSentence = regexp.MustCompile(`[.!;]\s+\S|\n\s*\n`)
)

// readLoose finds what a person may have meant as consent, to be asked about, and what is
// a refusal. It never gives Approve or Scoped.
func readLoose(words string, quoted bool) Consent {
	bare := strings.ToLower(polite(squeeze(withoutSpeech(words))))
	switch {
	case bare == "":
		return Consent{}
	case quoted && slices.Contains(stopping, bare):
		return Consent{Kind: ConsentStop}
	case slices.Contains(refusing, strings.TrimRight(bare, "!")), isRefusal(bare):
		return Consent{Kind: ConsentRefuse}
	case negation.MatchString(bare), asks(bare):
		return Consent{}
	case !soundsLike(bare):
		return Consent{}
	}
	return Consent{Kind: ConsentUnclear, Scope: looseScope(words)}
}

var negation = regexp.MustCompile(`(?i)\b(?:not|no|nope|nah|never|cannot|none|nobody|neither|nor|without|refuse|reject(?:ed)?|disapproved?|(?:do|does|did|ca|wo|would|should|could|is|was|have|has|must|need)n'?t|hold (?:on|off)|wait|instead of|rather than)\b|:-1:|:(?:no_entry|no_entry_sign|thumbsdown|x|octagonal_sign):`)

// isRefusal: a short message that negates one of the words of consent.
func isRefusal(bare string) bool {
	return len(strings.Fields(bare)) <= 8 && negation.MatchString(bare) && hasConsentWords(bare) && !strings.Contains(bare, "?")
}

var consentWords = regexp.MustCompile(`(?i)\b(?:fix|fix it|go ahead|approved?|lgtm|ship it|do it|do that|proceed|merge it|touch it)\b`)

func hasConsentWords(s string) bool { return consentWords.MatchString(s) }

// asks: a question is no consent. "Can you fix it?" is a request in the form of one, and
// is left to soundsLike.
func asks(bare string) bool {
	if requesting.MatchString(bare) {
		return false
	}
	return strings.HasSuffix(bare, "?") || questioning.MatchString(bare)
}

var (
	requesting  = regexp.MustCompile(`^(?:can|could|would|will) you (?:please |just |now )*(?:go ahead|fix (?:it|this|that)|do it|ship it)(?: now| please)*\??$`)
	questioning = regexp.MustCompile(`^(?:should|shall|do|does|did|is|are|was|were|can|could|would|will|why|how|what|when|where|who|which|whose|may|might|must|have|has)\b (?:we|i|you|they|it|he|she|the|this|that|anybody|anyone|somebody|someone|to|if|about|will|would|should|can|is|do|does)\b`)
)

var (
	softWords = []string{
		"yes", "yes please", "yep", "yeah", "yup", "ok", "okay", "k", "sure", "go", "go on", "go for it", "proceed", "please", "please do",
		"sounds good", "looks good", "looks good to me", "make it so", "agreed", "i agree", "confirmed", "confirm", "+1", "fix", "merge it", "merge",
		"do that", "ship", "accept", "accepted", "thumbs up", "y", "right", "correct", "exactly", "absolutely", "of course", "perfect", "great",
	}
	// An opening and a consent, then anything: "ok, fix it in the store".
	opensWith   = regexp.MustCompile(`^(?:(?:yes|yep|yeah|ok|okay|sure|great|perfect|thanks|thank you|cool|good|nice|right|alright|please|then|so|now|just|only|i|we|you|can|could|may|will|would|should|let's|lets|let us|approve:)[,!. ]*)*(?:fix (?:it|this|that|the|all|only|just|both|everything)\b|fix$|go ahead|approved?\b|lgtm|ship (?:it|this|that)\b|do (?:it|that|this)\b|go for it|proceed\b|make it so|merge (?:it|this)\b)`)
	endsWith    = regexp.MustCompile(`\b(?:fix (?:it|this|that)|go ahead|approved?|lgtm|ship it|do it|go for it)(?: (?:now|please|then|thanks|too|anyway|already|asap))*[.!]*$`)
	emojiAtEdge = regexp.MustCompile(`^:[a-z0-9_+'-]+:|:[a-z0-9_+'-]+:$`)
	emoji       = regexp.MustCompile(`:[a-z0-9_+'-]+:(?::skin-tone-[2-6]:)?`)
	approveBy   = regexp.MustCompile(`^(?::(?:\+1|thumbsup|white_check_mark|heavy_check_mark|ok_hand|ok|rocket|shipit|ship):(?::skin-tone-[2-6]:)?\s*)+$`)
	// Somebody tells of a fix, or will do it with their own hands.
	tells = regexp.MustCompile(`\b(?:i'll|we'll|i will|we will|they'll|he'll|she'll|i'm going to|i am going to|let me|i can|i could|tried|try|trying|attempt(?:s|ed)?|failed|fails|already fixed|somebody|someone|anybody|who|hope|wish|wanted|used to|before you|as soon as|said|says|told|asked|wrote|writes)\b`)
)

// soundsLike: short, and made of words that people use to consent.
func soundsLike(bare string) bool {
	if approveBy.MatchString(strings.TrimSpace(bare)) {
		return true
	}
	bare = squeeze(emoji.ReplaceAllString(bare, " "))
	bare = strings.Trim(bare, " .!,;-")
	switch {
	case slices.Contains(softWords, bare), slices.Contains(approving, bare):
		return true
	case len(strings.Fields(bare)) > 25 || tells.MatchString(bare):
		return false
	}
	return requesting.MatchString(bare) || opensWith.MatchString(bare) || endsWith.MatchString(bare)
}

var limiting = regexp.MustCompile(`(?is)(?:\bbut |\bonly\b(?: fix)?:? ?|\bexcept |\bjust (?:fix )?)(.+)$`)

// looseScope is what a message that is not exact would limit a fix to, to be shown in the
// question; a condition is none, since no second look at the diff could enforce it.
func looseScope(words string) string {
	m := limiting.FindStringSubmatch(polite(words))
	if m == nil {
		return ""
	}
	scope := strings.TrimSpace(m[1])
	if conditional.MatchString(scope) || everything.MatchString(scope) || hasConsentWords(scope) {
		return ""
	}
	if strings.HasPrefix(strings.ToLower(m[0]), "except") {
		return "not " + scope
	}
	return scope
}

// straighten makes the characters that keyboards insert by themselves into those that
// people meant.
func straighten(s string) string { return strings.TrimSpace(typographic.Replace(s)) }

var typographic = strings.NewReplacer(
	"’", "'", "‘", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`,
	"👍", ":+1:", "👎", ":-1:", "✅", ":white_check_mark:", "🚀", ":rocket:", "…", "...", "–", "-", "—", "-", "\u00a0", " ", "\r\n", "\n",
	"&lt;", "<", "&gt;", ">", "&amp;", "&",
)

// ownLines drops what a person quoted of somebody else.
func ownLines(s string) (own string, quoted bool) {
	var kept []string
	for line := range strings.Lines(s) {
		if strings.HasPrefix(strings.TrimSpace(line), ">") {
			quoted = true
			continue
		}
		kept = append(kept, line)
	}
	return strings.TrimSpace(strings.Join(kept, "")), quoted
}

// trimAddress drops what a mention of the bot leaves behind: "<@bot>: fix it". A colon
// that belongs to an emoji stays.
func trimAddress(s string) string {
	s = strings.Trim(s, " \t\n,;-")
	if !emojiAtEdge.MatchString(s) {
		s = strings.Trim(s, " \t\n,:;-")
	}
	return s
}

var (
	addressesOther = regexp.MustCompile(`^(?:<[@!]|@\S)|<@[^>]*>[.!\s]*$`)
	mentions       = regexp.MustCompile(`<[@!]`)
)

// isPlainASCII reports whether nothing in s only looks like the characters we know: no
// letters of other alphabets, no full-width forms, nothing invisible.
func isPlainASCII(s string) bool {
	for _, r := range s {
		if r > unicode.MaxASCII || r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return false
		}
	}
	return true
}

var pleases = regexp.MustCompile(`(?is)^(?:please,? )?(.*?)(?:,? please)?$`)

// polite drops "please" and one final dot or exclamation mark.
func polite(s string) string {
	s = trimAddress(s)
	s = strings.TrimSpace(trimEnd(s))
	if m := pleases.FindStringSubmatch(s); m != nil && m[1] != "" {
		s = strings.TrimRight(m[1], " ,")
	}
	return s
}

// trimEnd drops one final mark; several of them, or dots that hesitate, stay.
func trimEnd(s string) string {
	if n := len(s); n > 1 && (s[n-1] == '.' || s[n-1] == '!') && s[n-2] != '.' && s[n-2] != '!' && s[n-2] != '?' {
		return s[:n-1]
	}
	return s
}

var speech = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`]*`|\"[^\"]*\"|(?:^|\\s)'[^']*'(?:\\s|[.,!?]|$)")

// withoutSpeech drops code and what stands in quotation marks: words that were shown, not said.
func withoutSpeech(s string) string { return speech.ReplaceAllString(s, " ") }

// squeeze drops what cannot be seen and makes every run of blanks one.
func squeeze(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
