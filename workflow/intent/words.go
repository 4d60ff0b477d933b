package intent

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is how long, in characters, a message may be to be read as one of these words.
const maxWord = 600

// WrapsUp reports whether a message ends an interview and takes the recommended answers.
// The whole message has to say so; "that's enough for one order" is an answer.
func WrapsUp(text string) bool {
	s, ok := request(joined(text))
	return ok && wrapUp.MatchString(s)
}

// WantsMore reports whether a message asks for an interview to go on past its limit.
func WantsMore(text string) bool {
	s, ok := request(joined(text))
	return ok && moreWanted.MatchString(s)
}

// Confirms reports whether a whole message says that an understanding is right. It may be
// the permission to work, so it is read as strictly as an approval: no quote, no code, no
// other person, no character that only looks like one of ours.
func Confirms(text string) bool {
	s := pictures.Replace(straighten(text))
	if utf8.RuneCountInString(text) > maxWord || !isPlainASCII(s) || strings.ContainsAny(s, "\"`<>@?") {
		return false
	}
	s = strings.ToLower(polite(strings.Join(strings.Fields(s), " ")))
	return confirming.MatchString(s)
}

// AsksAboutDiff reports whether a message asks about the change itself: why it is so
// large, why it touches a file, what is in it. A message that also says what to do is not
// only a question, and is left to the agents.
func AsksAboutDiff(text string) bool {
	asked := false
	for _, clause := range clauses(sentences(text)) {
		clause = openers.ReplaceAllString(strings.TrimRight(clause, " ?!."), "")
		switch {
		case aboutDiff.MatchString(clause) && !otherDiff.MatchString(clause):
			asked = true
		case instructs.MatchString(clause):
			return false
		}
	}
	return asked
}

// AsksForDiff reports whether a message that asks about the change wants to see it.
func AsksForDiff(text string) bool {
	return AsksAboutDiff(text) && seesDiff.MatchString(strings.Join(sentences(text), " "))
}

var seesDiff = regexp.MustCompile(`\bshow (?:me|us)\b|\bwhat(?:'s| is) in (?:the|your|this) (?:diff|patch|commit|change)`)

// Redirects reports whether a message in the middle of work makes what is under way
// pointless, so that it is better cancelled than finished. What only adds something
// ("also check …"), thanks, asks or tells does not. A bare "no" or "wait" gives no other
// direction, and is none.
func Redirects(text string) bool {
	if utf8.RuneCountInString(text) > maxWord {
		return false
	}
	all := sentences(text)
	whole := strings.Join(all, " ")
	if informs.MatchString(whole) {
		return false
	}
	whole = openers.ReplaceAllString(whole, "")
	if interrupting.MatchString(whole) {
		rest := interruption.ReplaceAllString(whole, "")
		if hasWord(rest) && !agrees.MatchString(rest) {
			return true
		}
	}
	return slices.ContainsFunc(all, func(s string) bool {
		s = openers.ReplaceAllString(s, "")
		return !strings.HasSuffix(s, "?") && redirecting.MatchString(s) && !harmless.MatchString(s)
	})
}

// OptionNamed finds the option that an answer in words means: the option's own words, its
// number ("2", "option 2", "the second"), or the beginning of its words where that is at
// least three letters long and fits no other. -1 with true means that the answer takes the
// recommendation. A number that could be the option's own words as well as its place
// ("3" for "1 day", "2 days", "3 weeks", "5 weeks") is clear only where both agree.
func OptionNamed(text string, options []string) (int, bool) {
	own, _ := ownLines(pictures.Replace(straighten(text)))
	if utf8.RuneCountInString(text) > maxWord || addressesOther.MatchString(own) {
		return 0, false
	}
	said := strings.ToLower(strings.TrimSpace(own))
	short := courteous(said)
	for _, s := range []string{said, short, choosing.ReplaceAllString(short, "")} {
		if i, ok := ownWords(s, options); ok {
			return i, true
		}
	}
	if short == "" || strings.Contains(short, "?") {
		return 0, false
	}
	s := choosing.ReplaceAllString(short, "")
	if recommended.MatchString(s) || recommended.MatchString(short) {
		return -1, true
	}
	if i, ok := numbered(s, options); ok {
		return i, true
	}
	return beginning(s, options)
}

