package intent

import (
	"slices"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// awaitsPerson reports whether an English clause says that a person comes first, or takes an approval back:
// "ask dora first", "legal has to sign off", "not before bea has seen it", "I'll revert that". What the
// product or its users have to do ("the bank has to confirm it") is none.
func awaitsPerson(clause string) bool {
	folded := phrases.Fold(clause)
	if len(strings.Fields(folded)) > maxObjection {
		return false
	}
	for _, form := range awaiting() {
		if m := form.FindStringSubmatch(folded); m != nil && !slices.ContainsFunc(m[1:], isNobody) {
			return true
		}
	}
	return false
}

// isNobody reports whether the words where a form has a person name none.
func isNobody(who string) bool {
	for _, word := range strings.Fields(who) {
		if slices.Contains(nobodies, word) {
			return true
		}
	}
	return aboutUsers.MatchString(who)
}

// nobodies are words that stand where a name could, and name nobody who decides about the work.
var nobodies = []string{
	"you", "u", "it", "this", "that", "these", "those", "bobbin", "bot", "there", "everything", "nothing",
	"which", "what", "who", "one", "people", "customers", "clients", "managers", "admins", "operators",
	"clerks", "cashiers", "banks", "code", "tests", "it's", "and", "then", "they're", "also", "not", "only",
	"yourself", "tax", "login",
}

// awaiting returns the forms, whose groups hold a person.
var awaiting = sync.OnceValue(func() []*lazyregexp.Regexp {
	return readForms("awaits_person").Compile("", "")
})

// asksToWait matches the question forms among awaiting, in which the refusal is not in question.
var asksToWait = lazyregexp.New(
	`(?i)^(?:(?:please|ok|hm|hey|guys|sorry|but)[ ,]+)*(?:can|could|should|shall|may|might|must|cant|` +
		`can't|couldn't|couldnt|shouldn't|shouldnt|isn't|isnt|wouldn't|wouldnt|is it)\b`,
)
