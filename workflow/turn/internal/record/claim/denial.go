package claim

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A match is where a form was found in the words of a sentence.
type match struct {
	form       form
	words      string
	start, end int
}

// free reports whether nothing is claimed in that match: it is denied, asked, only to come, or true under a
// condition. A denial or a condition reaches to the claim only within its own clause: "I cannot confirm that
// it was pushed" claims nothing, "No worries, it was pushed" does.
func (mt match) free() bool {
	return mt.asked() || mt.denied() || mt.conditional() || mt.underCondition() || mt.toCome() ||
		mt.aboutCode()
}

func (mt match) text() string { return mt.words[mt.start:mt.end] }

// boundary matches what ends a clause.
var boundary = regexp.MustCompile(`[,;:(] ?| - `)

// listed matches the rest of a list whose last item follows, as in "nothing was merged, deployed or pushed".
var listed = regexp.MustCompile(`^(?:[\w-]+ ){0,3}(?:or|nor) `)

// clause returns the words of the clause before the claim, and what stands before that clause.
func (mt match) clause() (clause, before string) {
	before = mt.words[:mt.start]
	for {
		all := boundary.FindAllStringIndex(before, -1)
		if all == nil {
			return before + clause, ""
		}
		last := all[len(all)-1]
		clause, before = before[last[1]:]+clause, before[:last[0]]
		if !listed.MatchString(clause + mt.text()) {
			return clause, before
		}
	}
}

// idioms are denials that deny nothing.
var idioms = regexp.MustCompile(`\b(?:no|without|beyond|any|little) (?:doubt|question|secret|` +
	`surprise|wonder|worries|worry|problem|mistake)\b` +
	`|\b(?:can(?:not|'t| not)|do(?: not|n't)|not|never) (?:\w+ )?(?:deny|doubt|only|just|forget|` +
	`worry|mind|merely|simply)\b|\bnever mind\b`)

const (
	negator = `(?:\b(?:not|never|nothing|nobody|none|neither|nor|no|cannot|without|hardly|` +
		`instead of|rather than|kein\w*|nicht|nichts|nie|noch|pas|sans|sin|non|nao|rien|nada|niet|niets|` +
		`geen|nic|kto|(?:is|was|are|were|has|have|had|do|does|did|ca|wo|would|should|could)nt)\b|n't\b)`
	breaking = `(?:because|since|so|but|although|though|while|whereas|however|therefore|hence|and|now)`
)

var (
	negation = regexp.MustCompile(negator + `((?: [^\s]+){0,6}) ?$`)
	breaks   = regexp.MustCompile(`\b` + breaking + `\b`)
	bareVerb = regexp.MustCompile(`^(?:force-)?(?:pushed|merged|deployed|released|shipped|committed|` +
		`landed|published|approved|reviewed|verified|proven|signed|allowed|added|written|passed)\b`)
	notInCJK = regexp.MustCompile(`(?:如果|若|一旦|等到|直到|没有?|未|尚未|还没|不).{0,8}$`)
	// between matches a denial, or what is to come, inside of a claim: "two tests do not pass".
	between = regexp.MustCompile(`(?:\b(?:not|never|cannot|should|must|would|will|could|may|might|to|` +
		`can|hardly|nor|fail|fails)|n't)(?: \w+)?(?: be| get)? (?:pass\w*|succeed\w*|green|added|written|` +
		`created|run)$|没|未|不|ません|ない|않|못`)
	goOn = regexp.MustCompile(`\b(?:continue|continues|continued|seem|seems|appear|appears) to `)
)

// denied reports whether the clause says that it was not so.
func (mt match) denied() bool {
	text := idioms.ReplaceAllString(goOn.ReplaceAllString(mt.text(), ""), "")
	if between.MatchString(text) {
		return true
	}
	if mt.form.negative {
		return false
	}
	clause, _ := mt.clause()
	if notInCJK.MatchString(clause) {
		return true
	}
	first := mt.words[mt.start : mt.start+firstWordEnd(mt.words[mt.start:])]
	for _, reach := range []string{clause, clause + first} {
		m := negation.FindStringSubmatch(idioms.ReplaceAllString(reach, ""))
		if m == nil {
			continue
		}
		rest := strings.TrimSpace(m[1])
		if last, ok := strings.CutSuffix(rest, " and"); ok && bareVerb.MatchString(mt.text()) {
			rest = last
		}
		if !breaks.MatchString(rest) {
			return true
		}
	}
	return false
}