// Vague reports whether a request for a feature says next to nothing: one short line
// without a path, a number, a quotation, or a word that sets a condition or an aim.
func Vague(text string) bool {
	s := wishing.ReplaceAllString(courteous(straighten(text)), "")
	if utf8.RuneCountInString(text) > maxWord || strings.Contains(s, "\n") || detailed.MatchString(s) {
		return false
	}
	return hasWord(s) && len(strings.Fields(s)) < 8
}

// sentences are a message's own sentences, in lower case: without quotes, code and speech,
// with the name of a thing in code (`cart.go`) as a word; none where somebody else is spoken to.
func sentences(text string) []string {
	own, _ := ownLines(pictures.Replace(straighten(text)))
	if addressesOther.MatchString(own) {
		return nil
	}
	if !onlyCode.MatchString(own) {
		own = codeWord.ReplaceAllString(own, "$1")
	}
	var all []string
	for s := range strings.SplitSeq(endOfSentence.ReplaceAllString(withoutSpeech(own), "$1\n"), "\n") {
		if s = strings.ToLower(squeeze(s)); hasWord(s) {
			all = append(all, trimAddress(s))
		}
	}
	return all
}

// joined is a short message in one line, without what people add out of politeness.
func joined(text string) string {
	if utf8.RuneCountInString(text) > maxWord {
		return ""
	}
	return openers.ReplaceAllString(courteous(strings.Join(sentences(text), " ")), "")
}

// request drops the form of a question from what asks for something ("can we wrap up?");
// another question is not ok.
func request(s string) (string, bool) {
	bare := requestForm.ReplaceAllString(s, "")
	if bare != s {
		s = strings.TrimRight(bare, " ?")
	}
	return s, s != "" && !strings.Contains(s, "?")
}

// clauses are the parts of sentences between commas, so that a demand after a question is seen.
func clauses(sentences []string) []string {
	var all []string
	for _, s := range sentences {
		all = append(all, clauseEnd.Split(s, -1)...)
	}
	return all
}

