package intent

import (
	"slices"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// observed reports whether a message says that its writer saw the problem, or the result, with their own
// eyes: "I saw it on staging, too", "I can reproduce this". A sentence that denies or doubts it, or that
// asks, says nothing of the kind, and neither do quotes.
func observed(t words.Text) bool {
	return !t.Quoted && slices.ContainsFunc(t.Sentences, func(sentence string) bool {
		return sawIt.MatchString(sentence) && !deniesIt.MatchString(sentence)
	})
}

var (
	sawIt = lazyregexp.New(`(?i)^(?:(?:yes|ok|okay|right|confirmed|approved|lgtm|hm+|and|so|also)[,.! ]+)*` +
		`(?:i|we)(?:'ve| have| did| can(?: also)?| could| also| just| myself)*` +
		` (?:saw|see|seen|observed?|reproduced?|confirm(?:ed)?|checked|tried|verified|watched)` +
		` (?:it|this|that|the (?:bug|problem|error|failure|fix|same|result))\b`)
	deniesIt = lazyregexp.New(`(?i)\?|\b(?:not|never|cannot|can't|couldn't|didn't|haven't|don't|if|when|` +
		`unless|as soon as|once|until|before|after|wonder|later|tomorrow|should|would|will)\b`)
)
