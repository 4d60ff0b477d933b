package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// onlyAsks reports whether a message does nothing but ask for information: each of its
// sentences is a question that begins like one ("what", "is", "does"). "Can you", "how
// about" and "why not" ask for something to be done.
func onlyAsks(text string) bool {
	own, quoted := words.OwnLines(words.Straighten(text))
	if quoted || words.Speech.MatchString(words.CodeWord.ReplaceAllString(own, "$1")) {
		// quotes and code may say more than the questions
		return false
	}
	sentences := slices.DeleteFunc(words.Sentences(text), acknowledges)
	for _, s := range sentences {
		s = words.Openers.ReplaceAllString(s, "")
		if !strings.HasSuffix(s, "?") || !informing.MatchString(s) || suggesting.MatchString(s) {
			return false
		}
	}
	return len(sentences) > 0
}

var (
	informing = lazyregexp.New(
		`^(?:what|which|who|whose|where|when|since when|why|how|is|are|was|were|does|do|did|has|have|had)\b`)
	suggesting = lazyregexp.New(`^(?:how about|what about|what if|why (?:not|don't|doesn't|isn't|aren't|` +
		`can't)|do (?:it|this|that|you mind|we want|i need)|have (?:you|it|this|that|a|an|the)\b|is (?:it|` +
		`there) (?:a way|any way|any chance|possible)|are you able|do you think you)\b|\b(?:please|could ` +
		`you|can you|would you|will you)\b|,? and (?:then )?(?:add|remove|delete|change|drop|make|build|` +
		`fix|rename|replace)\b`)
)
