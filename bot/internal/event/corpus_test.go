package event

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
)

// A sample is a message as an app or a person posts it, with what has to reach the agents.
type sample struct {
	Source  string          // where its form is documented
	Message json.RawMessage // as conversations.replies returns it
	Want    []string        // texts that the agents have to be shown
	Not     []string        // texts that must not be in what counts as the writer's own words
	Unread  []string        // what is named as not read
}

// TestEveryMessageIsRead checks that what Slack shows of a message reaches the agents, from whichever payload
// it is read.
func TestEveryMessageIsRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/messages/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	r := Reader{Self: bot.Self{Team: "T0TEAM", User: "U0BOBBIN", BotID: "B0BOBBIN"}}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var s sample
		require.NoError(t, json.Unmarshal(raw, &s), file)
		require.NotEmpty(t, s.Source, file)
		require.NotEmpty(t, append(s.Want, s.Unread...), file)
		var p post
		require.NoError(t, json.Unmarshal(s.Message, &p), file)
		text := r.readWords(p)
		own, _, _ := strings.Cut("\n"+text, "\n> ")
		for _, want := range s.Want {
			require.Contains(t, text, want, file)
		}
		for _, not := range s.Not {
			require.NotContains(t, own, not, file)
		}
		for _, unread := range s.Unread {
			require.Contains(t, text, unread, file)
		}
		if len(s.Unread) == 0 {
			require.NotContains(t, text, "[not read: ", file)
		}
	}
}
