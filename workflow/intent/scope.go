package intent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// readScope reads an approval with a scope. If the scope is a condition, says nothing, names no thing, or is
// followed by another sentence, the consent is unclear, so that people are asked.
func readScope(text string) Consent {
	text = withoutBrackets(text)
	for _, form := range scopes {
		m := form.words.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		scope := strings.TrimSpace(m[1])
		if form.numbers || onlyNumbers.MatchString(scope) {
			scope = stepsOf(scope)
		}
		switch {
		case refusesLater.MatchString(scope), form.bare && disagrees.MatchString(scope):
			return Consent{Kind: ConsentRefuse}
		case strings.Contains(scope, "?"):
			return Consent{}
		case form.limits && !limit.MatchString(scope), form.bare && smallTalk.MatchString(scope):
			continue
		case smallTalk.MatchString(scope), everything.MatchString(scope), nothing.MatchString(scope):
			return Consent{Kind: ConsentUnclear}
		case limitsAll.MatchString(scope):
			return Consent{Kind: ConsentUnclear, Scope: scope}
		case conditionAt(scope) != nil:
			limit, condition := splitCondition(scope)
			if limit != "" {
				limit = form.before + limit
			}
			return Consent{Kind: ConsentUnclear, Scope: limit, Condition: condition}
		case ordinal.MatchString(scope):
			return Consent{Kind: ConsentUnclear, Scope: onlyOrdinal(form.before + scope)}
		case form.names && limitsNoThing(form.before+scope):
			return Consent{Kind: ConsentUnclear, Scope: form.before + scope}
		case anotherSentence.MatchString(scope) || consentWords.MatchString(scope), limitsNoThing(scope):
			return Consent{Kind: ConsentUnclear, Scope: scope}
		}
		scope = shortWithout.ReplaceAllString(form.before+scope, "without ")
		return Consent{Kind: ConsentScoped, Scope: scope, WithoutGoAhead: form.bare}
	}
	return Consent{}
}

// withoutBrackets writes what stands in brackets at the end behind a comma: "fix it (only price.go)" is "fix
// it, only price.go".
func withoutBrackets(text string) string { return inBrackets.ReplaceAllString(text, "$1, $2") }

// stepsOf writes the numbers of steps with the word for them, if it is missing: "steps 1 and 3".
func stepsOf(numbers string) string {
	switch {
	case !onlyNumbers.MatchString(numbers):
		return numbers
	case oneNumber.MatchString(numbers):
		return "step " + numbers
	}
	return "steps " + numbers
}

// onlyOrdinal writes a limit by an ordinal as it is meant: "with the first" is "only the first".
func onlyOrdinal(scope string) string {
	scope = strings.TrimPrefix(scope, "with ")
	if beginsLimit.MatchString(scope) {
		return scope
	}
	return "only " + scope
}

var (
	// nothing matches a limit that leaves nothing to do, so that people are asked what they mean.
	nothing = lazyregexp.New(`(?i)^(?:(?:please|just|only|in|for|absolutely|fix|change|touch|alter|modify|` +
		`make|do) )*(?:nothing|nowhere|no ?one|nobody|none(?: of (?:it|that|this|them|those|these))?|` +
		`zero (?:files?|changes?)|leave everything as it (?:is|was))` +
		`(?:,? (?:at all|yet|whatsoever|(?:for|right) now|now|today))*[.!]*$`)
	inBrackets   = lazyregexp.New(`(?s)^([^()]*\S) \(([^()]+)\)$`)
	onlyNumbers  = lazyregexp.New(`(?i)^` + numbers + `$`)
	oneNumber    = lazyregexp.New(`^#?\d{1,2}$`)
	shortWithout = lazyregexp.New(`(?i)^w/o `)
	// ordinal matches a limit that names one of several things by its place among them, so that people are
	// asked which is meant.
	ordinal = lazyregexp.New(
		`(?i)^(?:please )?(?:(?:only|just|not|with) )*(?:the )?(?:first|second|third|fourth|fifth|last|` +
			`former|latter|other)(?: (?:one|ones|two|three|option|part|half|point|step|task|item))?$`,
	)
)

// A scopeForm is one form of an approval with a scope, which is the only group of its expression.
type scopeForm struct {
	words   *lazyregexp.Regexp
	limits  bool   // the scope has to match limit; if false, the form itself says that it limits
	bare    bool   // no word of the form says to go ahead
	before  string // text to put before the scope
	numbers bool   // the scope is the numbers of steps
	names   bool   // the scope has to name a thing
}

