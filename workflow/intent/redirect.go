package intent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// redirects reports whether a message in the middle of work makes the current step pointless, so that it is
// better cancelled than finished. A message that only adds something ("also check …"), thanks, asks or
// informs does not redirect. Neither does a bare "no" or "wait", which gives no new direction.
func redirects(t words.Text) bool {
	if utf8.RuneCountInString(t.Raw) > words.MaxLength {
		return false
	}
	all := t.Sentences
	whole := strings.Join(all, " ")
	if informs.MatchString(whole) {
		return false
	}
	whole = words.Openers.ReplaceAllString(whole, "")
	if interrupting.MatchString(whole) {
		rest := interruption.ReplaceAllString(whole, "")
		if words.HasWord(rest) && !agrees.MatchString(rest) {
			return true
		}
	}
	return slices.ContainsFunc(all, func(s string) bool {
		s = words.Openers.ReplaceAllString(s, "")
		return !strings.HasSuffix(s, "?") && redirecting.MatchString(s) && !harmless.MatchString(s)
	})
}

const breaksIn = `(?:no|nope|nah|wait|hold on|hang on|hold up|whoa|oops|stop|actually|instead|correction|` +
	`my (?:bad|mistake))(?: (?:a|one) (?:sec|second|minute|moment))?`

// Messages that redirect work. interrupting matches an interruption in any form, redirecting the start of a
// statement.
var (
	interruption = lazyregexp.New(`^(?:` + breaksIn + `\b[,.!:; -]*)+`)
	interrupting = lazyregexp.New(`^(?:` + breaksIn + `(?:[,.!:;]+ *(?:- )?| -+ )|actually (?:it\b|` +
		`that(?:'s| is)\b|this is\b|no\b|not\b|only\b|wait\b|i meant\b|(?:i|we|they) ` +
		`(?:want|need|see)\b|look\b|use\b|try\b|check\b|don't\b|stop\b|leave\b|forget\b|the (?:bug|problem|` +
		`cause|other|wrong|\w+ (?:job|endpoint|file|handler|service))\b)|(?:no|wait) (?:no\b|not?\b|` +
		`(?:that|this|it|i|we|you|don't|stop|wait|the other|in the|look|use|only|wrong|there)\b))+`)
	agrees = lazyregexp.New(
		`^(?:also|and also|thanks|thank|thx|(?:no )?(?:worries|problem|need|rush|hurry|idea)|nothing|` +
			`(?:(?:that|it|this|all|you)(?:'s|'re| is| are| was| looks| sounds)? )?(?:a |actually |really |` +
			`very |all |pretty )*(?:fine|ok|okay|good|great|right|correct|perfect|nice|works?|helps?|cool|` +
			`clever)\b|go on|go ahead|keep|carry on|continue|looks|sounds|fyi|i (?:like|love|agree))\b`)
	informs     = lazyregexp.New(`^(?:oh no|fyi|for your information|for the record|also|another one)\b`)
	redirecting = lazyregexp.New(`^(?:` + strings.Join([]string{
		`(?:that's |that is |that was |it's |this is |you're |you are )?(?:(?:in|at|on|looking at|reading|` +
			`changing|working on|editing) )?(?:the )?wrong(?:$|[,.:;! -]+$|[,.:;!] |\s-|\s(?:file|endpoint|` +
			`place|branch|function|repo\w*|table|job|bug|one|way|direction|package|module|service|track|` +
			`tree|page|test|handler|order|approach|layer|line|version|idea|again)\b)`,
		`(?:you're|you are|that's|that is) (?:wrong|mistaken|off|not right|barking)\b`,
		`(?:the|this|that|your) (?:fix|change|approach|diff|patch|plan|test|cause) is (?:still )?wrong\b`,
		`you (?:misunderstood|misread|got (?:it|me|that) wrong|are misreading|missed the point)`,
		`not (?:that|this|the|there|in|on|here|for|what|it|quite|my|your|those|these|at|a)\b`,
		`(?:it|that|this)(?:'s| is|s) not (?:the|that|this|about|in|it|what|my|our|a bug|caused|related|` +
			`because|where|how|why|due|from|on)\b`,
		`(?:it|that|this) isn't (?:the|that|this|about|in|it|what|my|our|a bug|caused|related|because|` +
			`where|how|why|due|from|on)\b`,
		`it(?:'s| is) .*, ?not `,
		`(?:please )?stop (?:doing|changing|touching|looking|working|editing|rewriting|refactoring|fixing|` +
			`using|adding|removing|deleting|moving|renaming|running|trying|guessing|digging|chasing|` +
			`searching|reading|going|testing|writing|exploring|messing|what)\b`,
		`(?:please )?(?:stop|cancel|abort) (?:that|this|it)[,.:;] `,
		`(?:please )?(?:don't|dont|do not|never) (?:touch|change|use|do|look|fix|edit|rewrite|remove|` +
			`delete|rename|move|modify|refactor|add|run|break|alter|replace|drop|mess|go|bother|waste|work|` +
			`start|push|write|create|introduce|patch|guess|assume)\b`,
		`(?:forget|ignore|disregard) (?:the|that|about|it|this|those|these|what|my|coupons?)\b`,
		`(?:scratch|strike) (?:that|this|it)\b|never ?mind,? .+|(?:undo|revert) (?:that|this|it)\b|go ` +
			`back\b|back up\b|change of plans?\b|new plan\b|on second thoughts?\b|let's not\b|rather[, ]`,
		`(?:narrower|broader|wider|smaller scope)(?:$|[,:;.!]| -)|narrow (?:it|this|that)\b|too (?:broad|` +
			`wide|narrow)\b|only (?:the|for|when|with|if|in|on)\b|it only\b`,
		`i meant\b|i mean (?:the|not|in|that)\b|correction\b`,
		`(?:leave|keep) .*\b(?:alone|out of (?:it|this)|as (?:it is|they are|is))$`,
		`(?:the )?other (?:one|way round|way around|file|endpoint|job|branch|service|function|table|page|` +
			`package|test)s?(?:$|[,.:!])`,
		`(?:look|use|try|check|do|take|fix|change|go|make|put|read|start|work|focus|see|search|test|run|` +
			`debug)\b.*(?:\binstead\b|\brather than\b|, not (?:the|that|this|in|at|on|for|with)\b)`,
		`you should (?:rather|instead)\b|(?:the )?(?:bug|problem|cause|issue) ` +
			`is (?:not|elsewhere|somewhere else)\b`,
	}, "|") + `)`)
	harmless = lazyregexp.New(`^(?:not (?:that (?:i|it|we|you|urgent|bad|important|big|much|many)|this ` +
		`(?:week|time|sprint|month)|a (?:problem|big deal|bad)|the end of|for me\b|in a hurry|at all)|` +
		`(?:it|that|this)(?:'s| is|s)? ?(?:not|n't|isn't) (?:the (?:only|first|last|end)|in a hurry|on ` +
		`fire)|(?:sorry, )?wrong (?:thread|channel|window|chat|person)|(?:don't|do not|dont) ` +
		`(?:go away|change a thing)|(?:keep|check) (?:going|also))|\b(?:too|as well)[.!]?$`)
)
