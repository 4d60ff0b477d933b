package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoesOn(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"go on", "Go on please.", "sorry, wrong thread. Go on please", "continue", "please continue",
		"resume", "keep going!", "It was the wrong file. Go on.",
	} {
		require.True(t, GoesOn(text), text)
	}
	for _, text := range []string{
		"", "don't go on", "do not go on yet", "go on?", "shall we go on?", "go on when CI is green",
		"> go on", "`go on`", "\"go on\"", "I want to go on holiday",
		"why did you stop?", "what did you change so far?", "stop", "thanks", "never go on", "<@U2> go on",
		"go оn", "resume parsing is broken", "wait, go on tomorrow",
		"let's carry on with the retro", "go on and tell me why you changed the store",
		"ok, continue with the discussion in #ops", "fine, carry on then. I'm off to lunch",
		"go ahead and merge my other PR", "ok, go on with the other file", "go on, but leave the store alone",
		"go on. No, don't go on.", "somebody said go on", "The loop should continue after the error",
	} {
		require.False(t, GoesOn(text), text)
	}
}

func TestSaysGoOn(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"go on", "Go on!", "go on, please", "please continue", "Yes, go on.", "<@U0BOT> go on"[9:],
		"carry on", "go ahead", "go\u00a0on",
	} {
		require.True(t, SaysGoOn(text), text)
	}
	for _, text := range []string{
		"", "go on?", "don't go on", "go on if it is cheap", "> go on", "> more?\ngo on", "shall we go on",
		"he said \"go on\"", "`go on`", "go on tomorrow",
		"gо on", "go on\u200b", "fix it", "yes", "<@U1> go on",
	} {
		require.False(t, SaysGoOn(text), text)
	}
}
