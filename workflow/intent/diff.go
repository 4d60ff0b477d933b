package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// asksAboutDiff reports whether a message asks about the change itself: why it is so large, why it touches a
// file, what is in it. A message that also gives an instruction is not only a question, and is left to the
// agents.
func asksAboutDiff(t words.Text) bool {
	asked := false
	for _, clause := range splitClauses(t.Sentences) {
		clause = words.Openers.ReplaceAllString(strings.TrimRight(clause, " ?!."), "")
		switch {
		case aboutDiff.MatchString(clause) && !otherDiff.MatchString(clause):
			asked = true
		case instructs.MatchString(clause):
			return false
		}
	}
	return asked
}

// AsksForDiff reports whether a message that asks about the change asks to see it.
func AsksForDiff(text string) bool {
	t := words.Prepare(text)
	return asksAboutDiff(t) && seesDiff.MatchString(strings.Join(t.Sentences, " "))
}

var seesDiff = lazyregexp.New(
	`\bshow (?:me|us)\b|\bwhat(?:'s| is) in (?:the|your|this) (?:diff|patch|commit|change)`)

// showsDiff reports whether a message asks to see the whole change, and nothing else. The program answers
// that by itself, so whatever else is asked beside it is left to asksAboutDiff.
func showsDiff(t words.Text) bool {
	shows := false
	for _, clause := range splitClauses(t.Sentences) {
		clause = words.Openers.ReplaceAllString(strings.TrimRight(clause, " ?!."), "")
		switch {
		case onlyShowsDiff.MatchString(clause):
			shows = true
		case !courtesy.MatchString(clause):
			return false
		}
	}
	return shows
}

var (
	onlyShowsDiff = lazyregexp.New(`^(?:please |now |just )*` +
		`(?:(?:(?:can|could|would|will) you (?:please |just )*)?(?:show|post|give|send|paste)|` +
		`(?:can|could|may) (?:i|we) (?:please |just )*(?:see|have|get)|let (?:me|us) see)` +
		`(?: (?:me|us))?(?: (?:the|your|this|that))?(?: (?:whole|full|entire|complete|current))*` +
		` (?:diffs?|patch|changes?)(?: (?:so far|again|here|now|please|first|then))*$|` +
		`^(?:the )?(?:diff|patch)(?: please)?$`)
	courtesy = lazyregexp.New(`^(?:please|thanks|thank you|thx|cheers|ok|okay|great|nice|cool|good|hi|` +
		`hello|hey)?$`)
)

// splitClauses splits sentences at commas and the like, so that an instruction after a question is found.
func splitClauses(sentences []string) []string {
	var all []string
	for _, s := range sentences {
		all = append(all, words.ClauseEnd.Split(s, -1)...)
	}
	return all
}

// Parts of questions about the change. In a shop, change is also money and a patch is also a request, so
// these everyday words need more context than the technical names of a diff.
const (
	diffs   = `(?:diffs?|changesets?|patch(?:es)?|commits?|pr|pull request|merge request|mr|hunks?)`
	changes = `(?:` + diffs + `|changes?|fix|edits?|branch)`
	whose   = `(?:the|this|that|these|those|your|all the|all these|all your|each|every)`
	sizes   = `(?:large|big|huge|long|massive|many|much|complicated|complex|invasive|verbose)`
	code    = `(?:\S*\w/\S+|\S+\.(?:go|js|ts|jsx|tsx|py|rb|java|kt|rs|c|h|cpp|cs|php|css|scss|html|sql|` +
		`ya?ml|json|toml|md|sh|mod|sum|proto|vue|swift)|(?:the |a |an |this |that |these |those )?(?:new |` +
		`extra |other |existing )?(?:files?|tests?|functions?|helpers?|packages?|imports?|signatures?|` +
		`migrations?|dependency|dependencies))`
	doing = `(?:touch|chang|edit|rewr|delet|remov|mov|renam|add|replac|modif|refactor|introduc|split|` +
		`drop|us(?:e|ing)\b)\w*`
	parts = `(?:(?:a|an|the|this|that|all|these|those) )*(?:new|extra|additional|second|separate) ` +
		`(?:files?|functions?|helpers?|packages?|tests?|migrations?|dependency|dependencies|imports?|types?)`
	whyever = `(?:(?:(?:explain|tell (?:me|us)|say)(?: to (?:me|us))? )?(?:why|how come)|for what reason)`
)

