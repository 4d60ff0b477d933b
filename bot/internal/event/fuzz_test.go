package event

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// FuzzShared checks that files and shares of a message are read without a panic and within their limits,
// whatever they hold.
func FuzzShared(f *testing.F) {
	for _, seed := range []string{
		`{"files":[{"id":"F1","name":"a","size":-1e400}]}`,
		`{"files":[{"id":7,"size":"x"}],"attachments":[{"is_share":true,` +
			`"message_blocks":[{"message":{"blocks":[[[[{"text":{"text":{}}}]]]]}}]}]}`,
		`{"attachments":[{"is_share":true,"files":[{"id":"F1","is_external":true,` +
			`"url_private":"file:///x"}],"fallback":"x"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var p post
		var l lenient[post]
		if l.UnmarshalJSON(raw) == nil {
			p = l.v
		}
		_ = quoteShared(p)
		for _, a := range sharedFiles(p) {
			require.GreaterOrEqual(t, a.Size, int64(0))
			require.NotContains(t, a.Name, "\n")
		}
		require.LessOrEqual(t, len(sharedFiles(p)), maxShared)
		_, err := readPost(bot.Message{})
		require.NoError(t, err)
	})
}

// FuzzSubmission checks that a submitted modal is either one of ours with visible text, or is refused with a
// reason.
func FuzzSubmission(f *testing.F) {
	values := `"state":{"values":{"words":{"words":{"type":"plain_text_input","value":"the \u202ecart"}},` +
		`"files":{"files":{"value":"a.go, b/"}}}}`
	for _, seed := range []string{
		`{"type":"view_submission","user":{"id":"U1","team_id":"T1"},"view":{"id":"V1",` +
			`"callback_id":"correct","private_metadata":"opaque 1.2",` + values + `}}`,
		`{"type":"view_submission","user":{"id":"U1"},"view":{"id":"V1","callback_id":"fix_limited",` +
			`"private_metadata":"opaque",` + values + `}}`,
		`{"type":"view_submission","user":{"id":"U1"},"view":{"id":"V1","callback_id":"another",` +
			`"private_metadata":"opaque"}}`,
		`{"type":"view_submission","user":7,"view":[],"state":{"values":{"words":7}}}`,
		`{"type":"view_closed"}`, `{`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		s, ok := reader.ReadSubmission(payload)
		if !ok {
			require.Empty(t, s.In.EventID)
			return
		}
		if s.Unknown != "" || len(s.Errors) > 0 {
			return
		}
		require.NotEmpty(t, s.In.Text)
		require.Equal(t, s.In.Text, mrkdwn.Visible(s.In.Text))
		require.True(t, strings.HasPrefix(s.In.EventID, "form:"))
		require.Equal(t, workflow.MessageForm, s.In.Kind)
		require.NotEmpty(t, s.In.User)
		require.NotEmpty(t, s.In.Value)
	})
}

// FuzzCommand checks that a slash command that is accepted has a channel, a user and a name.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{
		`{"command":"/diagnose","text":"it fails","channel_id":"C1","user_id":"U1","team_id":"T1",` +
			`"trigger_id":"1.2"}`,
		`{"command":"/grill-me","text":"&lt;a&gt; \u202e\u200b","channel_id":"C1","user_id":"U1"}`,
		`{"command":7,"text":{"a":1},"channel_id":null,"user_id":[]}`, `[]`, `"x"`, `{`, ``,
	} {
		f.Add("e1", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, envelope string, payload []byte) {
		c, err := reader.ReadCommand(envelope, payload)
		if err != nil {
			return
		}
		require.NotEmpty(t, c.Channel)
		require.NotEmpty(t, c.User)
		require.NotEmpty(t, c.Name)
		require.Equal(t, c.Text, strings.TrimSpace(c.Text))
		if !json.Valid(payload) {
			t.Fatalf("taken, and no JSON: %q", payload)
		}
		_ = c.Help()
	})
}

// FuzzSent checks that a message that was sent to the bot has a thread, a sender and an event id, or is
// ignored.
func FuzzSent(f *testing.F) {
	for _, seed := range []string{
		`{"type":"message_action","callback_id":"send_to_bobbin","user":{"id":"U1","team_id":"T1"},` +
			`"channel":{"id":"C1","name":"bugs"},"message_ts":"1.2","action_ts":"3.4",` +
			`"message":{"user":"U2","ts":"1.2","thread_ts":"1.1","text":"it fails"}}`,
		`{"type":"message_action","callback_id":"send_to_bobbin","user":7,"channel":[],"message":"x"}`, `[]`,
		`{`,
	} {
		f.Add("interactive", []byte(seed))
	}
	f.Add("events_api", callback(`{"type":"reaction_added","user":"U1","reaction":"bug::skin-tone-2",`+
		`"item":{"type":"message","channel":"C1","ts":"1.1"}}`))
	f.Add("events_api",
		callback(`{"type":"reaction_added","user":["U1"],"reaction":{},"item":{"type":"file"}}`))
	f.Add("events_api",
		callback(`{"type":"app_home_opened","user":"U1","channel":"D1","tab":"home","view":{"id":"V1"}}`))
	f.Add("events_api", callback(`{"type":"app_home_opened","user":{},"tab":["home"]}`))
	f.Add("interactive", []byte(`{"type":"block_actions","user":{"id":"U1"},"view":{"type":"home"},`+
		`"actions":[{"action_id":"home_pause","value":"all"}]}`))
	f.Add("interactive", []byte(`{"type":"block_actions","user":[],"view":{"type":["home"]},"actions":{}}`))
	marked := reader
	marked.Reactions = map[string][]string{"C1": {"bug"}}
	f.Fuzz(func(t *testing.T, kind string, payload []byte) {
		if user := HomeOpenedBy(kind, payload); user != "" {
			require.Equal(t, "events_api", kind)
		}
		if user, action, _, ok := HomePress(kind, payload); ok {
			require.NotEmpty(t, user+string(action))
			require.Equal(t, "interactive", kind)
		}
		s, ok := marked.ReadSharedMessage(kind, payload)
		if !ok {
			return
		}
		require.Equal(t, workflow.MessageSent, s.In.Kind)
		require.NotEmpty(t, s.In.EventID)
		require.NotEmpty(t, s.In.Thread.Channel)
		require.NotEmpty(t, s.In.TS)
		require.NotEmpty(t, s.In.User)
		require.False(t, strings.ContainsAny(string(s.In.ActionID), " :"))
	})
}
