package slacktest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

func TestAuthTest(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{AppName: "helper"})
	who, err := o.api.AuthTest()
	require.NoError(t, err)
	require.Equal(t, o.App().BotUser, who.UserID)
	require.Equal(t, o.App().BotID, who.BotID)
	require.Equal(t, o.App().TeamID, who.TeamID)
	require.Equal(t, "helper", who.User)
	require.Contains(t, who.Header.Get("X-OAuth-Scopes"), "chat:write")
}

func TestTokens(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	app := o.App()
	for _, c := range []struct{ method, token, code string }{
		{"auth.test", "", "not_authed"},
		{"auth.test", "xoxb-other", "invalid_auth"},
		{"chat.postMessage", app.AppToken, "not_allowed_token_type"},
		{"apps.connections.open", app.BotToken, "not_allowed_token_type"},
		{"apps.connections.open", "xapp-other", "invalid_auth"},
	} {
		_, answer := o.raw(c.method, url.Values{"token": {c.token}})
		require.Equal(t, false, answer["ok"], c)
		require.Equal(t, c.code, answer["error"], c)
	}
	_, answer := o.raw("auth.test", url.Values{"token": {app.AppToken}})
	require.Equal(t, app.ID, answer["app_id"])
}

func TestMissingScopeNamesWhatIsNeeded(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Scopes: []string{"chat:write", "channels:read"}})
	o.post(slack.MsgOptionText("allowed", false))
	_, err := o.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: o.bugs.ID})
	var answer slack.SlackErrorResponse
	require.ErrorAs(t, err, &answer)
	require.Equal(t, "missing_scope", answer.Err)
	require.Equal(t, "channels:history", answer.Needed)
	require.Equal(t, "chat:write,channels:read", answer.Provided)

	_, users := o.raw("users.info", url.Values{"token": {o.App().BotToken}, "user": {o.ada.ID}})
	require.Equal(t, "users:read", users["needed"])
}

func TestEmailNeedsItsScope(t *testing.T) {
	t.Parallel()
	with, without := openOffice(t, Config{}), openOffice(t, Config{Scopes: []string{"users:read"}})
	seen, err := with.api.GetUserInfo(with.ada.ID)
	require.NoError(t, err)
	require.Equal(t, "ada@acme.test", seen.Profile.Email)
	hidden, err := without.api.GetUserInfo(without.ada.ID)
	require.NoError(t, err)
	require.Empty(t, hidden.Profile.Email)
}

func TestUnknownMethod(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	r, answer := o.raw("chat.shout", url.Values{"token": {o.App().BotToken}})
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.Equal(t, "unknown_method", answer["error"])
	require.Equal(t, "chat.shout", answer["req_method"])
}

func TestArgumentsComeInEveryForm(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	body := `{"channel":"` + o.bugs.ID + `","text":"as JSON","unfurl_links":false,"thread_ts":null,"blocks":[{"type":"divider"}]}`
	answer := o.json("chat.postMessage", "application/json; charset=utf-8", body)
	require.Equal(t, true, answer["ok"], answer)
	require.NotContains(t, answer, "warning")
	sent := o.Channel("bugs")[0]
	require.Equal(t, "as JSON", sent.Text)
	require.Equal(t, false, *sent.UnfurlLinks)
	require.Nil(t, sent.UnfurlMedia)
	require.JSONEq(t, `[{"type":"divider","block_id":"`+blockID(t, sent)+`"}]`, string(sent.Blocks))

	answer = o.json("api.test", "application/json", `{"a":"b"}`)
	require.Equal(t, "missing_charset", answer["warning"])
	require.Equal(t, map[string]any{"a": "b"}, answer["args"])

	r, err := http.Get(o.URL() + "chat.getPermalink?token=" + o.App().BotToken + "&channel=" + o.bugs.ID + "&message_ts=" + sent.TS)
	require.NoError(t, err)
	require.Contains(t, decode(t, r)["permalink"], "acme.slack.com/archives/"+o.bugs.ID+"/p")
}

func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	for body, code := range map[string]string{`{"a":`: "invalid_json", `["a"]`: "json_not_object"} {
		answer := o.json("chat.postMessage", "application/json; charset=utf-8", body)
		require.Equal(t, code, answer["error"])
	}
	for field, code := range map[string]string{
		"blocks": "invalid_blocks_format", "attachments": "invalid_attachments", "metadata": "invalid_metadata_format",
	} {
		_, answer := o.raw("chat.postMessage", url.Values{
			"token": {o.App().BotToken}, "channel": {o.bugs.ID}, "text": {"x"}, field: {"{not json"},
		})
		require.Equal(t, code, answer["error"])
	}
	require.Empty(t, o.Channel("bugs"))
}

func TestRequestsAreOnRecord(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.post(slack.MsgOptionText("one", false))
	_, _, err := o.api.PostMessage("C404", slack.MsgOptionText("two", false))
	refused(t, err, "channel_not_found")
	_, err = o.api.AuthTest()
	require.NoError(t, err)

	require.Len(t, o.Requests(""), 3)
	posts := o.Requests("chat.postMessage")
	require.Len(t, posts, 2)
	require.Equal(t, "one", posts[0].Args.Get("text"))
	require.Equal(t, 200, posts[0].Status)
	require.Empty(t, posts[0].Error)
	require.Equal(t, "channel_not_found", posts[1].Error)
	require.NotContains(t, posts[0].Args, "token")
}

func blockID(t *testing.T, m Message) string {
	t.Helper()
	var blocks []map[string]any
	require.NoError(t, json.Unmarshal(m.Blocks, &blocks))
	return blockkit.Text(blocks[0], "block_id")
}
