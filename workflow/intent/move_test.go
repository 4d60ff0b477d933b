package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

// People say in these words that a thread goes on in another channel, and the whole message has to say so.
func TestWordsThatMoveAThread(t *testing.T) {
	t.Parallel()
	for text, channel := range map[string]string{
		"continue in #payments":                       "#payments",
		"Continue in #payments.":                      "#payments",
		": please continue in #payments":              "#payments",
		"move this to #payments":                      "#payments",
		"take this to <#C0123ABCD|payments>":          "C0123ABCD",
		"take this to <#C0123ABCD>":                   "C0123ABCD",
		"move it over to <#G0123ABCD|zahlungen-büro>": "G0123ABCD",
		"ok, let's continue this in #ops-team please": "#ops-team",
		"can you move this thread to #payments?":      "#payments",
		"go on in the channel #payments":              "#payments",
		"let's take this over to #pay.ments, please":  "#pay.ments",
		"carry on with this in #büro":                 "#büro",
		"bring the discussion into #payments now":     "#payments",
	} {
		r := intent.Lexicon{}.Read(text)
		require.Equal(t, channel, r.MovesTo, text)
		require.True(t, r.Permits(), text)
		require.False(t, r.Consent.Consents(), text)
		require.Equal(t, intent.RefusalNone, r.Refusal, text)
		require.False(t, r.SaysGoOn || r.GoesOn, text)
	}
	for _, text := range []string{
		"", "continue", "continue in payments", "don't continue in #payments", "continue in #payments?  no",
		"> continue in #payments", "`continue in #payments`", "he said: continue in #payments",
		"continue in #payments or #ops", "should we continue in #payments?", "<@U1> continue in #payments",
		"continue in #payments tomorrow", "continue in #payments if bea agrees", "ask in #payments",
		"move the button to #payments", "it is discussed in #payments",
		"continue in <#C0123ABCD|payments> and fix it",
		"continue іn #payments",
	} {
		require.Empty(t, intent.Lexicon{}.Read(text).MovesTo, text)
	}
}
