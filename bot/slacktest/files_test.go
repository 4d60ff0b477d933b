package slacktest

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/stretchr/testify/require"
)

func (o *office) upload(thread, name, text string) (*slack.FileSummary, error) {
	return o.api.UploadFileContext(o.t.Context(), slack.UploadFileParameters{
		Channel:         o.bugs.ID,
		ThreadTimestamp: thread,
		Filename:        name,
		Title:           "The plan",
		Content:         text,
		FileSize:        len(text),
	})
}

func TestAFileIsSharedInAThread(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	a := o.connect(true)
	root := o.say("a plan, please", "")
	a.next()
	file, err := o.upload(root, "plan.md", "# Plan\n\n1. ü")
	require.NoError(t, err)

	require.Equal(t, "#bugs\nada: a plan, please\n  app [app]: \n    [file plan.md]\n",
		o.ExportText("bugs", root))
	m := o.Thread("bugs", root)[1]
	require.Equal(t, file.ID, m.Files[0].ID)
	require.Equal(t, "The plan", m.Files[0].Title)
	require.Equal(t, "text/markdown", m.Files[0].Mimetype)
	require.Equal(t, 13, m.Files[0].Size)
	content, err := o.FileContent(file.ID)
	require.NoError(t, err)
	require.Equal(t, "# Plan\n\n1. ü", content)

	e := inner[*slackevents.MessageEvent](a)
	require.Equal(t, "file_share", e.SubType)
	require.Equal(t, root, e.ThreadTimeStamp)
	replies, _, _, err := o.api.GetConversationReplies(&slack.GetConversationRepliesParameters{
		ChannelID: o.bugs.ID,
		Timestamp: root,
	})
	require.NoError(t, err)
	require.Empty(t, replies[1].SubType)
	require.Equal(t, o.App().BotID, replies[1].BotID)
	require.Equal(t, "plan.md", replies[1].Files[0].Name)
}

func TestAFileMayShowLate(t *testing.T) {
	t.Parallel()
	upload := func(delay time.Duration) (o *office, root string) {
		o = openOffice(t, Config{ShareDelay: delay})
		root = o.say("a plan, please", "")
		_, err := o.upload(root, "plan.md", "x")
		require.NoError(t, err)
		return o, root
	}
	o, root := upload(time.Hour)
	require.Len(t, o.Thread("bugs", root), 1)
	o, root = upload(time.Millisecond)
	_, err := o.WaitFor(soon(t), "bugs", root, func(m []Message) bool { return len(m) == 2 })
	require.NoError(t, err)
}

func TestWhereFilesAreRefused(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	ask := func(method string, args ...string) string {
		form := url.Values{"token": {o.App().BotToken}}
		for i := 0; i < len(args); i += 2 {
			form.Set(args[i], args[i+1])
		}
		_, answer := o.raw(method, form)
		code, _ := answer["error"].(string)
		return code
	}
	for _, c := range []struct{ name, length, code string }{
		{"", "1", "invalid_arguments"},
		{"a.md", "", "invalid_arguments"},
		{"a.md", "0", "invalid_arguments"},
		{"a.md", "many", "invalid_arguments"},
		{"a.md", "2000000000", "file_upload_size_restricted"},
	} {
		require.Equal(t, c.code, ask("files.getUploadURLExternal", "filename", c.name, "length", c.length), c)
	}

	granted, err := o.api.GetUploadURLExternalContext(t.Context(), slack.GetUploadURLExternalParameters{
		FileName: "a.md",
		FileSize: 3,
	})
	require.NoError(t, err)
	files := `[{"id":"` + granted.FileID + `"}]`
	require.Equal(t, "file_not_found", ask("files.completeUploadExternal", "files", files),
		"nothing was sent yet")
	send := func(address, text string) int {
		r, err := http.Post(address, "application/octet-stream", strings.NewReader(text))
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, r.Body)
		r.Body.Close()
		return r.StatusCode
	}
	require.Equal(t, 404, send(granted.UploadURL+"0", "abc"))
	require.Equal(t, 400, send(granted.UploadURL, "four"))
	require.Equal(t, 200, send(granted.UploadURL, "abc"))
	require.Equal(t, 400, send(granted.UploadURL, "abc"), "an address works once")

	elsewhere := o.AddChannel(Channel{Name: "elsewhere"})
	for _, c := range []struct{ files, channel, code string }{
		{"", o.bugs.ID, "invalid_arguments"},
		{"[]", o.bugs.ID, "invalid_arguments"},
		{`[{"id":"F404"}]`, o.bugs.ID, "file_not_found"},
		{files, "C404", "channel_not_found"},
		{files, elsewhere.ID, "not_in_channel"},
		{files, o.bugs.ID, ""},
		{files, o.bugs.ID, "file_not_found"}, // each file can be completed once
	} {
		require.Equal(t, c.code,
			ask("files.completeUploadExternal", "files", c.files, "channel_id", c.channel), c)
	}
	_, err = o.FileContent("F404")
	require.Error(t, err)
}

func TestFilesNeedTheirScope(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Scopes: []string{"chat:write"}})
	_, err := o.upload("", "plan.md", "x")
	var answer slack.SlackErrorResponse
	require.ErrorAs(t, err, &answer)
	require.Equal(t, "missing_scope", answer.Err)
	require.Equal(t, "files:write", answer.Needed)
}

func TestFaultsOfFiles(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	root := o.say("a plan, please", "")
	for _, method := range []string{
		"files.getUploadURLExternal", "upload/v1", "files.completeUploadExternal",
	} {
		o.Order(Fault{Method: method, Status: 429, RetryAfter: time.Second})
		_, err := o.upload(root, "plan.md", "x")
		var limited *slack.RateLimitedError
		require.ErrorAs(t, err, &limited, method)
		require.Equal(t, time.Second, limited.RetryAfter)
	}
	require.Len(t, o.Thread("bugs", root), 1)
	o.Order(Fault{Channel: o.bugs.ID, Method: "files.completeUploadExternal", LoseAnswer: true})
	_, err := o.upload(root, "plan.md", "x")
	require.Error(t, err)
	require.Len(t, o.Thread("bugs", root), 2, "carried out, but nobody heard")
	requests := o.Requests("files.completeUploadExternal")
	require.True(t, requests[len(requests)-1].Lost)
}

func TestACommandCanComeAgain(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{}})
	a := o.connect(true)
	require.NoError(t, o.Command("bugs", o.ada.ID, "/diagnose", "the checkout"))
	first := a.next().Request
	require.NoError(t, o.WaitSettled(soon(t)))
	require.NoError(t, o.Redeliver(first.EnvelopeID))
	again := a.next().Request
	require.Equal(t, first.EnvelopeID, again.EnvelopeID)
	require.JSONEq(t, string(first.Payload), string(again.Payload))
}
