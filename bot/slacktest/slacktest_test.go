package slacktest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
	"github.com/stretchr/testify/require"
)

// An office is a workspace with people, and slack-go as the app.
type office struct {
	*Server
	t    *testing.T
	api  *slack.Client
	ada  User
	ben  User
	bugs Channel // the app is a member
}

func openOffice(t *testing.T, cfg Config) *office {
	t.Helper()
	// The default limits are Slack's 3 s, which a busy machine can exceed.
	orElse(&cfg.AckTimeout, time.Minute)
	orElse(&cfg.TriggerLife, time.Minute)
	s := New(cfg)
	t.Cleanup(s.Close)
	o := &office{Server: s, t: t}
	o.ada = s.AddUser(User{Name: "ada", RealName: "Ada Lovelace", Email: "ada@acme.test"})
	o.ben = s.AddUser(User{Name: "ben", RealName: "Ben Bitdiddle"})
	o.bugs = s.AddChannel(Channel{Name: "bugs", Members: []string{o.ada.ID, o.ben.ID, s.App().BotUser}})
	o.api = o.client(s.App().BotToken)
	return o
}

func (o *office) client(token string, options ...slack.Option) *slack.Client {
	options = append(options, slack.OptionAPIURL(o.URL()), slack.OptionAppLevelToken(o.App().AppToken))
	return slack.New(token, options...)
}

func (o *office) say(text, thread string) string {
	o.t.Helper()
	ts, err := o.Say("bugs", o.ada.ID, text, thread)
	require.NoError(o.t, err)
	return ts
}

func (o *office) post(options ...slack.MsgOption) string {
	o.t.Helper()
	_, ts, err := o.api.PostMessage(o.bugs.ID, options...)
	require.NoError(o.t, err)
	return ts
}

// raw calls a method with a form and returns the response.
func (o *office) raw(method string, form url.Values) (*http.Response, map[string]any) {
	o.t.Helper()
	r, err := http.PostForm(o.URL()+method, form)
	require.NoError(o.t, err)
	return r, decode(o.t, r)
}

// json calls a method with a JSON body and the bot's token.
func (o *office) json(method, contentType, body string) map[string]any {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.URL()+method,
		strings.NewReader(body))
	require.NoError(o.t, err)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+o.App().BotToken)
	r, err := http.DefaultClient.Do(req)
	require.NoError(o.t, err)
	return decode(o.t, r)
}

func decode(t *testing.T, r *http.Response) map[string]any {
	t.Helper()
	defer r.Body.Close()
	raw, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	var answer map[string]any
	require.NoError(t, json.Unmarshal(raw, &answer), string(raw))
	return answer
}

// An app is slack-go on Socket Mode. It acknowledges every envelope if connect was called with acks.
type app struct {
	t      *testing.T
	client *socketmode.Client
	events chan socketmode.Event
	stop   context.CancelFunc
}

func (o *office) connect(acks bool) *app {
	o.t.Helper()
	before := o.Connections()
	ctx, cancel := context.WithCancel(o.t.Context())
	a := &app{t: o.t, client: socketmode.New(o.api), events: make(chan socketmode.Event, 1000), stop: cancel}
	go func() { _ = a.client.RunContext(ctx) }()
	go a.read(ctx, acks)
	o.t.Cleanup(cancel)
	require.NoError(o.t, o.WaitConnected(soon(o.t), before+1))
	return a
}

func (a *app) read(ctx context.Context, acks bool) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-a.client.Events:
			if e.Request != nil && e.Request.EnvelopeID != "" {
				if acks {
					_ = a.client.Ack(*e.Request)
				}
				a.events <- e
			} else if e.Type == socketmode.EventTypeErrorBadMessage ||
				e.Type == socketmode.EventTypeDisconnect {
				a.events <- e
			}
		}
	}
}

// next returns the next envelope.
func (a *app) next() socketmode.Event {
	a.t.Helper()
	select {
	case e := <-a.events:
		require.NotEqual(a.t, socketmode.EventTypeErrorBadMessage, e.Type,
			"slack-go cannot read it: %v", e.Data)
		return e
	case <-time.After(time.Minute):
		require.FailNow(a.t, "no envelope came")
	}
	return socketmode.Event{}
}

// inner returns the next event, which has to be of type T.
func inner[T any](a *app) T {
	a.t.Helper()
	e := a.next()
	outer, ok := e.Data.(slackevents.EventsAPIEvent)
	require.True(a.t, ok, "a %s came, with %T", e.Type, e.Data)
	event, ok := outer.InnerEvent.Data.(T)
	require.True(a.t, ok, "a %T came", outer.InnerEvent.Data)
	return event
}

func (a *app) interaction() slack.InteractionCallback {
	a.t.Helper()
	e := a.next()
	callback, ok := e.Data.(slack.InteractionCallback)
	require.True(a.t, ok, "a %s came, with %T", e.Type, e.Data)
	return callback
}

// quiet checks that the app has received every envelope that was sent.
func (o *office) quiet(a *app) {
	o.t.Helper()
	require.NoError(o.t, o.WaitSettled(soon(o.t)))
	require.Empty(o.t, a.events)
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// refused checks that err is the given error code of Slack.
func refused(t *testing.T, err error, code string) {
	t.Helper()
	var answer slack.SlackErrorResponse
	if errors.As(err, &answer) {
		require.Equal(t, code, answer.Err)
		return
	}
	require.EqualError(t, err, code)
}

func TestTwoWorkspacesAreAlike(t *testing.T) {
	t.Parallel()
	one := openOffice(t, Config{})
	two := openOffice(t, Config{})
	require.Equal(t, one.App(), two.App())
	require.Equal(t, one.bugs.ID, two.bugs.ID)
	require.NotEqual(t, one.URL(), two.URL())
	require.Equal(t, "<@"+one.App().BotUser+">", one.Mention())
}

func TestListenSaysWhyNot(t *testing.T) {
	t.Parallel()
	taken := openOffice(t, Config{})
	_, err := Listen(Config{Addr: taken.listener.Addr().String()})
	require.ErrorContains(t, err, "slacktest: listen on 127.0.0.1:")
	require.Panics(t, func() { New(Config{Addr: "nowhere:x"}) })
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{AckTimeout: time.Hour})
	o.connect(false)
	o.say("hello", "")
	seen := o.Watch(context.Background())
	require.Eventually(t, func() bool { return len(o.Deliveries()) == 1 }, time.Minute, time.Millisecond)
	o.Close()
	o.Close()
	_, open := <-seen
	require.False(t, open)
	_, open = <-o.Watch(context.Background())
	require.False(t, open)
	require.ErrorIs(t, o.WaitSettled(context.Background()), errClosed)
	_, err := o.api.AuthTest()
	require.Error(t, err)
}

// This test is not parallel, because it looks at the goroutines of the whole process while no other test
// runs.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	o := openOffice(t, Config{PingInterval: time.Millisecond})
	o.connect(false)
	o.dial()
	o.Order(Fault{Latency: time.Hour})
	o.say("hello", "")
	go func() { _ = o.try("never answered") }()
	require.Eventually(t, func() bool { return len(o.Requests("chat.postMessage")) == 1 }, time.Minute,
		time.Millisecond)
	require.Contains(t, stacks(), "slacktest.(*Server)")
	o.Close()
	require.NotContains(t, stacks(), "slacktest.(*Server)")
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}
