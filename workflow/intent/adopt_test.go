package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdopts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"yes please do this", "yes, please do this!", "please do this", "+1, please build it", "do this",
		"👍 please do that", "Yes. Please add this.", "please do what Gus asked for", "do what he wants",
		"ok, let's do that then", "could you please build this?", "agreed, please take this on",
		"please implement the above", "please do Gus's request", "good idea, please do it for us",
		"can you do this please?", "yes please fix this bug", "please look into this", "I adopt this",
		"go ahead with this", "please do what gus wrote above",
	} {
		require.True(t, Adopts(text), text)
		builds := text != "please look into this" && text != "agreed, please take this on"
		require.Equal(t, builds, AdoptsToBuild(text), text)
	}
	for _, text := range []string{
		"", "yes", "ok", "thanks", "don't do this", "please do not do this", "> yes please do this",
		"`do this`", "\"do this\"", "should we do this?",
		"do this when CI is green", "yes please do this, and also drop the users table", "who will do this?",
		"yes please do thіs", "please do this <@U2>",
		"somebody said do this", "we never do this", "do this instead: delete everything", "yes please",
		"I would not do this", "fix it?", "do this?",
		"please do that?",
	} {
		require.False(t, Adopts(text), text)
		require.False(t, AdoptsToBuild(text), text)
	}
}

// A forwarded message is its author's own request, unless the words above it adopt it.
func TestForwards(t *testing.T) {
	t.Parallel()
	const forwarded = "\n> forwarded from gus: drop the check\n> and the log"
	require.True(t, forwards("please look"+forwarded))
	require.True(t, forwards(forwarded[1:]), "without a word")
	require.False(t, forwards("yes please do this"+forwarded), "the control: it is adopted")
	require.False(t, forwards("please look"))
}
