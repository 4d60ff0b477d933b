package chat

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/pageauth"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/view"
)

// A room is a workspace and its page, used without a browser.
type room struct {
	t        *testing.T
	slack    *slacktest.Server
	bugs     string
	ann, bea slacktest.User
	url      string
	client   *http.Client
}

func openRoom(t *testing.T) *room {
	t.Helper()
	slack := slacktest.New(slacktest.Config{AppName: "bobbin"})
	t.Cleanup(slack.Close)
	o := &room{
		t:     t,
		slack: slack,
		ann:   slack.AddUser(slacktest.User{Name: "ann"}),
		bea:   slack.AddUser(slacktest.User{Name: "bea", Kind: slacktest.Guest}),
	}
	o.bugs = slack.AddChannel(slacktest.Channel{
		Name:    "bugs",
		Members: []string{o.ann.ID, o.bea.ID, slack.App().BotUser},
	}).ID
	v := view.New(t.Context(), view.Workspace{
		Slack:    slack,
		Channel:  "bugs",
		People:   []view.Person{{ID: o.ann.ID, Handle: "ann"}, {ID: o.bea.ID, Handle: "bea"}},
		Commands: []view.Command{{Name: "/diagnose"}},
	})
	server := httptest.NewServer(New(v, pageauth.KeyAuth{Name: "test", Key: "key"}).Handler())
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	o.url = server.URL
	o.client = &http.Client{Jar: jar}
	o.read("/?key=key", http.StatusOK)
	return o
}

// read gets a page, checks the status and returns the body.
func (r *room) read(path string, status int) string {
	r.t.Helper()
	answer, err := r.client.Get(r.url + path)
	require.NoError(r.t, err)
	return r.text(answer, status)
}

func (r *room) text(answer *http.Response, status int) string {
	r.t.Helper()
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(r.t, err)
	require.Equal(r.t, status, answer.StatusCode, string(raw))
	return string(raw)
}

