package gateway

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// desk is a fake Commands, and a fake Homes whose form begins threads in one channel.
type desk struct {
	homes
	channel workflow.Channel
	why     string // why nobody may report
	down    error
	status  workflow.ChannelStatus
}

func (d *desk) Visitor(context.Context, string) (workflow.Person, string) {
	return workflow.Person{ID: "U1", Name: "ada"}, ""
}

func (d *desk) Help(context.Context, workflow.HelpQuestion) (workflow.Help, error) {
	return workflow.Help{
		Repositories: []workflow.HelpRepository{{Name: "<!here>", Approvers: "ada <!channel>"}},
		DocsURL:      "https://example.com/people",
	}, d.down
}

func (d *desk) Status(context.Context, string, string) (workflow.ChannelStatus, string, error) {
	return d.status, "", d.down
}

func (d *desk) MayReport(context.Context, string, string) (string, error) { return d.why, d.down }

func (d *desk) Form(
	_ context.Context, _ string, action workflow.ActionID, value string,
) (*workflow.Form, error) {
	f := &workflow.Form{ActionID: action, Value: value}
	if value == "" {
		f.Value = "any"
		f.Channels = []workflow.Channel{d.channel}
	}
	return f, nil
}

// What /bobbin answers is shown to the person alone, with blocks that Slack takes, and mentions nobody.
func TestBobbinAnswersThePersonAlone(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	d := &desk{}
	for n := range 30 {
		d.status.Sessions = append(d.status.Sessions, o.session(n, workflow.PhaseReported))
	}
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in, Homes: d, Commands: d})
	for _, c := range []struct{ text, says string }{
		{"", "What to write"},
		{"help", "How to work with me"},
		{"?", "Who may approve here"},
		{"status", "bug 7"},
		{"stop", "Nothing is at work in this channel"},
		{"STATSU now", "Did you mean `/bobbin status`?"},
		{"<!channel>", "I do not know"},
	} {
		before := len(o.whispered())
		require.Equal(t, slacktest.Acked, o.command("/bobbin", c.text).Outcome, c.text)
		said := o.whispered()
		require.Len(t, said, before+1, c.text)
		require.Contains(t, said[before], c.says, c.text)
		for _, mention := range []string{"<!here", "<!channel"} {
			require.NotContains(t, said[before], mention, c.text)
		}
	}
	d.down = errors.New("away")
	for _, text := range []string{"help", "status", "stop", "report it fails"} {
		o.command("/bobbin", text)
		said := o.whispered()
		require.Contains(t, said[len(said)-1], "Please try again in a moment", text)
	}
	require.Empty(t, o.Channel("bugs"))
	_, kept := in.Seen()
	require.Empty(t, kept)
}

// sendAgain delivers the newest form once more.
func (o *gatewayOffice) sendAgain() {
	o.T.Helper()
	envelope := ""
	for _, d := range o.Deliveries() {
		if d.Type == "interactive" {
			envelope = d.EnvelopeID
		}
	}
	require.NoError(o.T, o.Redeliver(envelope))
	o.Settle()
}

// TestAFormThatOpensTooLate checks what is said if Slack opens a form no more, since its trigger has expired:
// below the command, and at the top of the home whose button was pressed.
func TestAFormThatOpensTooLate(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{TriggerLife: time.Nanosecond})
	d := &desk{channel: workflow.Channel{ID: o.Bugs.ID, Name: "bugs"}}
	d.shows.Help = &workflow.Help{}
	o.run(&Gateway{Inbox: &bottest.Inbox{}, Homes: d, Commands: d})
	o.command("/bobbin", "report")
	require.Equal(t, []string{tooLate}, o.whispered())
	home := func() string {
		if len(o.Views()) == 0 {
			return ""
		}
		return string(o.Views()[0].Blocks())
	}
	shows := func(what string) func() bool { return func() bool { return strings.Contains(home(), what) } }
	require.NoError(t, o.OpenHome(o.Ada.ID))
	require.Eventually(t, shows("Report a bug"), time.Minute, time.Millisecond)
	require.NotContains(t, home(), tooLate)
	require.NoError(t, o.ClickHome(o.Ada.ID, string(workflow.ButtonReport), ""))
	require.Eventually(t, shows(tooLate), time.Minute, time.Millisecond)
}