func firstWordEnd(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	for n < len(s) && s[n] != ' ' {
		n++
	}
	return n
}

const condition = `\b(if|unless|until|till|before|once|when|whenever|whether|as soon as|as long as|` +
	`so long as|provided|in case|assuming|suppose|supposing|so that|wenn|falls|sobald|bevor|bis|ob|` +
	`quand|si|avant|des que|cuando|antes|hasta|quando|prima|finche|zodra|voordat|totdat|gdy|jesli|` +
	`zanim)\b`

var (
	conditioned = regexp.MustCompile(condition + `((?: [^\s]+){0,8}) ?$`)
	fronted     = regexp.MustCompile(`(?:^|[;:,] |\b(?:but|and|so|then) )` + condition + `([^;:]*)$`)
	// looks matches a condition that only invites the reader to look, or is a whole sentence of its own.
	looks = regexp.MustCompile(`\b(?:look|looked|check|see|ask|care|wonder|want|wish|like|` +
		`need to know|notice|scroll|open|click|refresh|must know|are interested|believe|trust|ran|run|` +
		`finished|ended|started|completed|stopped)` +
		`(?: (?:there|here|up|down|again|now|it|that|to know|closely|carefully|at \w+|in \w+|the \w+|me))*$`)
	byItself = regexp.MustCompile(`^(?:i|we)\b`)
	past     = regexp.MustCompile(`\b(?:was|were|been|has|have|had|now|already|just|passed|ran|added|` +
		`wrote|gave|got|took|allowed|withdrew|signed|i|we|went)\b|'ve|'s been`)
	present = regexp.MustCompile(`\b(?:is|are|gets?|will|goes|go|may|can)\b|'s|'re`)
)

// conditional reports whether the claim itself is a condition, or the time of something else.
func (mt match) conditional() bool {
	clause, _ := mt.clause()
	m := conditioned.FindStringSubmatch(clause)
	if m == nil || looks.MatchString(m[2]) {
		return false
	}
	sometime := m[1] == "when" || m[1] == "once" || m[1] == "before"
	return !sometime || !byItself.MatchString(mt.text())
}

// underCondition reports whether a condition before the clause says when the claim is to be true. What was so
// or is so already was said to be so.
func (mt match) underCondition() bool {
	clause, before := mt.clause()
	m := fronted.FindStringSubmatch(before)
	if m == nil || looks.MatchString(m[2]) {
		return false
	}
	after := strings.Fields(mt.words[mt.end:])
	whole := clause + mt.text() + " " + strings.Join(after[:min(2, len(after))], " ")
	switch {
	case past.MatchString(whole):
		return false
	case mt.form.kind == Tests:
		return m[1] != "when" && m[1] != "whenever"
	}
	return present.MatchString(whole)
}

var (
	asking = regexp.MustCompile(`^(?:is|are|was|were|has|have|had|did|do|does|shall|should|can|could|` +
		`will|would|may|am|who|what|when|where|which|why|how)\b(?: [^\s]+){0,2} ?$`)
	inOne = regexp.MustCompile(`^(?:is|are|was|were|has|have|had|did|do|does|who|which)\b`)
)

// asked reports whether the sentence asks whether it is so.
func (mt match) asked() bool {
	return strings.HasSuffix(strings.TrimSpace(mt.words), "?") &&
		(asking.MatchString(mt.words[:mt.start]) || mt.start == 0 && inOne.MatchString(mt.text()))
}

