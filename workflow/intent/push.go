package intent

import (
	"slices"
	"strings"
)

// ReadPush reads the word that lets a change be pushed which decides more than what the code
// does ("push it"), or of which nothing could be proven ("push it unproven"): the whole message
// or nothing. It is held to the form of ReadConsent.
func ReadPush(text string) (allows, unproven bool) {
	plain := straighten(text)
	own, quoted := ownLines(plain)
	if quoted || !isPlainASCII(plain) || strings.Contains(plain, "```") || mentions.MatchString(plain) {
		return false, false
	}
	said, unproven := strings.CutSuffix(strings.ToLower(polite(trimAddress(own))), " unproven")
	allows = slices.Contains([]string{"push it", "yes, push it", "yes push it"}, said)
	return allows, allows && unproven
}
