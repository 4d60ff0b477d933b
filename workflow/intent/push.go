package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/words"
)

// ReadPush reads a message that allows a push: "push it" for a change that decides more than what the code
// does, "push it unproven" for a change of which nothing could be proven, or what PushesAllTheSame reads. The whole message has to say so,
// in the form that ReadConsent demands.
func ReadPush(text string) (allows, unproven bool) {
	said, unproven := strings.CutSuffix(pushWords(text), " unproven")
	allows = slices.Contains([]string{"push it", "yes, push it", "yes push it"}, said)
	return allows || PushesAllTheSame(text), allows && unproven
}

// PushesAllTheSame reports whether a message allows a push in spite of an objection: "push all the same". The
// whole message has to say so.
func PushesAllTheSame(text string) bool {
	said := strings.TrimPrefix(strings.TrimPrefix(pushWords(text), "yes"), ",")
	return slices.Contains([]string{"push all the same", "push it all the same", "push it anyway", "push anyway"}, strings.TrimSpace(said))
}

// pushWords returns the words of a message in small letters, without courtesies, or an empty string if it quotes,
// holds code or mentions somebody.
func pushWords(text string) string {
	plain := words.Straighten(text)
	own, quoted := words.OwnLines(plain)
	if quoted || !words.IsPlainASCII(plain) || strings.Contains(plain, "```") || words.Mentions(plain) {
		return ""
	}
	return strings.ToLower(words.Polite(words.TrimAddress(own)))
}
