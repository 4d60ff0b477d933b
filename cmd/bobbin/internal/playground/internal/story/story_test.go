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
	"github.com/bobbinhq/bobbin/workflow"
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
		"expect user \"fix\"\nsay fixed\n---\n== m\nexpect user \"leave it\"\nsay left\n---\n",
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
	require.Contains(t, say(t, e, "fix"), "fixed", "the first goes on")
	require.Contains(t, sayAfter(t, e, `{"role":"assistant","content":"fixed"}`, "fix"), "fixed",
		"said once more in a conversation")
	once := `{"role":"assistant","tool_calls":[{"id":"call_1_2_1",` +
		`"function":{"name":"reply","arguments":"{}"}}]}`
	require.Contains(t, sayAfter(t, e, once, "more"), `"id":"call_1_2_1_2"`, "another call")
	require.Contains(t, sayAfter(t, e, once, "what else?"), "connect a model")
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
	var state State
	s := &Story{
		Slack:   slack,
		Channel: bugs,
		People:  map[string]string{"ann": ann.ID, "bea": bea.ID},
		State:   func(string) State { return state },
		Opening: Line{ID: "report", Who: "ann", Says: "it is broken"},
		Lines: []Line{
			{
				ID: "correct", Who: "bea", Says: "there, too", Once: true, Other: true,
				When: func(s State) bool { return s.Waits() && !s.Corrected },
			},
			{ID: "approve", Who: "bea", Says: "fix it", When: State.Waits},
			{ID: "aside", Who: "ann", Says: "may I?", When: State.Waits, Once: true, Other: true},
			{ID: "stop", Who: "ann", Says: "stop", When: State.Fixes, Other: true},
		},
	}
	offered := func(want ...string) {
		t.Helper()
		var ids []string
		_, steps := s.Next()
		for _, step := range steps {
			ids = append(ids, step.ID)
		}
		require.Equal(t, want, ids)
	}
	says := func(step string) (thread string) {
		t.Helper()
		thread, err := s.Take(step)
		require.NoError(t, err)
		return thread
	}
	answers := func(text string) {
		t.Helper()
		_, err := slack.PostAsBot(bugs, slack.App().BotUser, slacktest.Message{
			Text: text, ThreadTS: slack.Channel(bugs)[0].TS,
		})
		require.NoError(t, err)
	}
	offered("report")
	thread := says("report")
	require.Equal(t, slack.Mention()+" it is broken", slack.Thread(bugs, thread)[0].Text)
	offered()
	_, err := s.Take("approve")
	require.Error(t, err, "it is not its turn")
	state = State{Phase: workflow.PhaseReported, AtWork: true}
	answers("it is there")
	offered()
	state.AtWork = false
	offered("correct", "approve", "aside")
	says("correct")
	offered() // what is stored is from before it
	state.Corrected = true
	answers("and there")
	offered("approve", "aside")
	says("aside")
	answers("you may")
	offered("approve")
	_, err = slack.Say(bugs, ann.ID, "fix it", thread)
	require.NoError(t, err)
	offered("approve") // bea has not said it
	says("approve")
	offered()
	answers("approved")
	state = State{Phase: workflow.PhaseVerifying, AtWork: true}
	offered("stop")
	for _, over := range []workflow.Phase{workflow.PhaseDone, workflow.PhaseAnswered} {
		state = State{Phase: over}
		offered("report")
		_, steps := s.Next()
		require.False(t, steps[0].Other)
	}
	require.Implements(t, (*view.Story)(nil), s)
}
