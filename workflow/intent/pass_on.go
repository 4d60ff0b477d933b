package intent

import (
	"slices"
	"strings"
)

// PassesOn reports whether a whole message says that held words may reach the agents.
func PassesOn(text string) bool {
	plain := straighten(text)
	own, quoted := ownLines(plain)
	return !quoted && isPlainASCII(plain) && slices.Contains([]string{"pass it on", "yes, pass it on", "yes pass it on", "pass that on", "pass this on"}, strings.ToLower(polite(trimAddress(own))))
}
