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
func (l Lexicon) SaysGoOn(text string) bool { return l.saysGoOn(words.Prepare(text)) }

func (l Lexicon) saysGoOn(t words.Text) bool {
	return !t.Quoted && l.phrases().IsWhole(words.TrimAddress(t.Own), phrases.GoOn)
}

// goesOn reports whether a message says that stopped work goes on: one of its sentences says only that
// ("wrong thread, sorry. Go on please"), and no other sentence asks, refuses, or sets a condition. Quotes,
// code, and words to another person never say so.
func (l Lexicon) goesOn(t words.Text) bool {
	if l.saysGoOn(t) {
		return true
	}
	if t.Quoted || utf8.RuneCountInString(t.Raw) > maxConsent || words.AddressesOther(t.Own) ||
		words.Mentions(t.Own) || !slices.ContainsFunc(t.Sentences, l.SaysGoOn) {
		return false
	}
	return !slices.ContainsFunc(t.Sentences, func(s string) bool {
		return strings.HasSuffix(s, "?") || conditional.MatchString(s) || isRefusal(s) ||
			goingOnMention.MatchString(s) && negation.MatchString(s)
	})
}

// mentionsGoingOn reports whether a message mentions going on at all, so that its writer may be asked whether
// it means stopped work.
func mentionsGoingOn(t words.Text) bool {
	return slices.ContainsFunc(t.Sentences, goingOnMention.MatchString)
}

var goingOnMention = lazyregexp.New(`\b(?:go on|go ahead|continue|carry on|keep going|resume)\b`)