// scopes lists the forms of an approval with a scope. A bare "yes, but …" is one only with a limit behind
// it, because what people add to a yes is more often a correction ("yes, but it also happens for
// guests").
var scopes = []scopeForm{
	{words: lazyregexp.New(`(?is)^` + openly + `(?:fix only|only fix|just fix)(?:: ?| )(.+)$`)},
	{
		words:  lazyregexp.New(`(?is)^` + openly + `fix (?:it|this) (` + where + ` .+?),? only$`),
		before: "only ",
	},
	{
		words: lazyregexp.New(`(?is)^` + openly +
			`fix (?:it|this)(?:,|:| -+) ((?:[^,.;:!]|\.\w)+?),? only$`),
		before: "only ", names: true,
	},
	{words: lazyregexp.New(`(?is)^` + openly + `fix (.+?),? only$`)},
	{words: lazyregexp.New(`(?is)^` + openly + `fix it,? but (.+)$`)},
	{words: lazyregexp.New(`(?is)^` + openly + goAhead + `,? but (.+)$`), limits: true},
	{words: lazyregexp.New(`(?is)^` + openly + allBut + ` (.+)$`), before: "not "},
	{words: lazyregexp.New(`(?is)^` + openly + fixAll + `,? ` + except + ` (.+)$`), before: "not "},
	{
		words:  lazyregexp.New(`(?is)^` + openly + withOnly + `(` + steps + ` ` + numbers + `)(?:,? only)?$`),
		before: "only ",
	},
	{
		words:  lazyregexp.New(`(?is)^` + openly + withOnly + `(` + numbers + `)(?:,? only)?$`),
		before: "only ", numbers: true,
	},
	{
		words: lazyregexp.New(
			`(?is)^` + openly + doThese + `(?:only |just )?(?:the )?(` + steps +
				` ` + numbers + `|` + several +
				`)(?:,? only)?$`,
		),
		before:  "only ",
		numbers: true,
	},
	{
		words:  lazyregexp.New(`(?is)^` + openly + doThese + `(?:only |just )(?:the )?(` + numbers + `)$`),
		before: "only ", numbers: true,
	},
	{
		words: lazyregexp.New(`(?is)^` + openly + doThese + `(` + numbers + `),? only$`), before: "only ",
		numbers: true,
	},
	{
		words: lazyregexp.New(`(?is)^` + openly + goAhead +
			`(?:,? and|[,;:.](?: and| but)?| -+| with)? (.+)$`),
		limits: true,
	},
	{
		words:  lazyregexp.New(`(?is)^` + openly + goAhead + `(?:,|:| -+) ((?:[^,.;:!]|\.\w)+?),? only$`),
		before: "only ", names: true,
	},
	{words: lazyregexp.New(`(?is)^(?:` + agreement + `[,.!:;]* )+but (.+)$`), limits: true, bare: true},
	{
		words: lazyregexp.New(`(?is)^(?:` + agreement + `[,.!:;]* )*` + assent + `[,.!:;]* (?:` + agreement +
			`[,.!:;]* )*((?:only|just) .+)$`),
		limits: true,
		bare:   true,
	},
}

// Parts of the forms: a place, what leaves something out, and the numbers of steps.
const (
	where  = `(?:in|on|at|for|within|inside|under)`
	fixAll = `(?:fix (?:it|it all|all of it|everything)|do it all|` + goAhead + `)`
	except = `(?:except(?: for)?|excepting|excluding|apart from|aside from|minus|other than|besides|save ` +
		`for|sans)`
	withOnly = goAhead + `,? with (?:only |just )?(?:the )?`
	steps    = `(?:steps?|tasks?|parts?|points?|items?|numbers?)`
	number   = `#?\d{1,2}`
	between  = `(?:, ?| and | & |, and | ?\+ ?| to | ?- ?)`
	numbers  = number + `(?:` + between + number + `)*`
	several  = number + `(?:` + between + number + `)+`
	// doThese is what stands before the numbers of steps, allBut before what everything but one thing means.
	doThese = `(?:` + goAhead + `|fix|do|ship|implement|build)(?:,|:|;| -+|\.|,? and do)? `
	allBut  = `(?:` + goAhead + `,? (?:with )?|(?:fix|do|ship|approved?|implement|` +
		`build) )(?:everything|all|all of (?:it|them|this|these|that)|all (?:of )?(?:the |these )?` + steps +
		`|it all)(?: else)?,? (?:but|bar|` + except + `)`
)

