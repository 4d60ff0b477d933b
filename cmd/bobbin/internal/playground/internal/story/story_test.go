package story

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/view"
)

// say sends the endpoint one user message and returns the answer.
func say(t *testing.T, e *Endpoint, words string, tools ...string) string {
	t.Helper()
	return sayAfter(t, e, "", words, tools...)
}

// sayAfter sends a user message in a conversation with earlier messages, given as JSON.
func sayAfter(t *testing.T, e *Endpoint, before, words string, tools ...string) string {
	t.Helper()
	if before != "" {
		before += ","
	}
	var offered []string
	for _, name := range tools {
		offered = append(offered, fmt.Sprintf(`{"type":"function","function":{"name":%q}}`, name))
	}
	body := fmt.Sprintf(`{"model":"m","messages":[%s{"role":"user","content":%q}],"tools":[%s]}`, before,
		words, strings.Join(offered, ","))
	answer, err := http.Post(e.URL+"/chat/completions", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, string(raw))
	return string(raw)
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	e, err := Serve("story", "== m\nexpect user \"report\"\nsay looking\n---\nexpect user \"more\"\n"+
		"call reply {\"text\": \"looking again\"}\n---\n"+
		"expect user \"fix\"\nsay mended\n---\n== m\nexpect user \"leave it\"\nsay left\n---\n",
		"connect a model")
	require.NoError(t, err)
	t.Cleanup(e.Close)

	require.Contains(t, say(t, e, "hello"), "connect a model")
	require.Contains(t, say(t, e, "report"), "looking")
	require.Contains(t, say(t, e, "what is this?", "reply"), `{\"text\":\"connect a model\"}`,
		"in the middle of the story")
	require.Contains(t, say(t, e, "what is this?", "search", "advise"), `\"bottom_line\":\"connect a model\"`)
	require.Contains(t, say(t, e, "more"), "looking again")
	require.Contains(t, say(t, e, "more"), "looking again", "asked again, as after a crash")
	require.Contains(t, say(t, e, "leave it"), "left", "and otherwise")
	require.Contains(t, say(t, e, "fix"), "mended", "the first goes on")
	require.Contains(t, sayAfter(t, e, `{"role":"assistant","content":"mended"}`, "fix"), "connect a model",
		"once in a conversation")
	require.Contains(t, sayAfter(t, e, `{"role":"assistant","tool_calls":[{"id":"call_1_2_1",`+
		`"function":{"name":"reply","arguments":"{}"}}]}`, "more"), "connect a model")
}

func TestStory(t *testing.T) {
	t.Parallel()
	slack := slacktest.New(slacktest.Config{})
	t.Cleanup(slack.Close)
	ann := slack.AddUser(slacktest.User{Name: "ann"})
	bea := slack.AddUser(slacktest.User{Name: "bea"})
	bugs := slack.AddChannel(slacktest.Channel{
		Name:    "bugs",
		Members: []string{ann.ID, bea.ID, slack.App().BotUser},
	}).ID
	s := &Story{
		Slack:   slack,
		Channel: bugs,
		People:  map[string]string{"ann": ann.ID, "bea": bea.ID},
		Ends:    []string{"Done", "Stopped"},
		Opening: Line{ID: "report", Who: "ann", Says: "it is broken"},
		Lines: []Line{
			{ID: "correct", Who: "bea", Says: "there, too", After: "Cause 1", Until: "Cause 2"},
			{ID: "approve", Who: "bea", Says: "fix it", After: "Cause 2"},
			{ID: "aside", Who: "ann", Says: "may I?", After: "Cause 2", Side: true},
		},
	}
	offered := func(want ...string) {
		t.Helper()
		var ids []string
		_, steps, waiting := s.Next()
		for _, step := range steps {
			ids = append(ids, step.ID)
		}
		require.Equal(t, want, ids)
		require.Equal(t, len(ids) == 0, waiting != "")
	}
	offered("report")
	thread, err := s.Take("report")
	require.NoError(t, err)
	require.Equal(t, slack.Mention()+" it is broken", slack.Thread(bugs, thread)[0].Text)
	offered()
	_, err = s.Take("approve")
	require.Error(t, err, "it is not its turn")
	answers := func(text string) {
		t.Helper()
		_, err := slack.SayAsBot(bugs, slack.App().BotUser, text, thread)
		require.NoError(t, err)
	}
	answers("Cause 1")
	offered("correct")
	_, err = s.Take("correct")
	require.NoError(t, err)
	offered()
	answers("Cause 2")
	offered("approve", "aside")
	_, err = s.Take("aside")
	require.NoError(t, err)
	offered("approve")
	_, err = s.Take("approve")
	require.NoError(t, err)
	offered()
	answers("Done")
	offered("report")
	require.Implements(t, (*view.Story)(nil), s)
}
