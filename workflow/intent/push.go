package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/words"
)

// ReadPush reads a message that allows a push: "push it" for a change that decides more than what the code
// does, or "push it unproven" for a change of which nothing could be proven. The whole message has to say so,
// in the form that ReadConsent demands.
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
