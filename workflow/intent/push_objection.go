package intent

import (
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// maxObjection is the limit, in words, of a sentence that may be an objection to a push: what is longer tells
// something.
const maxObjection = 14

// objectsToPush reports whether a sentence denies that the work may be pushed, in words that no list has:
// "nothing should be pushed yet", "I didn't say you could push", "pushing this would be a mistake". It reads
// English alone. What merely does not push ("it doesn't push the order") is no objection.
func objectsToPush(sentence string) bool {
	folded := phrases.Fold(sentence)
	short := len(strings.Fields(folded)) <= maxObjection
	return short && matchesAny(pushObjections(), folded) && !aboutProduct.MatchString(folded)
}

// pushObjections returns the forms of sentences that deny a push.
var pushObjections = sync.OnceValue(func() []*lazyregexp.Regexp {
	return readForms("push_objection").Compile(`\b(?:`, ")")
})

// aboutProduct matches words that the objections of people have not, and those that report a fault have.
var aboutProduct = lazyregexp.New(
	`\b(?:fails?|failed|errors?|log|logs|button|hook|queue|order|orders|mail|mails|page|users?|` +
		`guests?|customers?|warehouse|notification|when|because|yesterday|last|instead|after)\b`,
)