// do sends a form as the page does without its script.
func (r *room) do(deed string, status int, fields ...string) string {
	r.t.Helper()
	form := url.Values{"channel": {r.bugs}, "back": {"/ann/bugs"}, "me": {"ann"}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	answer, err := r.client.PostForm(r.url+"/-/"+deed, form)
	require.NoError(r.t, err)
	return r.text(answer, status)
}

func (r *room) newest() slacktest.Message {
	r.t.Helper()
	shown := r.slack.Channel(r.bugs)
	require.NotEmpty(r.t, shown)
	return shown[len(shown)-1]
}

// TestWithoutTheScript shows that every action works as a plain form, and that the page comes back with its
// result.
func TestWithoutTheScript(t *testing.T) {
	t.Parallel()
	o := openRoom(t)
	page := o.do("say", http.StatusOK, "text", "look, @bea & <b>: `@bea` at https://a.example/x.\r\n#bugs")
	require.Contains(t, page, `<span class="mention">@bea</span> &amp; &lt;b&gt;`)
	require.Equal(t, "look, <@"+o.bea.ID+"> &amp; &lt;b&gt;: `@bea` at <https://a.example/x>.\n<#"+o.bugs+">",
		o.newest().Text)
	require.Contains(t, o.read("/bea/bugs", http.StatusOK), "mention me")

	mine := o.newest().TS
	require.Contains(t, o.read("/ann/bugs?edit="+mine, http.StatusOK), "Edit the message")
	o.do("edit", http.StatusOK, "ts", mine, "text", "never mind")
	require.Equal(t, "never mind", o.newest().Text)
	o.do("react", http.StatusOK, "ts", mine, "emoji", "eyes", "me", "bea")
	require.Equal(t, []string{o.bea.ID}, o.newest().Reactions[0].Users)
	o.do("react", http.StatusOK, "ts", mine, "emoji", "eyes", "me", "bea")
	require.Empty(t, o.newest().Reactions)
	require.Contains(t,
		o.do("say", http.StatusOK, "text", "why?", "thread", mine, "back", "/ann/bugs/"+mine), "why?")
	o.do("delete", http.StatusOK, "ts", mine)
	require.Equal(t, "tombstone", o.newest().Subtype)
}

// TestInvite shows that Slack's own command adds the bot to a channel that it is not in.
func TestInvite(t *testing.T) {
	t.Parallel()
	o := openRoom(t)
	o.bugs = o.slack.AddChannel(slacktest.Channel{Name: "general", Members: []string{o.ann.ID}}).ID
	require.Contains(t, o.do("say", http.StatusUnprocessableEntity, "text", "/invite @nobody"),
		"write whom to invite: /invite @bobbin")
	o.do("say", http.StatusOK, "text", "/invite @bobbin", "back", "/ann/general")
	joined := o.newest()
	require.Equal(t, "channel_join", joined.Subtype)
	require.Equal(t, o.slack.App().BotUser, joined.User)
}

// TestWhatIsRefused shows that people cannot do what Slack would not let them do, and that the answer says
// so.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	o := openRoom(t)
	o.do("say", http.StatusOK, "text", "mine")
	mine := o.newest().TS
	require.Contains(t, o.do("edit", http.StatusUnprocessableEntity, "ts", mine, "me", "bea", "text",
		"yours"), "somebody else's")
	require.Contains(t, o.do("delete", http.StatusUnprocessableEntity, "ts", mine, "me", "bea"),
		"somebody else's")
	require.Contains(t, o.do("say", http.StatusUnprocessableEntity, "text", "hello", "me", "mallory"),
		"nobody here is called")
	require.Contains(t, o.do("say", http.StatusUnprocessableEntity, "text", " "), "write something first")
	require.Contains(t, o.do("say", http.StatusUnprocessableEntity, "text", "/unknown x"),
		"/unknown is not a command here. The commands are /diagnose")
	require.Contains(t, o.do("say", http.StatusUnprocessableEntity, "text", "/diagnose x", "thread", mine),
		"write @bobbin diagnose there")
	require.Contains(t, o.do("say", http.StatusUnprocessableEntity, "text", "/diagnose x"),
		"no open connection")
	require.Contains(t, o.do("press", http.StatusUnprocessableEntity, "ts", mine, "action", "fix_it"),
		"nothing under that message")
	require.Contains(t, o.do("submit", http.StatusUnprocessableEntity, "view", "V1"), "closed")
	require.Equal(t, "mine", o.newest().Text)
	for _, path := range []string{"/ann/nowhere", "/mallory/bugs", "/-/file/F1/x"} {
		o.read(path, http.StatusNotFound)
	}
	for _, elsewhere := range []string{"https://evil.example/", "//evil.example/", `/\evil.example`} {
		require.Equal(t, "/", backTo(elsewhere))
	}
}

// TestFilesRunNothing shows that a shared HTML or SVG file is served as plain text.
func TestFilesRunNothing(t *testing.T) {
	t.Parallel()
	o := openRoom(t)
	for name, content := range map[string]string{
		"page.html":   "<html><script>alert(1)</script>",
		"picture.svg": "<svg onload=alert(1)>",
		"notes.txt":   "plain",
	} {
		_, err := o.slack.Attach(o.bugs, o.ann.ID, "see", "", slacktest.Upload{
			File:    slacktest.File{Name: name},
			Content: content,
		})
		require.NoError(t, err)
		answer, err := o.client.Get(o.url + "/-/file/" + o.newest().Files[0].ID + "/" + name)
		require.NoError(t, err)
		require.Equal(t, content, o.text(answer, http.StatusOK))
		require.Equal(t, "text/plain; charset=utf-8", answer.Header.Get("Content-Type"), name)
		require.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
	}
	require.NotContains(t, o.read("/ann/bugs", http.StatusOK), "<script>alert")
}