const openly = `(?:` + agreement + `[,.!:;]* )*(?:please |let's )?`

var (
	// limit matches what limits a change: what alone may change, what stays, what must not be done.
	limit = lazyregexp.New(
		`(?is)^(?:please )?(?:no (?:\w+ changes?|new|other|further|extra|more|api|public|breaking|renam\w*|` +
			`refactor\w*|dependenc\w*|tests?|docs?|documentation|comments?|changelog|migrations?|` +
			`changes?)\b|(?:(?:only|just|nothing but|without|w/o|sans|excluding|except(?: for)?|minus|` +
			`apart from|skipping|leaving out|not) |(?:leave|keep|skip|preserve|avoid|spare|stick to|` +
			`stay (?:in|within)|limit (?:it|this|yourself) to|restrict (?:it|this) to|exclude|omit|` +
			`leave out|use|call it|name it|make no) |(?:don't|dont|do not|never) (?:touch|change|edit|` +
			`rename|remove|delete|break|add|move|modify|alter|use|refactor|reformat|introduce|bump|` +
			`update|upgrade|drop) )\S)`,
	)
	// limitsAll matches a limit that leaves nothing of the fix.
	limitsAll = lazyregexp.New(
		`(?i)^(?:please )?(?:not|leave|keep|skip|avoid|(?:don't|dont|do not|never) \w+) (?:it|this|` +
			`that|them|everything|all|anything|things?|the fix|a (?:single )?(?:thing|line)|` +
			`any (?:code|files?|lines?|of (?:it|this|that|the code))|(?:all )?(?:the|our|my|this|that|` +
			`all) (?:code|codebase|code base|repo|repository))(?: (?:all|alone|as (?:it|they) (?:is|` +
			`are)|for now|be|out|there|at all))?$`,
	)
)

var (
	refusesLater = lazyregexp.New(
		`(?i)^(?:please |just |only )*(?:not (?:yet|now|right now|just yet|today|tonight|this (?:week|` +
			`sprint|month|quarter|year)|at the moment|so fast|so soon|any ?time soon)(?:[ ,.;-].*)?|` +
			`just (?:a|one) (?:moment|minute|min|second|sec)\b.*|later|wait\b.*|hold (?:on|off)\b.*|` +
			`don't(?: yet)?|do not(?: yet)?|don't (?:fix|do|touch|start|change) (?:it|that|this|` +
			`anything)\b.*)$`,
	)
	everything = lazyregexp.New(
		`(?i)^(?:it|this|that|them|all|everything|the bug|the issue|the problem|this bug|` +
			`that bug)(?: (?:all|now|already|properly))?$`,
	)
	conditional = lazyregexp.New(
		`(?i)\b(?:if|till|whenever|first|later|yet|wait|hold|depending|in case|ask me|check with|` +
			`confirm|` + conditions + `|` + times + `)\b`,
	)
	// notConditional matches words of the same look that set no condition: "the first", "this week's report",
	// "tell me when it is done", and what the writer is going to do: "I'll review tomorrow".
	notConditional = lazyregexp.New(
		`(?i)\bthe first\b|\b(?:(?:this|next) \w+|today|tomorrow|tonight|\w+day)'s\b|` +
			`\b(?:tell|ping|notify|message|inform|dm|let) (?:me|us|him|her|them|everyone|@?\w+)(?: know)? ` +
			`(?:when|once|as soon as) (?:it|this|that|you|everything|the (?:fix|pr|branch|work))\b[^,;.]*|` +
			`\b(?:can'?t|cannot|can|could|will|may) wait\b[^,;.]*|` +
			`\b(?:i'll|i'm|i am|i will|we'll|we will|we're)\b[^,;.]*`,
	)
	// setAside matches what is left for another time, which limits a fix and is no condition of it.
	setAside = lazyregexp.New(`(?i)\b((?:leave|keep|save)(?: [\w./'-]+){1,8}) ` +
		`for (?:later|another (?:time|day)|tomorrow|next (?:week|month|sprint))\b`)
	anotherSentence = lazyregexp.New(`[.!;]\s+\S|\n\s*\n`)
)

