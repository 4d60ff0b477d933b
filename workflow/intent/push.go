package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/words"
)

// ReadPush reads the word that lets a change be pushed which decides more than what the code
// does ("push it"), or of which nothing could be proven ("push it unproven"): the whole message
// or nothing. It is held to the form of ReadConsent.
func ReadPush(text string) (allows, unproven bool) {
	plain := words.Straighten(text)
	own, quoted := words.OwnLines(plain)
	if quoted || !words.IsPlainASCII(plain) || strings.Contains(plain, "```") || words.Mentions(plain) {
		return false, false
	}
	said, unproven := strings.CutSuffix(strings.ToLower(words.Polite(words.TrimAddress(own))), " unproven")
	allows = slices.Contains([]string{"push it", "yes, push it", "yes push it"}, said)
	return allows, allows && unproven
}