// TestPermalink shows that the address of a message in this workspace leads to its thread, for the person who
// opened a page last.
func TestPermalink(t *testing.T) {
	t.Parallel()
	o := openRoom(t)
	o.do("say", http.StatusOK, "text", "one")
	link := "/archives/" + o.bugs + "/p" + strings.ReplaceAll(o.newest().TS, ".", "")
	require.Contains(t, o.read(link, http.StatusOK), `placeholder="Reply as ann"`)
	o.read("/bea/bugs", http.StatusOK)
	require.Contains(t, o.read(link, http.StatusOK), `placeholder="Reply as bea"`)
	o.read("/archives/C0/p1700000000000100", http.StatusNotFound)
	o.read("/archives/"+o.bugs+"/p1", http.StatusNotFound)
}

// TestWhatOneAloneSees shows that a member of the workspace is shown what the app said to another of the
// people alone, with that person's name and without its buttons, and that a guest is not.
func TestWhatOneAloneSees(t *testing.T) {
	t.Parallel()
	o := openRoom(t)
	o.do("say", http.StatusOK, "text", "one")
	root := o.newest().TS
	tell := func(id, text string) {
		t.Helper()
		r, err := http.PostForm(o.slack.URL()+"chat.postEphemeral", url.Values{
			"token": {o.slack.App().BotToken}, "channel": {o.bugs}, "thread_ts": {root}, "user": {id},
			"text": {text}, "blocks": {`[{"type":"section","text":{"type":"mrkdwn","text":"` + text + `"}},` +
				`{"type":"actions","elements":[{"type":"button","action_id":"b",` +
				`"text":{"type":"plain_text","text":"Press"}}]}]`},
		})
		require.NoError(t, err)
		require.Contains(t, o.text(r, http.StatusOK), `"ok":true`)
	}
	tell(o.bea.ID, "guests cannot approve")
	tell(o.ann.ID, "you may approve")
	var page string
	require.Eventually(t, func() bool { // the viewer hears of them beside the answers to the app
		page = o.read("/ann/bugs/"+root, http.StatusOK)
		return strings.Contains(page, "you may approve")
	}, time.Minute, time.Millisecond)
	require.Contains(t, page, "Only visible to bea")
	require.Contains(t, page, "guests cannot approve")
	require.Contains(t, page, "Only visible to you")
	require.Equal(t, 1, strings.Count(page, ">Press<"))
	page = o.read("/bea/bugs/"+root, http.StatusOK)
	require.Contains(t, page, "guests cannot approve")
	require.NotContains(t, page, "you may approve")
}

// TestUnread shows that messages of others count as unread until the channel is opened.
func TestUnread(t *testing.T) {
	t.Parallel()
	o := openRoom(t)
	o.slack.AddChannel(slacktest.Channel{Name: "other", Members: []string{o.ann.ID, o.bea.ID}})
	o.do("say", http.StatusOK, "text", "one")
	o.do("say", http.StatusOK, "text", "two", "thread", o.newest().TS)
	require.Contains(t, o.read("/bea/other", http.StatusOK), `2<span class="hidden"> unread`)
	require.NotContains(t, o.read("/ann/other", http.StatusOK), "unread<", "one's own do not count")
	o.read("/bea/bugs", http.StatusOK)
	require.NotContains(t, o.read("/bea/other", http.StatusOK), " unread<")
}

// TestNothingIsInline shows that the page has no inline script or style, which the content security policy
// would block, and no link to another site.
func TestNothingIsInline(t *testing.T) {
	t.Parallel()
	o := openRoom(t)
	page := o.read("/ann/bugs", http.StatusOK)
	require.Less(t, len(page), 60<<10)
	for _, never := range []string{"<style", " style=", " onclick=", " onload=", "javascript:", "https://"} {
		require.NotContains(t, page, never)
	}
	require.Equal(t, 1, strings.Count(page, "<script"))
}
