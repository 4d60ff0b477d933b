package intent

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Adopts reports whether a whole message makes somebody else's request the writer's own:
// "yes please do this", "+1, please build it", "please do what Gus asked for". It may be the
// permission to build that, so it is read as strictly as an approval: no quote, no code, no
// other person's mention, no character that only looks like one of ours.
func Adopts(text string) bool {
	plain := straighten(text)
	own, quoted := ownLines(plain)
	if quoted || utf8.RuneCountInString(text) > maxWord || !isPlainASCII(plain) || strings.ContainsAny(own, "\"`<>") {
		return false
	}
	s := strings.ToLower(strings.Join(strings.Fields(trimAddress(own)), " "))
	if strings.Contains(s, "?") && !politeQuestion.MatchString(s) {
		return false
	}
	return adopting.MatchString(strings.TrimRight(s, " .!?"))
}

// politeQuestion asks for something in the form of a question.
var politeQuestion = regexp.MustCompile(`\b(?:can|could|would|will) you\b`)

var adopting = regexp.MustCompile(`^(?:(?:yes|yep|yeah|yup|ok|okay|sure|right|agreed|i agree|good idea|great idea|good point|makes sense|\+1|:\+1:|thanks|thank you|bobbin|hi|hey|hello)[,.!: -]+)*` +
	`(?:(?:please|pls|let's|can you|could you|would you|will you|i want you to|i'd like you to)[, ]+)*` +
	`(?:(?:do|build|add|implement|make|fix|mend|handle|take|take on|pick up|look after|look into|work on) ` + adopted + `(?: up| on)?|go ahead with ` + adopted + `|i adopt ` + adopted + `)` +
	`(?:,? (?:please|then|now|for (?:us|him|her|them|me)|thanks|thank you|as (?:asked|described|written|he says|she says|they say)))*$`)

const adopted = `(?:this|that|it|the above|(?:this|that|the) (?:one|request|idea|change|feature|bug|suggestion)|what (?:\w+ ){0,2}(?:asks?|asked|wants?|wanted|writes?|wrote|says?|said|suggests?|suggested|describes?|described|needs?)(?: for)?(?: here| above)?|(?:his|her|their|\w+'s) (?:request|idea|change|feature|suggestion))`

// GoesOn reports whether a message says that what was stopped goes on: one of its sentences
// is nothing but that ("wrong thread, sorry. Go on please"), and no other asks, refuses, or
// sets a condition. Never in a quote, in code, or to somebody else.
func GoesOn(text string) bool {
	if SaysGoOn(text) {
		return true
	}
	plain := straighten(text)
	own, quoted := ownLines(plain)
	if quoted || utf8.RuneCountInString(text) > maxConsent || !isPlainASCII(plain) || addressesOther.MatchString(own) || mentions.MatchString(own) {
		return false
	}
	said := sentences(text)
	if slices.ContainsFunc(said, func(s string) bool {
		return strings.HasSuffix(s, "?") || conditional.MatchString(s) || isRefusal(s) || goingOnMention.MatchString(s) && negation.MatchString(s)
	}) {
		return false
	}
	return slices.ContainsFunc(said, SaysGoOn)
}

// MentionsGoingOn reports whether a message speaks of going on at all, so that whoever
// wrote it may be asked whether it meant stopped work.
func MentionsGoingOn(text string) bool {
	return slices.ContainsFunc(sentences(text), goingOnMention.MatchString)
}

var goingOnMention = regexp.MustCompile(`\b(?:go on|go ahead|continue|carry on|keep going|resume)\b`)

// PassesOn reports whether a whole message says that held words may reach the agents.
func PassesOn(text string) bool {
	plain := straighten(text)
	own, quoted := ownLines(plain)
	return !quoted && isPlainASCII(plain) && slices.Contains([]string{"pass it on", "yes, pass it on", "yes pass it on", "pass that on", "pass this on"}, strings.ToLower(polite(trimAddress(own))))
}

// OnlyAsks reports whether a message does nothing but ask for information: each of its
// sentences is a question that begins like one ("what", "is", "does"). "Can you", "how
// about" and "why not" ask for something to be done.
func OnlyAsks(text string) bool {
	own, quoted := ownLines(straighten(text))
	if quoted || speech.MatchString(codeWord.ReplaceAllString(own, "$1")) { // what is only shown may say more
		return false
	}
	said := slices.DeleteFunc(sentences(text), Acknowledges)
	for _, s := range said {
		s = openers.ReplaceAllString(s, "")
		if !strings.HasSuffix(s, "?") || !informing.MatchString(s) || suggesting.MatchString(s) {
			return false
		}
	}
	return len(said) > 0
}

var (
	informing  = regexp.MustCompile(`^(?:what|which|who|whose|where|when|since when|why|how|is|are|was|were|does|do|did|has|have|had)\b`)
	suggesting = regexp.MustCompile(`^(?:how about|what about|what if|why (?:not|don't|doesn't|isn't|aren't|can't)|do (?:it|this|that|you mind|we want|i need)|have (?:you|it|this|that|a|an|the)\b|is (?:it|there) (?:a way|any way|any chance|possible)|are you able|do you think you)\b|\b(?:please|could you|can you|would you|will you)\b|,? and (?:then )?(?:add|remove|delete|change|drop|make|build|fix|rename|replace)\b`)
)

// Acknowledges reports whether a message only thanks, or says that it was read.
func Acknowledges(text string) bool {
	s := pictures.Replace(straighten(text))
	s = strings.ToLower(strings.Trim(strings.Join(strings.Fields(s), " "), " .!,"))
	return acknowledging.MatchString(s)
}

var acknowledging = regexp.MustCompile(`^(?:(?:` + smile + `|nice|great|cool|super|perfect|awesome|good(?: (?:job|work|find))?|well done|got it|noted|i see|interesting|wow|ah|oh|hm+|fyi)(?:[,.! ]+|$))+$`)

// Asks reports whether a message may be what somebody asks to be built. One that is
// addressed to the bot is, unless it is a mere question, thanks or a yes; another one needs a
// word of asking ("add", "please", "should", "we need").
func Asks(text string, addressed bool) bool {
	whole := strings.Join(sentences(text), " ")
	if OnlyAsks(text) || Acknowledges(text) || Confirms(text) {
		return false
	}
	return wanting.MatchString(whole) || addressed && len(strings.Fields(whole)) > 1
}

var wanting = regexp.MustCompile(`\b(?:please|pls|add|adds|append|build|make|create|generate|implement|introduce|support|provide|allow|enable|disable|let|show|print|display|log|write|send|export|import|store|cache|change|convert|rename|remove|delete|drop|replace|switch|move|split|merge|use|extend|improve|update|upgrade|refactor|simplify|document|test|validate|check|handle|fix|mend|repair|correct|do|give|put|set|turn|wrap|keep|should|shall|must|has to|have to|ought|needs?|needed|wants?|wanted|wish|would like|i'd like|we'd like|would be (?:nice|good|great|useful|helpful)|could you|can you|could we|can we|missing|lacks?|feature|request|instead)\b`)