// limitsNoThing reports whether a scope is a limit by not, only, just or "no changes" that names no thing
// which could be left alone: "not happy with it", "just for now". Whoever reads it has to ask.
func limitsNoThing(scope string) bool {
	return weakLimit.MatchString(scope) && (!namesThing.MatchString(scope) || noThing.MatchString(scope))
}

var (
	weakLimit = lazyregexp.New(`(?i)^(?:please )?(?:not|only|just|no changes?)\b`)
	// namesThing matches a weak limit with what it names: with an article, a place, a number of a step, a
	// path or a name.
	namesThing = lazyregexp.New(`(?i)^(?:please )?(?:(?:not|only|just)(?: (?:change|touch|edit|fix))?|no ` +
		`changes?(?: (?:to|on))?)\s+(?:(?:the|this|these|those|its|in|inside|within|under|below|outside|` +
		`beyond|for)\s+\S|[-*] |(?:steps?|tasks?|parts?|points?|items?|options?|hunks?|numbers?) ` +
		`#?\d|#\d|\d+(?:$|,| and \d)|[\w.-]*[/\x60"_]\S|[\w-]+\.\w|(?-i:\w*[a-z][A-Z]))`)
	// noThing matches what looks like a thing, and names a time, a manner or the whole.
	noThing = lazyregexp.New(
		`(?i)^(?:please )?(?:not|only|just)(?: (?:in|for))? (?:(?:the |this )?(?:two|three|four|few|` +
			`both|rest) of (?:us|you|them)\b|(?:the|this) (?:thing|things|kind|sort|person|opposite|` +
			`usual|same|other day|right|best|moment|time|way|once|late|early|fast|soon|much|mood|` +
			`meantime|record|time being|morning|afternoon|evening|iteration|release|form|shape|state|` +
			`(?:root |real |actual |main )?(?:bug|problem|issue|cause|reason|point|priority|plan))\b|` +
			`(?:in|for) (?:a|an|my|our|your|me|us|you|it|this$|that|now|fun|case|theory|principle|` +
			`general|fact|time)\b)`,
	)
	// disagrees matches what takes an agreement back ("good catch, but not a bug"), or says what its writer
	// does.
	disagrees = lazyregexp.New(`(?i)^(?:not (?:ready|convinced|sure|certain|needed|necessary|worth|(?:a|` +
		`the) (?:root |real |actual |main )?(?:bug|problem|issue|cause|reason))\b|just (?:reading|looking|` +
		`checking|wondering|asking|saying|thinking|testing|curious)\b)`)
)

// maskUnconditional blanks the words that look like a condition and set none.
func maskUnconditional(text string) string {
	return notConditional.ReplaceAllStringFunc(text,
		func(m string) string { return strings.Repeat("_", len(m)) })
}

// conditionAt returns where the first condition or time begins and ends, or nil if there is none.
func conditionAt(text string) []int {
	text = maskUnconditional(text)
	text = setAside.ReplaceAllStringFunc(text, func(m string) string {
		kept := setAside.FindStringSubmatch(m)[1]
		return kept + strings.Repeat("_", len(m)-len(kept))
	})
	return conditional.FindStringIndex(text)
}

// splitCondition parts a limit from the condition or the time in it, both in their words: "only the header,
// after the release" is "only the header" and "after the release". No second look at the diff could enforce a
// condition.
func splitCondition(text string) (limit, condition string) {
	var limits, conditions []string
	for _, part := range limitParts.Split(text, -1) {
		at := conditionAt(part)
		switch {
		case at == nil:
			limits = append(limits, part)
		case putsOff.MatchString(part):
			conditions = append(conditions, part)
		case bareOnly.MatchString(part[:at[0]]):
			conditions = append(conditions, bareObject.ReplaceAllString(part, ""))
		default:
			if begins := beginsTime.FindStringIndex(part[:at[0]]); begins != nil {
				at[0] = begins[0] // "for the" in "for the next release"
			}
			limits = append(limits, bareBut.ReplaceAllString(strings.TrimSpace(part[:at[0]]), ""))
			conditions = append(conditions, strings.TrimSpace(part[at[0]:]))
		}
	}
	return joinParts(limits), joinParts(conditions)
}

// joinParts joins the parts that have words.
func joinParts(parts []string) string {
	parts = slices.DeleteFunc(parts, func(p string) bool { return !words.HasWord(p) })
	return strings.Trim(strings.Join(parts, ", "), " ,;")
}

