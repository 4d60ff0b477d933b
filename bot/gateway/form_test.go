package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// forms is a fake Forms that stores submissions in an inbox.
type forms struct {
	*bottest.Inbox
	thread  workflow.Thread
	choices []string

	mu   sync.Mutex
	late string
	down error
}

func (f *forms) say(late string, down error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.late = late
	f.down = down
}

func (f *forms) Form(_ context.Context, action workflow.ActionID, value string) (*workflow.Form, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if value != "opaque" || !workflow.OpensForm(action) {
		return nil, f.down
	}
	return &workflow.Form{
		ActionID: action, Value: value, Thread: f.thread, Revision: 3, Late: f.late, Choices: f.choices,
	}, f.down
}

func (f *forms) Submit(ctx context.Context, in workflow.IncomingEvent) (string, error) {
	form, err := f.Form(ctx, in.ActionID, in.Value)
	if err != nil || form.Late != "" {
		return f.late, err
	}
	in.Thread = form.Thread
	return "", f.Receive(ctx, in)
}

// buttons posts a message with the buttons that open modals in a new thread.
func (o *gatewayOffice) buttons(value string) (thread workflow.Thread, ts string) {
	o.T.Helper()
	root := o.AdaSays("it fails", "")
	posting := o.Posting("ask"+value, root, "the cause")
	posting.Lines[0].Buttons = []workflow.Button{
		{ActionID: workflow.ButtonCorrect, Label: "Correct…", Value: value},
		{ActionID: workflow.ButtonFixLimited, Label: "Fix it, with limits…", Value: value},
		{ActionID: workflow.ButtonRepository, Label: "Change…", Value: value},
	}
	out := (&bottest.Outbox{}).Put(posting)
	require.NoError(o.T, o.poster(out).Drain(o.T.Context(), "s"))
	return o.ThreadOf(root), out.ByKey["ask"+value]
}

// press presses a button and returns the modal that is open afterwards, or nil.
func (o *gatewayOffice) press(ts string, action workflow.ActionID) *slacktest.View {
	o.T.Helper()
	require.NoError(o.T, o.Click("bugs", ts, string(action), o.Ada.ID))
	o.Settle()
	return o.view()
}

func (o *gatewayOffice) view() *slacktest.View {
	for _, v := range o.Views() {
		return &v
	}
	return nil
}

func (o *gatewayOffice) submit(v *slacktest.View, entered map[string]string) {
	o.T.Helper()
	require.NoError(o.T, o.Submit(v.ID, entered))
	o.Settle()
}

// A menu has every repository, however many there are: Slack takes a hundred options in a menu or in a group
// of a menu's options.
func TestEveryRepositoryCanBeChosen(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	f := &forms{Inbox: &bottest.Inbox{}}
	o.run(&Gateway{Inbox: f, Modals: Modals{Forms: f}})
	thread, ts := o.buttons("opaque")
	f.thread = thread
	for _, count := range []int{1, 100, 101, 250} {
		f.choices = nil
		for i := range count {
			f.choices = append(f.choices, fmt.Sprintf("service-%03d-%s", count-i, strings.Repeat("x", 70)))
		}
		v := o.press(ts, workflow.ButtonRepository)
		require.NotNil(t, v, count)
		options := v.Controls()[0].Options
		require.Len(t, options, count)
		last := options[count-1].Value
		require.Contains(t, f.choices, last)
		o.submit(v, map[string]string{"repository": last})
		require.Empty(t, o.Views(), count)
		_, kept := f.Seen()
		require.Equal(t, last, kept[len(kept)-1].Text)
	}
}

func TestAButtonOpensAModal(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	f := &forms{Inbox: &bottest.Inbox{}}
	o.run(&Gateway{Inbox: f, Modals: Modals{Forms: f}})
	thread, ts := o.buttons("opaque")
	f.thread = thread

	v := o.press(ts, workflow.ButtonCorrect)
	require.Equal(t, []string{"Correct", string(workflow.ButtonCorrect), "opaque " + ts},
		[]string{v.Title, v.CallbackID, v.Metadata})
	o.submit(v, map[string]string{"words": " not the \u202ecart,\n<@U1> &amp; "})
	require.Empty(t, o.Views())
	v = o.press(ts, workflow.ButtonFixLimited)
	require.Contains(t, string(v.Blocks()), "This approves revision 3")
	o.submit(v, map[string]string{"files": "a.go\nb/", "words": "the guard"})
	require.Empty(t, o.Views())

	_, kept := f.Seen()
	require.Len(t, kept, 4)
	for i, want := range []struct {
		kind   workflow.MessageKind
		action workflow.ActionID
		text   string
	}{
		{workflow.MessageAction, workflow.ButtonCorrect, workflow.FormOpened},
		{workflow.MessageForm, workflow.ButtonCorrect, "not the cart,\n<@U1> &amp;"},
		{workflow.MessageAction, workflow.ButtonFixLimited, workflow.FormOpened},
		{workflow.MessageForm, workflow.ButtonFixLimited, "only a.go, b/; the guard"},
	} {
		got := kept[i]
		require.Equal(t, want.kind, got.Kind)
		require.Equal(t, want.action, got.ActionID)
		require.Equal(t, want.text, got.Text)
		require.Equal(t, []string{"opaque", ts, o.Ada.ID, o.App().TeamID},
			[]string{got.Value, got.TS, got.User, got.UserTeam})
		require.Equal(t, thread, got.Thread)
	}
}

