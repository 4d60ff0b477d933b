package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
)

// passesOn reports whether a whole message lets the held words of people without permission reach the agents.
func passesOn(t words.Text) bool {
	return !t.Quoted && words.IsPlainASCII(t.Plain) && slices.Contains(
		[]string{"pass it on", "yes, pass it on", "yes pass it on", "pass that on", "pass this on"},
		strings.ToLower(words.Polite(words.TrimAddress(t.Own))),
	)
}
