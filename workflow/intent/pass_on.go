package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
)

// passesOn reports whether a whole message lets the held words of people without permission reach the agents.
func passesOn(text string) bool {
	plain := words.Straighten(text)
	own, quoted := words.OwnLines(plain)
	return !quoted && words.IsPlainASCII(plain) && slices.Contains(
		[]string{"pass it on", "yes, pass it on", "yes pass it on", "pass that on", "pass this on"},
		strings.ToLower(words.Polite(words.TrimAddress(own))),
	)
}
