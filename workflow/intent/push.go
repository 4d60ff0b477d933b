package intent

import (
	"slices"
	"strings"
)

// AllowsPush reports whether the whole message is the word that lets a change be pushed
// which decides more than what the code does. It is held to the form of ReadConsent.
func AllowsPush(text string) bool {
	plain := straighten(text)
	own, quoted := ownLines(plain)
	if quoted || !isPlainASCII(plain) || strings.Contains(plain, "```") || mentions.MatchString(plain) {
		return false
	}
	return slices.Contains([]string{"push it", "yes, push it", "yes push it"}, strings.ToLower(polite(trimAddress(own))))
}