// A report that is sent again, since its answer was lost or the program was away, begins one thread, which is
// the person's and came through a form.
func TestAReportIsSentTwiceAndBeginsOneThread(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	d := &desk{channel: workflow.Channel{ID: o.Bugs.ID, Name: "bugs"}}
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in, Homes: d, Commands: d})
	o.command("/bobbin", "report")
	v := o.view()
	require.NotNil(t, v)
	d.why = "You are not in that channel."
	o.submit(v, map[string]string{"words": "fix it"})
	require.Equal(t, d.why, o.view().Errors["words"])
	require.Empty(t, o.Channel("bugs"))

	d.why = ""
	o.submit(v, map[string]string{"words": "fix it <!here>", "when": "always"})
	require.Nil(t, o.view(), "the form is closed")
	for range 2 {
		o.sendAgain()
	}
	channel := o.Channel("bugs")
	require.Len(t, channel, 1)
	require.Equal(t, "<@"+o.Ada.ID+"> reports a bug: fix it &lt;!here&gt;\nIt breaks: always",
		channel[0].Text)
	_, kept := in.Seen()
	require.Len(t, kept, 1)
	require.Equal(t, workflow.MessageMention, kept[0].Kind)
	require.Equal(t, o.Ada.ID, kept[0].User)
	require.Equal(t, workflow.ThroughForm, kept[0].Value)
	require.Equal(t, "fix it <!here>\nIt breaks: always", kept[0].Text)
	require.Equal(t, channel[0].TS, kept[0].Thread.TS)
	person := workflow.Person{ID: o.Ada.ID, InThread: true}
	person.Via = workflow.Message{IncomingEvent: kept[0]}.App()
	require.NotEmpty(t, workflow.Approvers{}.MayApprove(person))
	person.Via = ""
	require.Empty(t, workflow.Approvers{}.MayApprove(person), "control")
}

// Who reports from the home does not see the thread begin, so the form's window says where it is, also if the
// form is sent again. Who reports in a channel sees it there.
func TestWhoReportsFromTheHomeIsToldWhere(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	d := &desk{channel: workflow.Channel{ID: o.Bugs.ID, Name: "bugs"}}
	d.shows.Help = &workflow.Help{}
	o.run(&Gateway{Inbox: &bottest.Inbox{}, Homes: d, Commands: d})
	require.NoError(t, o.OpenHome(o.Ada.ID))
	published := func(n int) func() bool {
		return func() bool { return len(o.Requests("views.publish")) == n }
	}
	require.Eventually(t, published(1), time.Minute, time.Millisecond)
	modal := func() *slacktest.View {
		for _, v := range o.Views() {
			if v.Type == "modal" {
				return &v
			}
		}
		return nil
	}
	for n, c := range []struct {
		action workflow.ActionID
		says   string
	}{{workflow.ButtonReport, "Reported in "}, {workflow.ButtonFeature, "Asked in "}} {
		require.NoError(t, o.ClickHome(o.Ada.ID, string(c.action), ""))
		require.Eventually(t, func() bool { return modal() != nil }, time.Minute, time.Millisecond)
		form := modal()
		o.submit(form, map[string]string{"words": "the total is off", "channel": o.Bugs.ID})
		o.sendAgain()
		channel := o.Channel("bugs")
		require.Len(t, channel, n+1)
		link := workflow.Thread{Channel: o.Bugs.ID, TS: channel[n].TS}.Permalink(o.Bot.WorkspaceURL())
		told := modal()
		require.Equal(t, form.ID, told.ID, "in the window of the form")
		require.Equal(t, workflow.ReportFormOf(c.action).Title, told.Title)
		require.Empty(t, told.SubmitText)
		says := c.says + `\u003c#` + o.Bugs.ID + `\u003e. \u003c` + link + `|`
		require.Contains(t, string(told.Blocks()), says)
		require.NoError(t, o.Dismiss(told.ID))
		require.Eventually(t, published(3+2*n), time.Minute, time.Millisecond, "the home shows the session")
	}
	o.command("/bobbin", "report")
	o.submit(modal(), map[string]string{"words": "the tax is off"})
	require.Nil(t, modal())
	require.Len(t, o.Channel("bugs"), 3)
}

// The control of the test of reports that are sent twice: without a look at the channel, each delivery begins
// a thread.
func TestControlAReportThatIsSentTwiceBeginsTwo(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	d := &desk{channel: workflow.Channel{ID: o.Bugs.ID, Name: "bugs"}}
	o.run(&Gateway{Inbox: &bottest.Inbox{}, Homes: d, Commands: d, skipLookup: true})
	o.command("/bobbin", "report")
	o.submit(o.view(), map[string]string{"words": "it fails"})
	o.sendAgain()
	require.Len(t, o.Channel("bugs"), 2)
}