var (
	passive = regexp.MustCompile(`\b(?:will|would|shall|should|must|may|might|can|could|to|not|` +
		`waits? (?:to|for))(?: \w+){0,2} (?:be|get|have been|have|been|being)(?: (?:only|also|just|` +
		`safely|first|then|ever|\w+ly))*$`)
	being = regexp.MustCompile(`\b(?:being|yet to be|to be)(?: \w+ly)?$`)
	wish  = regexp.MustCompile(`(?:\b(?:will|would|shall|should|must|may|might|can|could|to|let|` +
		`let's)|^(?:please )?(?:make|have|get|see))((?: [^\s]+){0,4}) ?$`)
	telling = regexp.MustCompile(`\b(?:that|confirm|say|see|tell|report|show|read|assure|verify|add|` +
		`note|state|announce|attest|swear|admit|mention|inform|find|know|so|because)\b`)
)

// toCome reports whether the clause says that it is to be so, may be so or is being done.
func (mt match) toCome() bool {
	clause, _ := mt.clause()
	clause = strings.TrimSpace(clause)
	switch {
	case being.MatchString(clause):
		return true
	case bareVerb.MatchString(mt.text()):
		return passive.MatchString(clause)
	case mt.form.kind != Tests:
		return false
	}
	m := wish.FindStringSubmatch(clause)
	return m != nil && !telling.MatchString(m[1]) && !breaks.MatchString(m[1])
}

// strangers are words after or before which a form speaks of what the code does, such as "approved by the
// manager".
var strangers = regexp.MustCompile(`(?:\b(?:the|a|an|any|its|their|some|somebody|someone|whoever|` +
	`each|every|no|other|it|default|hand|law|phone|e?mail|letter|cron|jobs?|bots?|managers?|users?|` +
	`admins?|customers?|clients?|banks?|owners?|hooks?|servers?|handlers?|middleware|polic(?:y|ies)|` +
	`roles?)(?:'s?)?)$`)

// noPerson are words that no person has as a name, at the beginning of a form.
var noPerson = regexp.MustCompile(`^(?:who|which|what|it|that|whoever|i|we|user|manager|handler|` +
	`server|hook|client|test|mock|stub|code|only|never|always|nobody|this|these|those|everything|` +
	`nothing|readme|docs?|logs?|table|spec|schema|comment|config|method|caller|api|parser|compiler|` +
	`linter|ticket|customer)\b`)

// given matches what follows where a test passes a value to a function, and what makes light of a success.
var given = regexp.MustCompile(`^ (?:a|an|the|its|their|his|this|that|these|it|them|nil|null|none|` +
	`true|false|undefined|\d\S*|one|two|three|zero|more|fewer|to|through|into|over|down|along|ctx|` +
	`context|only|because|by (?:accident|chance|luck|mistake|coincidence))\b|^ \S+ (?:to|into) [a-z]`)

// limited matches what makes light of "it works".
var limited = regexp.MustCompile(`^[ ,;)-]*(?:but|except|yet|only|unless|until|while|though|although)\b`)

var works = regexp.MustCompile(`\bwork(?:s|ed)\b[^a-z]*$`)

var passes = regexp.MustCompile(`\bpass(?:es|ed|ing)?$`)

// doneBy matches a form that ends with who did it, and so does not begin with it: "this was allowed by bob".
var doneBy = regexp.MustCompile(`\b(?:by|with) @?[a-z][^ ]*$`)

// byWhom matches up to the word for who did it.
var byWhom = regexp.MustCompile(`^.*\b(?:by|from|of|has|have|had|got|gets|with|under|given|received|` +
	`obtained|after|per) (@?[a-z][^ ]*)`)

// aboutCode reports whether the form speaks of what code does.
func (mt match) aboutCode() bool {
	text := mt.text()
	if mt.form.kind == Tests && passes.MatchString(text) && given.MatchString(mt.words[mt.end:]) {
		return true
	}
	if mt.form.kind == Tests && works.MatchString(text) && limited.MatchString(mt.words[mt.end:]) {
		return true
	}
	if !mt.form.person {
		return false
	}
	if mt.form.leads || !doneBy.MatchString(text) && noPerson.MatchString(text) {
		return noPerson.MatchString(text)
	}
	m := byWhom.FindStringSubmatch(text)
	return m != nil && strangers.MatchString(strings.TrimRight(m[1], ".,;:!)"))
}
