package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// isBareQuestion reports whether a message is a question that asks for nothing to be done: "push it to
// main?", but not "can you push it to main?".
func isBareQuestion(t words.Text) bool {
	return strings.HasSuffix(strings.TrimSpace(t.Own), "?") && !asksToDo.MatchString(t.Own)
}

var asksToDo = lazyregexp.New(`(?i)\b(?:can|could|would|will) you\b`)