var (
	limitParts = lazyregexp.New(`(?s)[,;] +`)
	// putsOff matches a part that puts something off as a whole, bareOnly what leaves no limit before a
	// condition, and bareObject what of it says nothing of the condition.
	putsOff = lazyregexp.New(
		`(?i)^(?:please )?(?:leave|keep|save|skip|wait|hold|ask|check|show|tell|let)\b`)
	bareOnly   = lazyregexp.New(`(?i)^(?:please |but |and |only |just |not |do |it |that |this |then )*$`)
	bareObject = lazyregexp.New(`(?i)^(?:please |just |do |it |then )+`)
	// beginsTime matches the words at the end of a text that belong to what follows them.
	beginsTime = lazyregexp.New(
		`(?i)(?:^|\s)(?:(?:for|in|at|on|by|with|from|to|of|until|till|before|after) )*(?:the|an?|this|` +
			`our|your|my|in|at|on|by|with|from|to|of) *$`,
	)
	bareBut = lazyregexp.New(`(?i),? *\b(?:but|and|only|just|for)$`)
)

// looseScope returns the words of an inexact message that seem to limit a fix, and those of a condition or a
// time, to be shown in the question.
func looseScope(own string) (scope, condition string) {
	text := withoutBrackets(words.Polite(own))
	if m := loosely.FindStringSubmatch(text); m != nil {
		scope = looseLimit(m)
	} else if m := limiting.FindStringSubmatch(text); m != nil {
		scope = strings.TrimSpace(m[1])
		if strings.HasPrefix(strings.ToLower(m[0]), "except") {
			scope = "not " + scope
		}
	} else if m := adverbial.FindStringSubmatch(text); m != nil && !widens.MatchString(m[1]) {
		scope = strings.TrimSpace(m[1])
	}
	if ordinal.MatchString(scope) {
		scope = onlyOrdinal(scope)
	}
	if conditionAt(scope) != nil {
		scope, condition = splitCondition(scope)
	}
	if condition == "" {
		condition = looseCondition(text)
	}
	if everything.MatchString(scope) || consentWords.MatchString(scope) || scope == condition {
		scope = ""
	}
	if scope, condition = withUnread(text, scope, condition); joking.MatchString(scope) {
		scope = ""
	}
	return scope, condition
}

// joking matches words that say that the ones before them are not meant. They limit nothing.
var joking = lazyregexp.New(
	`(?i)^(?:jk|j/k|lol|rofl|lmao|(?:just |only )?(?:kidding|joking)|ha(?:ha)+)[.!]*$`)

// looseLimit returns the limit that a match of loosely names: what everything but it means, or a step.
func looseLimit(m []string) string {
	if m[1] != "" {
		return "not " + stepsOf(strings.TrimSpace(m[1]))
	}
	return "only " + stepsOf(m[2])
}

// looseCondition returns the condition or time of the sentence that consents: behind the words that consent,
// or at the beginning of the sentence.
func looseCondition(text string) string {
	at := consentWords.FindStringIndex(text)
	if at == nil {
		return ""
	}
	before := text[:at[0]]
	after := text[at[1]:]
	if end := anotherSentence.FindStringIndex(after); end != nil {
		after = after[:end[0]]
	}
	after = consentObject.ReplaceAllString(after, "")
	if _, condition := splitCondition(after); condition != "" {
		return condition
	}
	return strings.Trim(leadingCondition.FindString(before), " ,;")
}

// loosely matches what is left out of everything, and the number of one step, which may be that of a
// revision.
var loosely = lazyregexp.New(
	`(?is)\b(?:everything|all|all of (?:it|them|this|these|that))(?: else)?,? (?:but|bar|` + except +
		`) (.+)$|^` + openly + doThese + `(` + number + `)$`,
)

var limiting = lazyregexp.New(`(?is)(?:\bbut |\bonly\b(?: fix)?:? ?|\bexcept |\bjust (?:fix )?)(.+)$`)

var (
	// adverbial matches where or how, said behind words of approval; widens matches what adds to a fix.
	adverbial = lazyregexp.New(`(?is)^` + openly + goAhead + `,? ((?:with|using|via|` + where + `) .+)$`)
	widens    = lazyregexp.New(
		`(?i)\b(?:too|as well|also)$|^(?:for (?:now|me|us|sure)|with (?:it|this|that))\b`)
	// consentObject matches what is to be done, behind words that consent.
	consentObject = lazyregexp.New(`(?i)^[ ,;]*(?:(?:it|this|that|all|everything)\b)?[ ,;]*`)
	// leadingCondition matches a condition at the beginning of a sentence.
	leadingCondition = lazyregexp.New(`(?i)^(?:` + conditions + `|if|` + times + `)\b[^.!?]*`)
)