// TestAModalThatDoesNotOpen checks that the press is stored and acknowledged although its modal could not be
// opened, so that it is answered in the thread.
func TestAModalThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault slacktest.Fault
		value string
		down  error
		cfg   slacktest.Config
		acked time.Duration
	}{
		"the trigger is spent": {
			fault: slacktest.Fault{Method: "views.open", Error: "exchanged_trigger_id"},
		},
		"the trigger expired": {cfg: slacktest.Config{TriggerLife: time.Nanosecond}},
		"a scope is missing":  {fault: slacktest.Fault{Method: "views.open", Error: "missing_scope"}},
		"Slack fails":         {fault: slacktest.Fault{Method: "views.open", Status: 503}},
		"Slack is slow": {
			fault: slacktest.Fault{Method: "views.open", Latency: time.Hour},
			acked: 3 * time.Second,
		},
		"too many calls": {
			fault: slacktest.Fault{Method: "views.open", Status: 429, RetryAfter: time.Minute},
		},
		"the database is away":  {down: errors.New("away")},
		"the button is unknown": {value: "another"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openGatewayOffice(t, c.cfg)
			f := &forms{Inbox: &bottest.Inbox{}, down: c.down}
			o.run(&Gateway{Inbox: f, Modals: Modals{Forms: f}, AckTimeout: c.acked})
			value := "opaque" + c.value
			_, ts := o.buttons(value)
			if c.fault.Method != "" {
				o.Order(c.fault)
			}
			require.Nil(t, o.press(ts, workflow.ButtonCorrect))
			_, kept := f.Seen()
			require.Len(t, kept, 1)
			require.Equal(t, workflow.ButtonCorrect, kept[0].ActionID)
			require.Equal(t, []string{value, ""}, []string{kept[0].Value, kept[0].Text})
			for _, d := range o.Deliveries() {
				require.Equal(t, slacktest.Acked, d.Outcome)
			}
		})
	}
}

func TestWhatIsSentTwiceCountsOnce(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	f := &forms{Inbox: &bottest.Inbox{}}
	o.run(&Gateway{Inbox: f, Modals: Modals{Forms: f}})
	_, ts := o.buttons("opaque")
	v := o.press(ts, workflow.ButtonCorrect)
	f.say("", errors.New("away"))
	o.submit(v, map[string]string{"words": "the cart"})
	require.Contains(t, o.view().Errors["words"], "Your words stay here; please send them again")
	f.say("", nil)
	o.submit(v, map[string]string{"words": "the cart"})
	deliveries := o.Deliveries()
	for range 2 {
		require.NoError(t, o.Redeliver(deliveries[len(deliveries)-1].EnvelopeID))
		o.Settle()
	}
	require.Equal(t, []string{workflow.FormOpened, "the cart"}, f.Texts())

	v = o.press(ts, workflow.ButtonCorrect)
	o.submit(v, map[string]string{"words": "the cart"})
	require.Len(t, f.Texts(), 4, "the same words in another modal are said again")
}

// The control of the test above: with a unique event id, each delivery counts.
func TestControlWhatIsSentTwiceCountsTwice(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	f := &forms{Inbox: &bottest.Inbox{}}
	o.run(&Gateway{Inbox: f, Modals: Modals{Forms: f}, skipLookup: true})
	_, ts := o.buttons("opaque")
	o.submit(o.press(ts, workflow.ButtonCorrect), map[string]string{"words": "the cart"})
	deliveries := o.Deliveries()
	require.NoError(t, o.Redeliver(deliveries[len(deliveries)-1].EnvelopeID))
	o.Settle()
	require.Equal(t, []string{workflow.FormOpened, "the cart", "the cart"}, f.Texts())
}

func TestWhatIsSentTooLateStaysInTheModal(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	f := &forms{Inbox: &bottest.Inbox{}}
	o.run(&Gateway{Inbox: f, Modals: Modals{Forms: f}})
	_, ts := o.buttons("opaque")
	v := o.press(ts, workflow.ButtonFixLimited)
	o.submit(v, nil)
	require.Contains(t, o.view().Errors["words"], "Say what the fix is limited to")
	f.say("Revision 4 was shown meanwhile.", nil)
	o.submit(v, map[string]string{"files": "a.go"})
	require.Equal(t, map[string]string{"words": "Revision 4 was shown meanwhile."}, o.view().Errors)
	require.NoError(t, o.Dismiss(v.ID))
	late := o.press(ts, workflow.ButtonFixLimited)
	require.Equal(t, "Too late", late.Title)
	require.Contains(t, string(late.Blocks()), "Revision 4 was shown meanwhile.")
	require.Empty(t, late.Controls())
	require.NoError(t, o.Dismiss(late.ID))
	o.Settle()
	require.Equal(t, []string{workflow.FormOpened, workflow.FormOpened}, f.Texts(),
		"what was closed says nothing")
}
