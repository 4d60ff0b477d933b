package intent_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestAddedWords(t *testing.T) {
	t.Parallel()
	words := map[string][]string{
		"stop":    {"Finito", "red button"},
		"hold":    {"smells fishy"},
		"approve": {"make it rain"},
		"go_on":   {"onwards"},
		"no":      {"nix da"},
	}
	l, err := intent.NewLexicon(words)
	require.NoError(t, err)
	for text, want := range map[string]intent.Refusal{
		"finito":                      intent.RefusalStop,
		"please finito now!":          intent.RefusalStop,
		"Red button, wrong file":      intent.RefusalStop,
		"hm, smells fishy":            intent.RefusalHold,
		"nix da":                      intent.RefusalHold,
		"the red button is missing":   intent.RefusalNone,
		"smells fishy in the kitchen": intent.RefusalNone,
		"stop":                        intent.RefusalStop,
	} {
		require.Equal(t, want, l.ReadRefusal(text), text)
	}
	require.Equal(t, stop, l.ReadConsent("finito").Kind)
	require.Equal(t, approve, l.ReadConsent("Make it rain!").Kind)
	require.Equal(t, unclear, l.ReadConsent("make it rain tonight").Kind)
	require.True(t, l.SaysGoOn("Onwards!"))
	require.True(t, l.GoesOn("wrong thread, sorry. Onwards"))

	// The control: without the added words, none of this holds.
	for _, text := range []string{"finito", "hm, smells fishy", "nix da", "Red button, wrong place for it"} {
		require.Equal(t, intent.RefusalNone, intent.Lexicon{}.ReadRefusal(text), text)
	}
	require.Equal(t, none, intent.ReadConsent("make it rain").Kind)
	require.False(t, intent.SaysGoOn("onwards"))
}

func TestWordsThatCannotBeAdded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list, phrase, want string
	}{
		{"stop", "x", `words.stop: "x" is too short: a phrase has 2 to 60 characters`},
		{"stop", strings.Repeat("x", 61), `is too long: a phrase has 2 to 60 characters`},
		{"stop", "--", `words.stop: "--" has no letter`},
		{"hold", "no, no", `has a punctuation mark in it; a phrase is a part of one sentence`},
		{"hold", "Fix it", `words.hold: "Fix it" is built in as a phrase that agrees`},
		{"stop", "ja", `is built in as a phrase that agrees`},
		{"approve", "Stop", `words.approve: "Stop" is built in as a phrase that refuses`},
		{"approve", "dont push", `is built in as a phrase that refuses`},
		{"approve", "yep", `is a bare yes, which may answer anything; an approval says what it approves`},
		{"approve", "weitermachen", `is built in as a phrase that lets stopped work go on`},
		{"go_on", "genehmigt", `is built in as a phrase that approves`},
	} {
		_, err := intent.NewLexicon(map[string][]string{c.list: {c.phrase}})
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := intent.NewLexicon(map[string][]string{"stop": {"Finito"}, "hold": {"finito"}})
	require.EqualError(t, err,
		"words.stop: \"Finito\" is in words.hold, too\nwords.hold: \"finito\" is in words.stop, too")
	many := make([]string, 101)
	for i := range many {
		many[i] = "phrase " + strings.Repeat("y", i%50) + strings.Repeat("z", i/50+1)
	}
	_, err = intent.NewLexicon(map[string][]string{"stop": many})
	require.ErrorContains(t, err, "is one too many: a list has at most 100 phrases")
	_, err = intent.NewLexicon(map[string][]string{"halt": {"stop"}})
	require.EqualError(t, err, "words.halt: there is no such list; use stop, hold, approve, go_on, no")
}