// Parts of conditions: what they begin with, the words of a time, and somebody else's word.
const (
	conditions = `unless|until|when|once|after|before|as soon as|provid(?:ed|ing)|assuming|supposing|` +
		`subject to|contingent (?:up)?on|conditional(?:ly)?|(?:on|under) (?:the )?condition|(?:as|` +
		`so) long as|given that|granted that|waiting (?:on|for)|not before|` +
		`given \w+'s|pending(?: (?:\w+'s|the|an?|his|her|their|my|our|your|ci|cd|qa|reviews?|approval|` +
		`tests?|legal|security|confirmation|sign-?off|merge|release|deploy\w*|decision|discussion|` +
		`results?))|` +
		`(?:with|w/) (?:the )?` + others +
		`|(?:with|w/|upon|on|following) (?:\w+'s|his|her|their|the|an?) ` + others
	others = `(?:ok(?:ay)?|approval|blessing|permission|consent|sign-?off|go-?ahead|agreement|review|` +
		`nod|lgtm|release|say-?so)`
	days  = `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?)`
	times = `tomorrow|tonight|today|overnight|e\.?o\.?[dw]|cob|eob|over (?:night|lunch|the weekend)|` +
		`(?:(?:early|late|first thing|on|by|this|next|over|until|at|since|from) )*` + days + `|` +
		`(?:on |in |at |over |by |during )?(?:the |this |next )(?:weekend|week|month|sprint|quarter|` +
		`year|morning|afternoon|evening|night)|next (?:release|deploy\w*|time)|(?:the |by |at |` +
		`at the )*end of (?:the |this )?(?:day|week|month|sprint|quarter|year)|` +
		`(?:at|by|around|from|past|not before) (?:noon|midnight|night|lunch|lunchtime|dawn|` +
		`\d{1,2}(?:[:.]\d\d)?(?: ?(?:a\.?m|p\.?m|h|o'clock|utc|gmt|cet|est|pst))?)|` +
		`in (?:about |around )?(?:an?|one|two|three|four|five|six|ten|half an|\d+|a few|a couple of|` +
		`some)(?: more| good)? ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?|` +
		`months?|sprints?|bit|while|moment|time)|` +
		`during (?:the |my |our )?(?:night|day|week|weekend|lunch|freeze|maintenance|sprint|window|` +
		`break)|some ?(?:day|time)(?: (?:soon|later))?|out of hours|off-?hours`
)

// LimitedTo returns the scope of an approval from the entries of its form: the files or folders, one per line
// or separated by commas, and instructions. If there is no scope, cure says why. The scope means the same as
// the words after "fix it, but": a second agent checks every hunk against it. A condition is refused, because
// no hunk can be checked against it.
func LimitedTo(files, instructions string) (scope, cure string) {
	var named []string
	for _, f := range strings.FieldsFunc(files,
		func(r rune) bool { return r == '\n' || r == ',' || r == ';' }) {
		if f = strings.TrimSpace(f); f != "" {
			named = append(named, f)
		}
	}
	rest := words.Polite(words.Straighten(instructions))
	switch {
	case len(named) == 0 && rest == "":
		return "", `Say what the fix is limited to, or close this and press "Fix it" for all of it.`
	case utf8.RuneCountInString(files) > workflow.MostEntered ||
		utf8.RuneCountInString(instructions) > workflow.MostEntered:
		return "", "That is longer than I can hold a change against. Please say it shorter."
	case refusesLater.MatchString(rest), saysWhen.MatchString(rest):
		return "", "I cannot wait for something and then fix it. Say what may change; " +
			"approve it when the time has come."
	}
	if len(named) > 0 {
		scope = "only " + strings.Join(named, ", ")
		if rest != "" {
			scope += "; "
		}
	}
	return scope + rest, ""
}

// saysWhen matches a sentence that begins with a condition.
var saysWhen = lazyregexp.New(
	`(?im)(?:^|[.!;]\s+)(?:please |but |and |only |not )*(?:if|` + conditions + `|` + times + `)\b[^.!;\n]*`,
)
