package intent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// SaysGoOn reports whether the whole message says only that the work may go on: no question, quote or
// condition.
func (l Lexicon) SaysGoOn(text string) bool {
	plain := words.Straighten(text)
	own, quoted := words.OwnLines(plain)
	return !quoted && l.phrases().IsWhole(words.TrimAddress(own), phrases.GoOn)
}

// goesOn reports whether a message says that stopped work goes on: one of its sentences says only that
// ("wrong thread, sorry. Go on please"), and no other sentence asks, refuses, or sets a condition. Quotes,
// code, and words to another person never say so.
func (l Lexicon) goesOn(text string) bool {
	if l.SaysGoOn(text) {
		return true
	}
	plain := words.Straighten(text)
	own, quoted := words.OwnLines(plain)
	if quoted || utf8.RuneCountInString(text) > maxConsent || words.AddressesOther(own) ||
		words.Mentions(own) {
		return false
	}
	sentences := words.Sentences(text)
	if slices.ContainsFunc(sentences, func(s string) bool {
		return strings.HasSuffix(s, "?") || conditional.MatchString(s) || isRefusal(s) ||
			goingOnMention.MatchString(s) && negation.MatchString(s)
	}) {
		return false
	}
	return slices.ContainsFunc(sentences, l.SaysGoOn)
}

// mentionsGoingOn reports whether a message mentions going on at all, so that its writer may be asked whether
// it means stopped work.
func mentionsGoingOn(text string) bool {
	return slices.ContainsFunc(words.Sentences(text), goingOnMention.MatchString)
}

var goingOnMention = lazyregexp.New(`\b(?:go on|go ahead|continue|carry on|keep going|resume)\b`)
