package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/phrases"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// maxObjection is the limit, in words, of a sentence that may be an objection to a push: what is longer tells
// something.
const maxObjection = 14

// objectsToPush reports whether a sentence denies that the work may be pushed, in words that no list has:
// "nothing should be pushed yet", "I didn't say you could push", "pushing this would be a mistake". It reads
// English alone. What merely does not push ("it doesn't push the order") is no objection.
func objectsToPush(sentence string) bool {
	said := phrases.Fold(sentence)
	short := len(strings.Fields(said)) <= maxObjection
	return short && pushObjection.MatchString(said) && !aboutProduct.MatchString(said)
}

const (
	delivers = `(?:push(?:ed|ing|es)?|merg(?:e|ed|ing|es)|ship(?:ped|ping|s)?|deploy(?:ed|ing|s)?|` +
		`go(?:es|ing)? live|commit(?:ted|ting)?|touch(?:ed|ing)?|fix(?:ed|ing)?)`
	permission = `(?:permission|approval|ok(?:ay)?|rights?|consent|blessing|go.?ahead|sign.?off|mandate)`
	denied     = `(?:not|never|cannot|(?:do|did|must|should|ca|wo|would|could|have|is|are|was|were)nt)`
	badIdea    = `(?:mistake|wrong|bad|dangerous|premature|risky|irresponsible|reckless|stupid|foolish|` +
		`disaster|too (?:early|soon|much|risky)|not (?:ok|right|safe|good|wise))`
)

var (
	pushObjection = lazyregexp.New(`\b(?:` + strings.Join([]string{
		`(?:nothing|nobody|no ?one|none of (?:this|that|it|these)) (?:should|must|may|can|is to|` +
			`gets? to|is allowed to|will|shall)(?: be)? ` + delivers,
		`(?:i|we|nobody|no ?one|they) (?:did ?nt|did not|never|have ?nt|have not) (?:say|said|tell|` +
			`told|ask(?:ed)?|allow(?:ed)?|agree(?:d)?|approve(?:d)?|give|gave|given|want(?:ed)?|okd|` +
			`sign(?:ed)? off)\b.*\b(?:you|it|this|that)\b.*\b` + delivers,
		`(?:you|u|bobbin|it|the bot) (?:dont|do not|didnt|did not|never|doesnt) (?:have|had|got|get|` +
			`need)(?: \w+)? ` + permission,
		`without (?:\w+ )?` + permission + ` (?:you|this|it|that|nothing)`,
		`no way (?:this|that|it|you|were|we|is|am|im)`,
		delivers + ` (?:this|that|it|now|today)(?: \w+){0,2} (?:would|will|is|seems|looks|feels|` +
			`sounds)(?: be)?(?: \w+){0,2} ` + badIdea,
		`(?:too|way too|far too) (?:soon|early|risky|dangerous|late) (?:for|to)\b.*` + delivers,
		`(?:who|why) (?:told|said|allowed|asked|the hell|would|are|do|did)\b(?: \w+){0,3} (?:you|u|` +
			`bobbin)\b(?: \w+){0,4} (?:push|merge|ship|deploy|fix|touch)(?:ing)?(?: (?:this|that|` +
			`it))?\??$`,
		`(?:this|that|it)(?: \w+)? (?:` + denied + `)(?: \w+){0,3} (?:pushed|merged|shipped|deployed|` +
			`released|go(?:ing)? live|land|fly|ship)(?: \w+){0,2}[.!]?$`,
		`(?:im|i am|were|we are) (?:still|not done|not finished|not yet done)(?: \w+)? (?:review|read|` +
			`check|look|think|test|discuss|decid)ing`,
	}, "|") + `)`)
	// aboutProduct matches words that the objections of people have not, and those that report a fault have.
	aboutProduct = lazyregexp.New(
		`\b(?:fails?|failed|errors?|log|logs|button|hook|queue|order|orders|mail|mails|page|users?|` +
			`guests?|customers?|warehouse|notification|when|because|yesterday|last|instead|after)\b`,
	)
)
