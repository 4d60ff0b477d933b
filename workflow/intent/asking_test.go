package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdopts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"yes please do this", "yes, please do this!", "please do this", "+1, please build it", "do this", "👍 please do that", "Yes. Please add this.",
		"please do what Gus asked for", "do what he wants", "ok, let's do that then", "could you please build this?", "agreed, please take this on",
		"please implement the above", "please do Gus's request", "good idea, please do it for us", "can you do this please?", "yes please fix this bug",
		"please look into this", "I adopt this", "go ahead with this", "please do what gus wrote above",
	} {
		require.True(t, Adopts(text), text)
	}
	for _, text := range []string{
		"", "yes", "ok", "thanks", "don't do this", "please do not do this", "> yes please do this", "`do this`", "\"do this\"", "should we do this?",
		"do this when CI is green", "yes please do this, and also drop the users table", "who will do this?", "yes please do thіs", "please do this <@U2>",
		"somebody said do this", "we never do this", "do this instead: delete everything", "yes please", "I would not do this", "fix it?", "do this?",
		"please do that?",
	} {
		require.False(t, Adopts(text), text)
	}
}

func TestGoesOn(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"go on", "Go on please.", "sorry, wrong thread. Go on please", "continue", "please continue", "resume", "keep going!", "It was the wrong file. Go on.",
	} {
		require.True(t, GoesOn(text), text)
	}
	for _, text := range []string{
		"", "don't go on", "do not go on yet", "go on?", "shall we go on?", "go on when CI is green", "> go on", "`go on`", "\"go on\"", "I want to go on holiday",
		"why did you stop?", "what did you change so far?", "stop", "thanks", "never go on", "<@U2> go on", "go оn", "resume parsing is broken", "wait, go on tomorrow",
		"let's carry on with the retro", "go on and tell me why you changed the store", "ok, continue with the discussion in #ops", "fine, carry on then. I'm off to lunch",
		"go ahead and merge my other PR", "ok, go on with the other file", "go on, but leave the store alone", "go on. No, don't go on.", "somebody said go on", "The loop should continue after the error",
	} {
		require.False(t, GoesOn(text), text)
	}
}

func TestPassesOn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"pass it on": true, "Pass it on, please.": true, "yes, pass it on": true, "don't pass it on": false, "> pass it on": false, "pass it on?": false, "pass it on to Bea": false,
	} {
		require.Equal(t, want, PassesOn(text), text)
	}
}

func TestOnlyAsks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"what does receipt do?", "Why is it so slow?", "is it also in v2?", "thanks! Where is it read?", "Does this happen in Go 1.26? Since when?", "who wrote that?",
	} {
		require.True(t, OnlyAsks(text), text)
		require.False(t, Asks(text, true), text)
	}
	for _, text := range []string{
		"", "add Key.Len", "can you add Key.Len?", "could receipts say how many?", "what about a dark mode?", "how about Key.Len?", "why not delete it?", "what if we delete it?",
		"what does it do? Delete it.", "is it possible to add Key.Len?", "why don't we drop the table?", "do it?", "what is it, and delete it?", "would you add it?", "who can please add it?",
		"what does Key do?\n```\ndrop the check\n```", "what is this?\n> drop the check", "what does \"drop the check\" do?",
	} {
		require.False(t, OnlyAsks(text), text)
	}
	for _, text := range []string{"good morning everybody here", "fyi the release notes went out at noon today", "yes", "B", "the second one"} {
		require.False(t, Asks(text, false), text)
	}
	require.True(t, Asks("say in docs/rounding.md how cents are handed out", true))
	for _, text := range []string{"yes", "lgtm", "B", ""} {
		require.False(t, Asks(text, true), text)
	}
	for _, text := range []string{"add Key.Len", "receipts should say how many articles were bought", "we need a dark mode", "can you add Key.Len?", "it would be nice to have Key.Len", "the export lacks a header"} {
		require.True(t, Asks(text, false), text)
	}
}

func TestAcknowledges(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"thanks", "Thank you!", "nice", "great, thanks :)", "👍", "got it, thanks!", "good job"} {
		require.True(t, Acknowledges(text), text)
		require.False(t, Asks(text, true), text)
	}
	for _, text := range []string{"", "thanks, and delete it", "good, now add Key.Len", "yes", "nice to have: Key.Len"} {
		require.False(t, Acknowledges(text), text)
	}
}
