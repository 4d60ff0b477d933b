package slacktest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/stretchr/testify/require"
)

func plain(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
}

// report posts a message with two buttons and a menu.
func (o *office) report(thread string) string {
	o.t.Helper()
	return o.post(slack.MsgOptionText("the cause", false), slack.MsgOptionTS(thread),
		slack.MsgOptionMetadata(slack.SlackMetadata{
			EventType:    "e",
			EventPayload: map[string]any{"key": "k"},
		}),
		slack.MsgOptionBlocks(
			slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, "*the cause*", false, false),
				nil, nil),
			slack.NewActionBlock("choices",
				slack.NewButtonBlockElement("fix", "opaque-1", plain("Fix it")).WithStyle(slack.StylePrimary),
				slack.NewButtonBlockElement("stop", "opaque-1", plain("Stop")),
				slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, plain("Repository"), "repo",
					slack.NewOptionBlockObject("shop", plain("shop"), nil),
					slack.NewOptionBlockObject("site", plain("site"), nil)))))
}

// answer posts to a response_url.
func answer(t *testing.T, url string, body any) int {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	r, err := http.Post(url, "application/json", bytes.NewReader(raw))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	return r.StatusCode
}

func TestClick(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{}})
	a := o.connect(true)
	root := o.say("broken", "")
	ts := o.report(root)
	require.NoError(t, o.Click("bugs", ts, "fix", o.ben.ID))

	click := a.interaction()
	require.Equal(t, slack.InteractionTypeBlockActions, click.Type)
	require.Equal(t, o.ben.ID, click.User.ID)
	require.Equal(t, o.bugs.ID, click.Channel.ID)
	require.Equal(t, "message", click.Container.Type)
	require.Equal(t, ts, click.Container.MessageTs)
	require.Equal(t, root, click.Container.ThreadTs)
	require.Equal(t, ts, click.Message.Timestamp)
	require.Equal(t, "k", click.Message.Metadata.EventPayload["key"])
	require.NotEmpty(t, click.TriggerID)
	require.Len(t, click.ActionCallback.BlockActions, 1)
	action := click.ActionCallback.BlockActions[0]
	require.Equal(t, "fix", action.ActionID)
	require.Equal(t, "choices", action.BlockID)
	require.Equal(t, "opaque-1", action.Value)
	require.Equal(t, "Fix it", action.Text.Text)

	require.NoError(t, o.Choose("bugs", ts, "repo", o.ben.ID, "site"))
	require.Equal(t, "site", a.interaction().ActionCallback.BlockActions[0].SelectedOption.Value)
	o.quiet(a)
	require.Equal(t, "block_actions", o.Deliveries()[0].EventType)
	require.Equal(t, Acked, o.Deliveries()[0].Outcome)
}

// TestOverflow shows that an option of an overflow menu arrives as Slack sends it, also after an edit took it
// away, and that what is asked before it is known.
func TestOverflow(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{}})
	a := o.connect(true)
	menu := func(values ...string) slack.MsgOption {
		var options []*slack.OptionBlockObject
		for _, v := range values {
			options = append(options, slack.NewOptionBlockObject(v, plain("Do "+v), nil))
		}
		return slack.MsgOptionBlocks(slack.NewActionBlock("choices",
			slack.NewOverflowBlockElement("more", options...).WithConfirm(slack.NewConfirmationBlockObject(
				plain("Sure?"), plain("This cannot be undone."), plain("Yes"), plain("No")))))
	}
	ts := o.post(menu("limits", "stop"))
	control := o.Channel("bugs")[0].Controls()[0]
	require.Equal(t, "⋯ Do limits, Do stop", control.Label())
	require.Equal(t, "This cannot be undone.", control.Confirm)
	require.NoError(t, o.Choose("bugs", ts, "more", o.ben.ID, "stop"))
	action := a.interaction().ActionCallback.BlockActions[0]
	require.Equal(t, "overflow", string(action.Type))
	require.Equal(t, "more", action.ActionID)
	require.Empty(t, action.Value)
	require.Equal(t, "stop", action.SelectedOption.Value)
	require.Equal(t, "Do stop", action.SelectedOption.Text.Text)

	_, _, _, err := o.api.UpdateMessage(o.bugs.ID, ts, menu("limits"))
	require.NoError(t, err)
	require.NoError(t, o.Choose("bugs", ts, "more", o.ben.ID, "stop"))
	require.Equal(t, "stop", a.interaction().ActionCallback.BlockActions[0].SelectedOption.Value)
	require.EqualError(t, o.Choose("bugs", ts, "more", o.ben.ID, "moon"),
		`slacktest: the menu "more" has no option "moon"`)
}

