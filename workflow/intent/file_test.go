package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

// People ask for an issue in these words, and the whole message has to say so.
func TestWordsThatFileAnIssue(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"file it", "File it.", "please file it", "file this!", ": file it", "ok, file it", "yes, file that",
		"file it please", "file it, please", "just file it", "let's file it", "let's just file it for now",
		"file an issue", "file a ticket for this", "file a bug report", "file it as a ticket",
		"not this week, make an issue of it", "Not this week. Make an issue of it.",
		"not now - make a ticket out of it", "not today, but file it", "later, file it please",
		"no time for this now, file an issue", "we'll fix it later, file it", "next sprint; file it",
		"let's not fix it now, file it instead", "make it an issue", "turn this into a ticket",
		"open an issue for this", "open a GitHub issue", "create a Jira ticket for it", "raise a ticket",
		"log it as an issue", "put it on the backlog", "can you file it?", "could you please open an issue?",
		"not this week, can you make an issue of it?",
		"mach ein Ticket draus", "Nicht diese Woche, bitte mach ein Ticket daraus",
		"leg ein Ticket an, bitte",
		"pas cette semaine, ouvre un ticket", "fais-en un ticket", "ahora no, crea un ticket",
		"no, file it", "No. File it.", "no, not this week, file it", "no, just file an issue",
		"non ora, apri un ticket", "niet deze week, maak er een ticket van",
	} {
		r := intent.Lexicon{}.Read(text)
		require.True(t, r.Files, text)
		require.True(t, r.Permits(), text)
		require.False(t, r.Consent.Consents(), text)
	}
	for _, text := range []string{
		"", "don't file it", "do not file it", "file it?", "should we file it?", "did you file it?",
		"don't make an issue of it", "let's not file it", "I would file it", "file it tomorrow",
		"file it under cart/", "file it if it is real", "> file it", "`file it`", "he said file it",
		"“file it”", "<@U1> file it", "file it for <@U1>", "fix it", "make it work",
		"make it an issue tomorrow",
		"open an issue page in the shop", "create a ticket model", "create a ticket for the concert",
		"the file is missing", "file not found", "why did nobody open an issue?", "fіle it",
		"file it\nno, wait",
		"not this week", "make an issue of the other thing", "fix it and file it", "never file it",
		"no, don't file it", "no need to file it", "no, no need to file it", "no reason to file it",
		"no, never file it", "file it? no", "no, file it?", "no one should file it", "you need not file it",
		"not this week, and don't file it", "fix it, don't file it", "please do not make an issue of it",
		"it is not worth it to file it", "no, wait before you file it", "file nothing",
		"no, do not open an issue",
	} {
		require.False(t, intent.Lexicon{}.Read(text).Files, text)
	}
}
