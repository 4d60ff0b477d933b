package slacktest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.say("before", "")
	ctx, cancel := context.WithCancel(t.Context())
	seen := o.Watch(ctx)
	root := o.say("one", "")
	reply := o.post(slack.MsgOptionText("two", false), slack.MsgOptionTS(root))
	require.NoError(t, o.React("bugs", root, o.ben.ID, "eyes"))
	require.NoError(t, o.Edit("bugs", root, "one, edited"))
	_, err := o.api.PostEphemeral(o.bugs.ID, o.ada.ID, slack.MsgOptionText("psst", false))
	require.NoError(t, err)
	require.NoError(t, o.Delete("bugs", reply))

	var got []string
	for range 6 {
		c := <-seen
		got = append(got, fmt.Sprint(c.Kind, " ", c.Message.Text))
	}
	require.Equal(t, []string{
		"posted one", "posted two", "reacted one", "updated one, edited", "whispered psst", "deleted two",
	}, got)
	cancel()
	_, open := <-seen
	require.False(t, open)
	first := <-o.WatchFrom(t.Context(), 0)
	require.Equal(t, "before", first.Message.Text)
}

func TestWaitFor(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	root := o.say("question", "")
	go func() { _, _ = o.Say("bugs", o.ben.ID, "answer", root) }()
	messages, err := o.WaitFor(soon(t), "bugs", root, func(m []Message) bool { return len(m) == 2 })
	require.NoError(t, err)
	require.Equal(t, "answer", messages[1].Text)

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = o.WaitFor(ctx, "bugs", root, func(m []Message) bool { return len(m) == 3 })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "ben: answer", "the error shows the thread")
}

func TestExport(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{AppName: "helper"})
	root := o.say(o.Mention()+" checkout fails &lt;sometimes&gt;\nsince noon", "")
	o.report(root)
	require.NoError(t, o.React("bugs", root, o.ben.ID, "eyes"))
	require.NoError(t, o.Edit("bugs", o.say("also for guests", root), "also for guests!"))
	require.Equal(t, `#bugs
ada: @helper checkout fails <sometimes>
  since noon  :eyes: ben
  helper [app]: the cause
    [Fix it] [Stop] [static_select]
  ada: also for guests!  (edited)
`, o.ExportText("bugs", root))
	require.Equal(t, "no channel moon", o.ExportText("moon", root))

	raw, err := o.ExportJSON("bugs", root)
	require.NoError(t, err)
	var thread struct {
		Name     string
		Users    map[string]string
		Messages []Message
	}
	require.NoError(t, json.Unmarshal(raw, &thread))
	require.Equal(t, "bugs", thread.Name)
	require.Equal(t, "ada", thread.Users[o.ada.ID])
	require.Len(t, thread.Messages, 3)
	require.Equal(t, "e", thread.Messages[1].Metadata.EventType)
	_, err = o.ExportJSON("moon", root)
	require.Error(t, err)
}

func TestWhatIsHandedOutIsACopy(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	root := o.say("hello", "")
	require.NoError(t, o.React("bugs", root, o.ada.ID, "eyes"))
	mine := o.Thread("bugs", root)[0]
	mine.Reactions[0].Users[0] = "somebody else"
	require.Equal(t, o.ada.ID, o.Thread("bugs", root)[0].Reactions[0].Users[0])
}