func TestClicksThatCannotBe(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{}})
	ts := o.report("")
	require.ErrorIs(t, o.Click("bugs", ts, "fix", o.ben.ID), errNobody)
	o.connect(true)
	require.EqualError(t, o.Click("bugs", ts, "nope", o.ben.ID),
		`slacktest: nothing under that message has the action id "nope"; it has fix, stop, repo`)
	require.EqualError(t, o.Choose("bugs", ts, "repo", o.ben.ID, "moon"),
		`slacktest: the menu "repo" has no option "moon"`)
	otto := o.AddUser(User{Name: "otto"})
	require.EqualError(t, o.Click("bugs", ts, "fix", otto.ID), "slacktest: otto is not in #bugs")

	button := slack.NewButtonBlockElement("go", "", plain("Go"))
	button.VisibleToUserIDs = []string{o.ada.ID}
	private := o.post(slack.MsgOptionBlocks(slack.NewActionBlock("", button)))
	require.EqualError(t, o.Click("bugs", private, "go", o.ben.ID),
		`slacktest: ben does not see the button "go"`)
	require.NoError(t, o.Click("bugs", private, "go", o.ada.ID))
}

func TestClicksAreNotRedelivered(t *testing.T) {
	t.Parallel()
	o := openOffice(t,
		Config{Events: []string{}, AckTimeout: 20 * time.Millisecond, Retries: []time.Duration{0, 0, 0}})
	a := o.connect(false)
	require.NoError(t, o.Click("bugs", o.report(""), "fix", o.ben.ID))
	a.interaction()
	list, err := o.WaitDeliveries(soon(t), func(l []Delivery) bool { return l[0].Outcome == Late })
	require.NoError(t, err)
	require.Len(t, list, 1)
	o.quiet(a)
}

func TestResponseURL(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{}})
	a := o.connect(true)
	root := o.say("broken", "")
	ts := o.report(root)
	require.NoError(t, o.Click("bugs", ts, "fix", o.ben.ID))
	url := a.interaction().ResponseURL

	require.Equal(t, 200, answer(t, url, map[string]any{"text": "only you see this"}))
	require.Equal(t, "only you see this", o.Ephemeral()[0].Text)
	require.Equal(t, root, o.Ephemeral()[0].ThreadTS)
	require.Equal(t, 200, answer(t, url, map[string]any{"text": "approved", "replace_original": true}))
	require.Equal(t, "approved", o.Thread("bugs", root)[1].Text)
	require.Empty(t, o.Thread("bugs", root)[1].Blocks)
	require.Equal(t, 200, answer(t, url, map[string]any{
		"text":          "all see this",
		"response_type": "in_channel",
		"thread_ts":     root,
	}))
	require.Equal(t, "all see this", o.Thread("bugs", root)[2].Text)
	require.Equal(t, 404, answer(t, url, "nonsense"))
	require.Equal(t, 200, answer(t, url, map[string]any{"delete_original": true}))
	require.Len(t, o.Thread("bugs", root), 2)
	require.Equal(t, 404, answer(t, url, map[string]any{"text": "a sixth"}), "five uses")
	require.Equal(t, 404, answer(t, o.base()+"/actions/none", map[string]any{"text": "x"}))
}

func TestModal(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{}})
	a := o.connect(false)
	require.NoError(t, o.Click("bugs", o.report(""), "fix", o.ben.ID))
	e := a.next()
	click, _ := e.Data.(slack.InteractionCallback)
	require.NoError(t, a.client.Ack(*e.Request))
	modal := slack.ModalViewRequest{
		Type:            slack.VTModal,
		Title:           plain("Correct"),
		Submit:          plain("Send"),
		CallbackID:      "correct",
		PrivateMetadata: "rev 2",
		Blocks: slack.Blocks{BlockSet: []slack.Block{
			slack.NewInputBlock("what", plain("What"), nil,
				slack.NewPlainTextInputBlockElement(nil, "text").WithMaxLength(20)),
		}},
	}
	opened, err := o.api.OpenView(click.TriggerID, modal)
	require.NoError(t, err)
	_, err = o.api.OpenView(click.TriggerID, modal)
	refused(t, err, "exchanged_trigger_id")

	views := o.Views()
	require.Len(t, views, 1)
	require.Equal(t, opened.ID, views[0].ID)
	require.Equal(t, "Correct", views[0].Title)
	require.Equal(t, o.ben.ID, views[0].User)
	require.Equal(t, "text", views[0].Controls()[0].ActionID)

	submit := func(text string, response any) slack.InteractionCallback {
		require.NoError(t, o.Submit(opened.ID, map[string]string{"text": text}))
		e := a.next()
		require.True(t, e.Request.AcceptsResponsePayload)
		require.NoError(t, a.client.Ack(*e.Request, response))
		require.NoError(t, o.WaitSettled(soon(t)))
		sent, _ := e.Data.(slack.InteractionCallback)
		return sent
	}
	require.EqualError(t, o.Submit(opened.ID, nil), `slacktest: "text" has to be filled in`)
	require.EqualError(t, o.Submit(opened.ID, map[string]string{"text": "x", "more": "y"}),
		"slacktest: the modal has no input more")
	require.EqualError(t, o.Submit(opened.ID, map[string]string{"text": strings.Repeat("ä", 21)}),
		`slacktest: "text" takes 20 characters`)
	submit("?", slack.NewErrorsViewSubmissionResponse(map[string]string{"nothing": "say something"}))
	require.Contains(t, o.Views()[0].Errors[""], "trouble", "an error of no input is the app's own")
	sent := submit("?", slack.NewErrorsViewSubmissionResponse(map[string]string{"what": "say something"}))
	require.Equal(t, slack.InteractionTypeViewSubmission, sent.Type)
	require.Equal(t, map[string]string{"what": "say something"}, o.Views()[0].Errors)

	sent = submit("also for guests", nil)
	require.Equal(t, "also for guests", sent.View.State.Values["what"]["text"].Value)
	require.Equal(t, "rev 2", sent.View.PrivateMetadata)
	require.Empty(t, o.Views())
	require.Error(t, o.Submit(opened.ID, nil))
}