func courteous(s string) string {
	s = s[:courtesy.FindStringIndex(s)[0]]
	return strings.TrimSpace(trimAddress(politeStart.ReplaceAllString(s, "")))
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// ownWords finds the option with the same words, case and punctuation aside.
func ownWords(s string, options []string) (int, bool) {
	found, hits := 0, 0
	for i, o := range options {
		switch {
		case strings.EqualFold(strings.TrimSpace(o), s) && s != "":
			return i, true
		case lettersOf(o) == lettersOf(s) && lettersOf(s) != "" && !strings.Contains(s, "?"):
			found, hits = i, hits+1
		}
	}
	return found, hits == 1
}

// numbered finds the option whose place is named.
func numbered(s string, options []string) (int, bool) {
	m := place.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(m[2] + m[3])
	if m[4] != "" {
		n = slices.Index(ordinals, m[4]) + 1
	}
	switch m[5] {
	case "former":
		n = 1
	case "last", "latter":
		n = len(options)
	}
	if m[5] == "former" || m[5] == "latter" {
		return n - 1, len(options) == 2
	}
	if m[1] == "" && m[2] != "" && ownNumber(m[2], options, n-1) {
		return 0, false
	}
	return n - 1, n >= 1 && n <= len(options)
}

// ownNumber: an option other than the one at the place begins with that very number.
func ownNumber(number string, options []string, at int) bool {
	for i, o := range options {
		if first, _, _ := strings.Cut(lettersOf(o), " "); first == number && i != at {
			return true
		}
	}
	return false
}

// beginning finds the only option that begins with s.
func beginning(s string, options []string) (int, bool) {
	s = lettersOf(s)
	found, hits := 0, 0
	for i, o := range options {
		if strings.HasPrefix(lettersOf(o), s) {
			found, hits = i, hits+1
		}
	}
	if hits != 1 || utf8.RuneCountInString(strings.Map(onlyLetters, s)) < 3 {
		return 0, false
	}
	return found, true
}

func onlyLetters(r rune) rune {
	if unicode.IsLetter(r) {
		return r
	}
	return -1
}

// lettersOf is what remains of a text without case and punctuation.
func lettersOf(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(straighten(s)), func(r rune) bool {
		return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// Pictures that straighten leaves as they are, and what may hang on any of them.
var pictures = strings.NewReplacer(
	"👌", ":ok_hand:", "💯", ":100:", "✔", ":heavy_check_mark:", "🎉", ":tada:", "🙏", ":pray:", "🙂", ":slightly_smiling_face:", "😀", ":grinning:", "😊", ":blush:",
	"🏻", "", "🏼", "", "🏽", "", "🏾", "", "🏿", "", "\ufe0f", "",
)

var (
	onlyCode      = regexp.MustCompile("^`+[^`]*`+$")
	codeWord      = regexp.MustCompile("`([^`\\s]+)`")
	endOfSentence = regexp.MustCompile(`([.!?])[.!?]*\s+`)
	clauseEnd     = regexp.MustCompile(`[,;:]+\s+|\s-+\s`)
	politeStart   = regexp.MustCompile(`(?i)^(?:please|pls|plz)\b[,:]? *`)
	openers       = regexp.MustCompile(`^(?:(?:(?:please|pls|plz|ok|okay|hey|hi|hm+|um+|uh|oh|ah|so|and|but|well|btw|thanks|thank you|thx|sorry|guys|folks|just|good find|nice|i think|i guess|i fear|i'm afraid)\b|:[a-z0-9_+'-]+:)[,.! :-]*)+`)
	requestForm   = regexp.MustCompile(`^(?:can|could|would|will|may|shall) (?:we|you)\b(?: please| just| now)* `)
)

// The words of an interview. Each is the whole message.
var (
	wrapUp = regexp.MustCompile(`^(?:(?:(?:i|we) (?:have|need|got) to (?:go|run|leave)|gotta (?:go|run)|no (?:more )?time|out of time|that will do)[,.! -]+(?:so )?)?` + wrapPhrase +
		`(?:[,.! -]+(?:and |so |then |just |please )*` + wrapPhrase + `)*(?:[,.! -]+(?:and |then |so )?(?:just )?(?:start|build it|go ahead|go))?[.! ]*$`)
	moreWanted = regexp.MustCompile(`^(?:(?:yes|yeah|yep|sure|let's|let us|just|please|i want|i'd like|give me|i have (?:more )?time)[,.! -]+)*(?:(?:some |a few |a couple (?:of )?|many |lots of )?more questions|keep (?:going|asking)(?: (?:me )?(?:more )?questions)?|keep (?:the questions|them) coming|(?:go|carry) on (?:asking|with the (?:questions|interview))(?: me)?|ask (?:me )?(?:some |a few |a couple |a couple of |all the )?more(?: questions)?|ask (?:away|on|me anything else)|continue (?:asking|the interview|with the (?:questions|interview))|(?:don't|do not) (?:stop asking|wrap up|stop yet)(?: yet| now)?|next question|as many as you (?:like|need|want))(?:[,.! -]+(?:then|i have (?:more )?time|this is (?:good|useful|helpful)|if you (?:like|want|need|must)))?[.! ]*$`)
)

const wrapPhrase = `(?:let's |let us |just |now |then )*(?:wrap (?:it |this |things |that )?up(?: (?:the|this) (?:interview|questions))?|(?:that's|that is|thats) enough(?: (?:questions|of that|of this|for now|now))?|enough(?: (?:questions|of that|of this|of the questions))?(?: (?:already|for now|now))?|(?:take|use|go with|pick|accept|apply) (?:all )?(?:of )?(?:the |your )?(?:defaults|recommendations|recommended (?:answers|ones|options)|suggestions)|(?:the |your )?defaults for the rest|skip (?:all )?(?:the |of the )*(?:rest|others|(?:(?:other|remaining) |rest of the )?questions|remaining(?: ones)?)(?: of the questions| of it)?|no more questions|stop (?:asking|the (?:questions|interview))(?: me| questions)*|(?:end|finish) the interview|(?:you )?decide the rest(?: yourself)?|what(?:ever)? you recommend for the rest)(?: for (?:the rest|everything(?: else)?|all(?: of them)?|the others))?(?: now| then)?`

// What confirms: one of the words, perhaps another, perhaps thanks or a friendly picture.
const (
	thumb  = `(?::(?:\+1|thumbsup|white_check_mark|heavy_check_mark|ok_hand|100):(?::skin-tone-[2-6]:)?)`
	smile  = `(?:` + thumb + `|:(?:rocket|tada|pray|slightly_smiling_face|grinning|blush|smile|raised_hands|clap|heart):(?::skin-tone-[2-6]:)?|:-?\)|(?:thanks|thank you)(?: a lot| so much)?|thx|cheers|please)`
	rights = `(?:yes|yep|yeah|yup|y|ok|okay|sure|correct|right|exactly(?: right)?|precisely|absolutely|confirm(?:ed)?|i confirm|perfect|agreed|i agree|spot on|all (?:good|right|correct)|good to go|approved?|lgtm|looks? (?:good|right|correct|perfect)(?: to me)?|sounds (?:good|right|perfect)(?: to me)?|(?:that's|that is|thats|it's|it is|this is) (?:all |exactly )?(?:right|correct|it|what i (?:want|meant|mean))|yes it is|you got it|\+1|thumbs up|go(?: ahead)?(?: and (?:start|build it))?|go for it|proceed|please (?:start|do|go ahead|proceed)|(?:let's )?(?:start|build it|do it|go)(?: (?:now|it|work|working|building))?|make it so|ship it)`
)

var confirming = regexp.MustCompile(`^(?:` + thumb + ` ?|(?:great|cool|nice|good|super)[,!.] )*(?:` + thumb + `|` + rights + `)(?:(?:, | |\. |! | - |! ?)(?:and )?` + rights + `)*[.!]?(?:,? ?` + smile + `)*!{0,3}$`)

// Questions about the change. In a shop, change is also money and a patch is also a request, so
// the plain words need more around them than the plain names of a diff.
const (
	diffs   = `(?:diffs?|changesets?|patch(?:es)?|commits?|pr|pull request|merge request|mr|hunks?)`
	changes = `(?:` + diffs + `|changes?|fix|edits?|branch)`
	whose   = `(?:the|this|that|these|those|your|all the|all these|all your|each|every)`
	sizes   = `(?:large|big|huge|long|massive|many|much|complicated|complex|invasive|verbose)`
	code    = `(?:\S*\w/\S+|\S+\.(?:go|js|ts|jsx|tsx|py|rb|java|kt|rs|c|h|cpp|cs|php|css|scss|html|sql|ya?ml|json|toml|md|sh|mod|sum|proto|vue|swift)|(?:the |a |an |this |that |these |those )?(?:new |extra |other |existing )?(?:files?|tests?|functions?|helpers?|packages?|imports?|signatures?|migrations?|dependency|dependencies))`
	doing   = `(?:touch|chang|edit|rewr|delet|remov|mov|renam|add|replac|modif|refactor|introduc|split|drop|us(?:e|ing)\b)\w*`
	parts   = `(?:(?:a|an|the|this|that|all|these|those) )*(?:new|extra|additional|second|separate) (?:files?|functions?|helpers?|packages?|tests?|migrations?|dependency|dependencies|imports?|types?)`
	whyever = `(?:(?:(?:explain|tell (?:me|us)|say)(?: to (?:me|us))? )?(?:why|how come)|for what reason)`
)

var aboutDiff = regexp.MustCompile(`^(?:(?:can|could|would|will) you (?:please |just |quickly |briefly )*|i(?:'d| would) like you to |please )?(?:` + strings.Join([]string{
	whyever + ` (?:so|that|this) ` + sizes + `(?: (?:a |an )?(?:lines|files|code|edits|` + diffs + `|changes|change|fix)\b.*|)$`,
	whyever + ` (?:\+\d+.*|(?:\d+|all these|that many)(?: changed| new| more)? (?:lines|files|commits|hunks|changes)(?: (?:changed|touched|of (?:code|diff|changes)|in ` + whose + ` ` + changes + `|for .*\b(?:fix|bug|change|typo|rename|cent|one-liner)).*)?)$`,
	whyever + ` (?:(?:is|are|was|were|does|do|did|has) )?` + whose + ` (?:whole |full )?` + diffs + `\b.*`,
	whyever + ` (?:is|are|was|were) ` + whose + ` ` + changes + ` (?:so|that|this|such|needed|necessary|required|in|spread|across|larger|bigger)\b.*`,
	whyever + ` ` + whose + ` ` + changes + ` (?:(?:is|are|was|were) so|to|in) .*`,
	whyever + ` (?:(?:is|was) )?(?:it|that|this) so (?:large|big|huge|long)$`,
	whyever + ` (?:(?:did|do|have|are|were|would|had) you|didn't you|don't you|you(?:'re| are| have|'ve)?)(?: also| even| just| not| all)* ` + doing + `\b.*`,
	whyever + ` (?:is|are|was|were|has|have|did) ` + code + ` (?:been )?(?:(?:also|even|in) )*(?:touched|changed|edited|deleted|removed|renamed|moved|rewritten|modified|added|change|here|there|(?:the|this|your) ` + diffs + `)\b.*`,
	whyever + ` (?:the|a|an|this|another) (?:new|extra|additional|second|separate|big|large|huge) (?:` + changes + `|file|function|helper|package|test|migration|dependency|import|type)\b.*`,
	`(?:explain|justify|summari[sz]e|describe|break down|(?:walk|talk|take) (?:me|us) through|go through|show (?:me|us))(?: to (?:me|us))? ` + whose + ` (?:whole |full |entire )?(?:` + diffs + `\b.*|` + changes + `(?: (?:to|in|of) ` + code + `.*| (?:again|briefly|first|line by line|hunk by hunk|file by file|to (?:me|us)|you (?:made|did)|on (?:the|this|your) branch|and why)\b.*)?)$`,
	`explain what (?:you|has|have|was)\b(?: have)? (?:been )?(?:changed|did)\b.*`,
	`what(?:'s| is| all)? (?:changed|did you change|have you changed|has changed|was changed|are (?:the|all the|your) changes|(?:is )?in ` + whose + ` ` + diffs + `)(?: (?:in|on) (?:` + code + `|(?:the|this|your) (?:code|branch|` + diffs + `)))?(?: and why)?$`,
	`what (?:does|do) ` + whose + ` (?:` + changes + `|hunks?) (?:do|does|contain|change|touch)\b.*`,
	`which (?:files|lines|functions|tests|packages) (?:(?:did|have) you (?:touch|change)\w*|(?:are |were )?(?:changed|touched)|(?:does|do) ` + whose + ` ` + changes + ` touch)\b.*`,
	`how (?:many (?:lines|files) (?:did you (?:touch|change)|(?:are |were )?(?:changed|touched)|are in ` + whose + ` ` + changes + `)|(?:big|large|long) is ` + whose + ` ` + changes + `)\b.*`,
	`(?:is|are|was|were|does|do|did) (?:` + whose + `|all (?:of )?(?:this|these|the)|we (?:really )?need all) (?:` + diffs + `|changes|code|lines|files)\b.*(?:large|big|huge|minimal|smaller|needed|necessary|required|changes|diff)$`,
	whyever + ` (?:is|are) there ` + parts + `\b.*`,
	`(?:do|did) (?:we|you) (?:really |even )?need ` + parts + `\b.*`,
	`what(?:'s| is| are) (?:the|this|that|these|those) ` + parts + ` for$`,
	`(?:explain|why) hunks? \d+.*|what did you (?:do|change) (?:in|to) ` + code + `$`,
	`was it (?:really )?necessary to ` + doing + `\b.*`,
}, "|") + `)`)

var (
	otherDiff = regexp.MustCompile(`\b(?:(?:diff|patch|commit)s? (?:tool|viewer|page|view|button|command|endpoint|requests?|route|method|handler|call|api|release|hash|hook)|two dates)\b`)
	instructs = regexp.MustCompile(`^(?:please |just |and |then |so |rather |better )*(?:make|keep|use|drop|remove|revert|undo|split|move|put|take|change|fix|leave|rename|add|try|reduce|shrink|limit|only|no\b|stop|don't|do not|redo|delete|restore|roll|narrow|look|check|touch|go back)\b|\b(?:instead|should|must|need to|needs to|let's)\b`)
)

const breaksIn = `(?:no|nope|nah|wait|hold on|hang on|hold up|whoa|oops|stop|actually|instead|correction|my (?:bad|mistake))(?: (?:a|one) (?:sec|second|minute|moment))?`

// What turns work around. The first breaks in, in any form; the second begins a statement.
var (
	interruption = regexp.MustCompile(`^(?:` + breaksIn + `\b[,.!:; -]*)+`)
	interrupting = regexp.MustCompile(`^(?:` + breaksIn + `(?:[,.!:;]+ *(?:- )?| -+ )|actually (?:it\b|that(?:'s| is)\b|this is\b|no\b|not\b|only\b|wait\b|i meant\b|(?:i|we|they) (?:want|need|see)\b|look\b|use\b|try\b|check\b|don't\b|stop\b|leave\b|forget\b|the (?:bug|problem|cause|other|wrong|\w+ (?:job|endpoint|file|handler|service))\b)|(?:no|wait) (?:no\b|not?\b|(?:that|this|it|i|we|you|don't|stop|wait|the other|in the|look|use|only|wrong|there)\b))+`)
	agrees       = regexp.MustCompile(`^(?:also|and also|thanks|thank|thx|(?:no )?(?:worries|problem|need|rush|hurry|idea)|nothing|(?:(?:that|it|this|all|you)(?:'s|'re| is| are| was| looks| sounds)? )?(?:a |actually |really |very |all |pretty )*(?:fine|ok|okay|good|great|right|correct|perfect|nice|works?|helps?|cool|clever)\b|go on|go ahead|keep|carry on|continue|looks|sounds|fyi|i (?:like|love|agree))\b`)
	informs      = regexp.MustCompile(`^(?:oh no|fyi|for your information|for the record|also|another one)\b`)
	redirecting  = regexp.MustCompile(`^(?:` + strings.Join([]string{
		`(?:that's |that is |that was |it's |this is |you're |you are )?(?:(?:in|at|on|looking at|reading|changing|working on|editing) )?(?:the )?wrong(?:$|[,.:;! -]+$|[,.:;!] |\s-|\s(?:file|endpoint|place|branch|function|repo\w*|table|job|bug|one|way|direction|package|module|service|track|tree|page|test|handler|order|approach|layer|line|version|idea|again)\b)`,
		`(?:you're|you are|that's|that is) (?:wrong|mistaken|off|not right|barking)\b`,
		`(?:the|this|that|your) (?:fix|change|approach|diff|patch|plan|test|cause) is (?:still )?wrong\b`,
		`you (?:misunderstood|misread|got (?:it|me|that) wrong|are misreading|missed the point)`,
		`not (?:that|this|the|there|in|on|here|for|what|it|quite|my|your|those|these|at|a)\b`,
		`(?:it|that|this)(?:'s| is|s) not (?:the|that|this|about|in|it|what|my|our|a bug|caused|related|because|where|how|why|due|from|on)\b`,
		`(?:it|that|this) isn't (?:the|that|this|about|in|it|what|my|our|a bug|caused|related|because|where|how|why|due|from|on)\b`,
		`it(?:'s| is) .*, ?not `,
		`(?:please )?stop (?:doing|changing|touching|looking|working|editing|rewriting|refactoring|fixing|using|adding|removing|deleting|moving|renaming|running|trying|guessing|digging|chasing|searching|reading|going|testing|writing|exploring|messing|what)\b`,
		`(?:please )?(?:stop|cancel|abort) (?:that|this|it)[,.:;] `,
		`(?:please )?(?:don't|dont|do not|never) (?:touch|change|use|do|look|fix|edit|rewrite|remove|delete|rename|move|modify|refactor|add|run|break|alter|replace|drop|mess|go|bother|waste|work|start|push|write|create|introduce|patch|guess|assume)\b`,
		`(?:forget|ignore|disregard) (?:the|that|about|it|this|those|these|what|my|coupons?)\b`,
		`(?:scratch|strike) (?:that|this|it)\b|never ?mind,? .+|(?:undo|revert) (?:that|this|it)\b|go back\b|back up\b|change of plans?\b|new plan\b|on second thoughts?\b|let's not\b|rather[, ]`,
		`(?:narrower|broader|wider|smaller scope)(?:$|[,:;.!]| -)|narrow (?:it|this|that)\b|too (?:broad|wide|narrow)\b|only (?:the|for|when|with|if|in|on)\b|it only\b`,
		`i meant\b|i mean (?:the|not|in|that)\b|correction\b`,
		`(?:leave|keep) .*\b(?:alone|out of (?:it|this)|as (?:it is|they are|is))$`,
		`(?:the )?other (?:one|way round|way around|file|endpoint|job|branch|service|function|table|page|package|test)s?(?:$|[,.:!])`,
		`(?:look|use|try|check|do|take|fix|change|go|make|put|read|start|work|focus|see|search|test|run|debug)\b.*(?:\binstead\b|\brather than\b|, not (?:the|that|this|in|at|on|for|with)\b)`,
		`you should (?:rather|instead)\b|(?:the )?(?:bug|problem|cause|issue) is (?:not|elsewhere|somewhere else)\b`,
	}, "|") + `)`)
	harmless = regexp.MustCompile(`^(?:not (?:that (?:i|it|we|you|urgent|bad|important|big|much|many)|this (?:week|time|sprint|month)|a (?:problem|big deal|bad)|the end of|for me\b|in a hurry|at all)|(?:it|that|this)(?:'s| is|s)? ?(?:not|n't|isn't) (?:the (?:only|first|last|end)|in a hurry|on fire)|(?:sorry, )?wrong (?:thread|channel|window|chat|person)|(?:don't|do not|dont) (?:go away|change a thing)|(?:keep|check) (?:going|also))|\b(?:too|as well)[.!]?$`)
)

// Answers to a question with options.
var (
	ordinals    = []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	choosing    = regexp.MustCompile(`^(?:(?:ok|okay|yes|hm+|so|well|then|probably|maybe)[,. ]+)*(?:(?:i|we|let's|let us)(?:'d|'ll| would| will)? )?(?:(?:rather )?(?:say|go with|go for|take|choose|pick|prefer|use|want|like|opt for|vote for) )?`)
	recommended = regexp.MustCompile(`^(?:(?:the |your )?(?:recommended|recommendation|recommended (?:one|option|answer)|default|pick|choice|call|suggestion)|as (?:you )?(?:recommend(?:ed)?|suggest(?:ed)?)|as (?:you )?like|whatever you (?:recommend|suggest|think(?: is (?:best|right))?|like|prefer)|what you (?:recommend|suggest|think is best)|you (?:decide|choose|pick)|up to you|it's up to you|i trust you)[.! ]*$`)
	place       = regexp.MustCompile(`^(option |number |no\.? ?|nr\.? ?|# ?|option #)?(?:(\d{1,2})[.)]?|(?:the )?(?:(\d{1,2})(?:st|nd|rd|th)|(` + strings.Join(ordinals, "|") + `)|(last|former|latter)))(?: one| option)?[.! ]*$`)
)

// What makes a short request say something, and what people wrap around a wish.
var (
	detailed = regexp.MustCompile("(?i)[\\d\"`/_#]|\\w\\.\\w|(?:^|\\s)'[^']+'|\\b(?:when|so that|must|should|if|because|only|using|with|unless|where|instead|like)\\b")
	wishing  = regexp.MustCompile(`(?i)^(?:(?:hey|hi|hello|please|can|could|would|will|you|we|i|i'd|we'd|would|like|want|need|have|get|to|it be possible|team)[,!]? )+`)
)
