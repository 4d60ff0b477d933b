package intent

import (
	"slices"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// asksToReview reports whether a message does nothing but ask to have the change reviewed.
func asksToReview(text string) bool {
	sentences := slices.DeleteFunc(words.Sentences(text), acknowledges)
	return len(sentences) == 1 && asksForReview.MatchString(words.Openers.ReplaceAllString(sentences[0], ""))
}

var asksForReview = lazyregexp.New(`^(?:please |(?:can|could|would|will) you (?:please )?)?` +
	`(?:review ` + theChange + `|have ` + theChange +
	` reviewed)(?: (?:again|now|too))?,?(?: please)?[ ?!.]*$`)

const theChange = `(?:it|that|this|the (?:whole )?(?:changes?|diff|fix|branch|commit|patch|work|result))`