var aboutDiff = lazyregexp.New(`^(?:(?:can|could|would|will) you (?:please |just |quickly |briefly )*|` +
	`i(?:'d| would) like you to |please )?(?:` + strings.Join([]string{
	whyever + ` (?:so|that|this) ` + sizes + `(?: (?:a |an )?(?:lines|files|code|edits|` + diffs +
		`|changes|change|fix)\b.*|)$`,
	whyever +
		` (?:\+\d+.*|(?:\d+|all these|that many)(?: changed| new| more)? (?:lines|files|commits|hunks|` +
		`changes)(?: (?:changed|touched|of (?:code|diff|changes)|in ` +
		whose + ` ` + changes + `|for .*\b(?:fix|bug|change|typo|rename|cent|one-liner)).*)?)$`,
	whyever + ` (?:(?:is|are|was|were|does|do|did|has) )?` + whose + ` (?:whole |full )?` + diffs + `\b.*`,
	whyever + ` (?:is|are|was|were) ` + whose + ` ` + changes +
		` (?:so|that|this|such|needed|necessary|required|in|spread|across|larger|bigger)\b.*`,
	whyever + ` ` + whose + ` ` + changes + ` (?:(?:is|are|was|were) so|to|in) .*`,
	whyever + ` (?:(?:is|was) )?(?:it|that|this) so (?:large|big|huge|long)$`,
	whyever + ` (?:(?:did|do|have|are|were|would|had) you|didn't you|don't you|you(?:'re| are| have|` +
		`'ve)?)(?: also| even| just| not| all)* ` + doing + `\b.*`,
	whyever + ` (?:is|are|was|were|has|have|did) ` +
		code + ` (?:been )?(?:(?:also|even|in) )*(?:touched|changed|edited|deleted|removed|renamed|moved|` +
		`rewritten|modified|added|change|here|there|(?:the|this|your) ` + diffs + `)\b.*`,
	whyever + ` (?:the|a|an|this|another) (?:new|extra|additional|second|separate|big|large|huge) (?:` +
		changes + `|file|function|helper|package|test|migration|dependency|import|type)\b.*`,
	`(?:explain|justify|summari[sz]e|describe|break down|(?:walk|talk|take) (?:me|us) through|go through|` +
		`show (?:me|us))(?: to (?:me|us))? ` + whose + ` (?:whole |full |entire )?(?:` + diffs +
		`\b.*|` + changes + `(?: (?:to|in|of) ` + code + `.*| (?:again|briefly|first|line by line|hunk by ` +
		`hunk|file by file|to (?:me|us)|you (?:made|did)|on (?:the|this|your) branch|and why)\b.*)?)$`,
	`explain what (?:you|has|have|was)\b(?: have)? (?:been )?(?:changed|did)\b.*`,
	`what(?:'s| is| all)? (?:changed|did you change|have you changed|has changed|was changed|are (?:the|` +
		`all the|your) changes|(?:is )?in ` + whose + ` ` + diffs +
		`)(?: (?:in|on) (?:` + code + `|(?:the|this|your) (?:code|branch|` + diffs + `)))?(?: and why)?$`,
	`what (?:does|do) ` + whose + ` (?:` + changes + `|hunks?) (?:do|does|contain|change|touch)\b.*`,
	`which (?:files|lines|functions|tests|packages) (?:(?:did|have) you (?:touch|change)\w*|(?:are |were ` +
		`)?(?:changed|touched)|(?:does|do) ` + whose + ` ` + changes + ` touch)\b.*`,
	`how (?:many (?:lines|files) (?:did you (?:touch|change)|(?:are |were )?(?:changed|touched)|are in ` +
		whose + ` ` + changes + `)|(?:big|large|long) is ` + whose + ` ` + changes + `)\b.*`,
	`(?:is|are|was|were|does|do|did) (?:` + whose +
		`|all (?:of )?(?:this|these|the)|we (?:really )?need all) (?:` + diffs + `|changes|code|lines|` +
		`files)\b.*(?:large|big|huge|minimal|smaller|needed|necessary|required|changes|diff)$`,
	whyever + ` (?:is|are) there ` + parts + `\b.*`,
	`(?:do|did) (?:we|you) (?:really |even )?need ` + parts + `\b.*`,
	`what(?:'s| is| are) (?:the|this|that|these|those) ` + parts + ` for$`,
	`(?:explain|why) hunks? \d+.*|what did you (?:do|change) (?:in|to) ` + code + `$`,
	`was it (?:really )?necessary to ` + doing + `\b.*`,
}, "|") + `)`)

var (
	otherDiff = lazyregexp.New(`\b(?:(?:diff|patch|commit)s? (?:tool|viewer|page|view|button|command|` +
		`endpoint|requests?|route|method|handler|call|api|release|hash|hook)|two dates)\b`)
	instructs = lazyregexp.New(`^(?:please |just |and |then |so |rather |better )*(?:make|keep|use|drop|` +
		`remove|revert|undo|split|move|put|take|change|fix|leave|rename|add|try|reduce|shrink|limit|only|` +
		`no\b|stop|don't|do not|redo|delete|restore|roll|narrow|look|check|touch|go back)\b|\b(?:instead|` +
		`should|must|need to|needs to|let's)\b`)
)
