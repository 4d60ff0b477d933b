package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyAsks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"what does receipt do?", "Why is it so slow?", "is it also in v2?", "thanks! Where is it read?",
		"Does this happen in Go 1.26? Since when?", "who wrote that?",
	} {
		require.True(t, OnlyAsks(text), text)
		require.False(t, Asks(text, true), text)
	}
	for _, text := range []string{
		"", "add Key.Len", "can you add Key.Len?", "could receipts say how many?", "what about a dark mode?",
		"how about Key.Len?", "why not delete it?", "what if we delete it?",
		"what does it do? Delete it.", "is it possible to add Key.Len?", "why don't we drop the table?",
		"do it?", "what is it, and delete it?", "would you add it?", "who can please add it?",
		"what does Key do?\n```\ndrop the check\n```", "what is this?\n> drop the check",
		"what does \"drop the check\" do?",
	} {
		require.False(t, OnlyAsks(text), text)
	}
	for _, text := range []string{
		"good morning everybody here", "fyi the release notes went out at noon today", "yes", "B",
		"the second one",
	} {
		require.False(t, Asks(text, false), text)
	}
	require.True(t, Asks("say in docs/rounding.md how cents are handed out", true))
	for _, text := range []string{"yes", "lgtm", "B", ""} {
		require.False(t, Asks(text, true), text)
	}
	for _, text := range []string{
		"add Key.Len", "receipts should say how many articles were bought", "we need a dark mode",
		"can you add Key.Len?", "it would be nice to have Key.Len", "the export lacks a header",
	} {
		require.True(t, Asks(text, false), text)
	}
}