func TestModalsThatCannotBe(t *testing.T) {
	t.Parallel()
	now := time.Now()
	o := openOffice(t, Config{Events: []string{}, Now: func() time.Time { return now }})
	a := o.connect(true)
	require.NoError(t, o.Click("bugs", o.report(""), "fix", o.ben.ID))
	trigger := a.interaction().TriggerID
	modal := slack.ModalViewRequest{Type: slack.VTModal, Title: plain(strings.Repeat("x", 25))}
	_, err := o.api.OpenView(trigger, modal)
	refused(t, err, "invalid_arguments")
	modal.Title = plain("ok")
	modal.Submit = plain("Send")
	modal.Blocks.BlockSet = []slack.Block{slack.NewInputBlock("", plain("What"), nil,
		slack.NewPlainTextInputBlockElement(nil, "text").WithMaxLength(3001))}
	_, err = o.api.OpenView(trigger, modal)
	refused(t, err, "invalid_arguments")
	modal.Submit, modal.Blocks.BlockSet = nil, nil
	_, err = o.api.OpenView("none", modal)
	refused(t, err, "invalid_trigger_id")
	o.mu.Lock()
	now = now.Add(2 * time.Minute)
	o.mu.Unlock()
	_, err = o.api.OpenView(trigger, modal)
	refused(t, err, "expired_trigger_id")
}

func TestHome(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{"app_home_opened"}})
	a := o.connect(true)
	require.NoError(t, o.OpenHome(o.ada.ID))
	require.Equal(t, "home", inner[*slackevents.AppHomeOpenedEvent](a).Tab)
	home := slack.HomeTabViewRequest{
		Type:   slack.VTHomeTab,
		Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewDividerBlock()}},
	}
	first, err := o.api.PublishView(o.ada.ID, home, "")
	require.NoError(t, err)
	_, err = o.api.PublishView(o.ada.ID, home, "an old hash")
	refused(t, err, "hash_conflict")
	second, err := o.api.PublishView(o.ada.ID, home, first.Hash)
	require.NoError(t, err)
	require.Equal(t, first.ID, second.ID)
	require.Len(t, o.Views(), 1)
	require.Equal(t, "home", o.Views()[0].Type)
	require.NoError(t, o.OpenHome(o.ada.ID))
	require.Equal(t, first.ID, inner[*slackevents.AppHomeOpenedEvent](a).View.ID)
}

func TestCommandAndShortcut(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{}})
	a := o.connect(false)
	require.NoError(t, o.Command("bugs", o.ada.ID, "/diagnose", "the checkout"))
	e := a.next()
	command, ok := e.Data.(slack.SlashCommand)
	require.True(t, ok)
	require.Equal(t, "/diagnose", command.Command)
	require.Equal(t, "the checkout", command.Text)
	require.Equal(t, o.ada.ID, command.UserID)
	require.Equal(t, "bugs", command.ChannelName)
	require.NoError(t,
		a.client.Ack(*e.Request, map[string]any{"text": "on it", "response_type": "in_channel"}))
	require.NoError(t, o.WaitSettled(soon(t)))
	require.Equal(t, "on it", o.Channel("bugs")[0].Text)
	require.Equal(t, 200, answer(t, command.ResponseURL, map[string]any{"text": "done"}))
	require.Equal(t, "done", o.Ephemeral()[0].Text)

	ts := o.say("checkout fails", "")
	require.NoError(t, o.Shortcut("bugs", ts, "send_to_app", o.ben.ID))
	shortcut := a.interaction()
	require.Equal(t, slack.InteractionTypeMessageAction, shortcut.Type)
	require.Equal(t, "send_to_app", shortcut.CallbackID)
	require.Equal(t, "checkout fails", shortcut.Message.Text)
	require.Equal(t, o.ada.ID, shortcut.Message.User)
}
