package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestWhatAsksForHelp(t *testing.T) {
	t.Parallel()
	read := intent.Lexicon{}.Read
	for _, text := range []string{
		"", " \n", "\u200b", "?", "??", "help", "Help!", "help please", "please help", "/bobbin",
		"/bobbin help", "/help", "usage", "What can you do?", "what can I say here?", "who are you", "hilfe",
		":", "commands",
	} {
		require.True(t, read(text).AsksForHelp, "%q", text)
		require.False(t, read(text).Permits(), "%q", text)
	}
	for _, text := range []string{
		"help me with the login", "help ann", "no help needed", "? why", "the help page is broken",
		"help page", "/bobbin status", "what can you do about the refund?", "`help`", "> help",
		"who are you talking to", "fix it", "stop", "👍", "🎉", "thanks!", "Thank you :tada:", "please",
	} {
		require.False(t, read(text).AsksForHelp, "%q", text)
	}
	for _, text := range []string{"status", "Status?", "what are you doing?", "please status"} {
		require.True(t, read(text).AsksForStatus, "%q", text)
	}
	for _, text := range []string{"status 500 comes back", "what is the status of orders", "stop", "?"} {
		require.False(t, read(text).AsksForStatus, "%q", text)
	}
	for _, text := range []string{
		"hi", "Hello there!", "hey bobbin", "good morning", "help me", "ping?", "🙂",
	} {
		require.True(t, read(text).OnlyGreets, "%q", text)
	}
	for _, text := range []string{"hi, the total is off", "hello world fails", "test the login", "", "hit"} {
		require.False(t, read(text).OnlyGreets, "%q", text)
	}
}
