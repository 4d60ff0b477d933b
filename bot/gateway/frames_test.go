package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/workflow"
)

// rawSlack is a fake Slack whose Socket Mode frames the test writes itself, such as frames that a correct
// server never sends.
type rawSlack struct {
	*httptest.Server
	links   chan *websocket.Conn
	replies string // the response of conversations.replies
}

func openRawSlack(t *testing.T) *rawSlack {
	t.Helper()
	s := &rawSlack{links: make(chan *websocket.Conn, 10)}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/auth.test", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"ok":true,"team_id":"T1","user_id":"UBOT","bot_id":"BBOT","user":"bobbin"}`)
	})
	mux.HandleFunc("/api/apps.connections.open", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"ok":true,"url":"ws%s/link"}`, strings.TrimPrefix(s.URL, "http"))
	})
	mux.HandleFunc("/api/conversations.replies", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s.replies) })
	mux.HandleFunc("/link", func(w http.ResponseWriter, r *http.Request) {
		if c, err := upgrader.Upgrade(w, r, nil); err == nil {
			s.links <- c
		}
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// acked reads the next acknowledgement and returns its envelope id.
func acked(t *testing.T, c *websocket.Conn) string {
	t.Helper()
	var ack struct {
		EnvelopeID string `json:"envelope_id"`
	}
	_, raw, err := c.ReadMessage()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &ack))
	return ack.EnvelopeID
}

func TestFramesThatTheLibraryCannotDecode(t *testing.T) {
	t.Parallel()
	s, in := openRawSlack(t), &bottest.Inbox{}
	opened, err := bot.Open(t.Context(), bot.Config{BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: s.URL + "/api"})
	require.NoError(t, err)
	var said journal
	g := &Gateway{Slack: opened, Inbox: in, Log: slog.New(slog.NewTextHandler(&said, nil)), Connecting: Connecting{Apart: 1}}
	ended := make(chan error, 1)
	ctx, cancel := cancellable(t)
	go func() { ended <- g.Run(ctx) }()
	c := <-s.links
	for _, frame := range []string{
		// Frames without an envelope id cannot be acknowledged. They are ignored, and the link stays up.
		`{`, `[]`, `{"type":"hello","num_connections":"many"}`, `"x"`, `{"type":"brand_new"}`,
		// A new kind of envelope, a new kind of event, a payload of an odd type.
		`{"envelope_id":"e1","type":"brand_new","payload":{}}`,
		`{"envelope_id":"e2","type":"events_api","payload":{"type":"event_callback","event_id":"Ev2","event":{"type":"brand_new_thing"}}}`,
		`{"envelope_id":"e3","type":"interactive","payload":["x"]}`,
		// Messages of a person with fields that slack-go cannot decode.
		`{"envelope_id":"e4","type":"events_api","payload":{"type":"event_callback","event_id":"Ev4","team_id":"T1",
			"event":{"type":"message","channel":"C1","user":"U1","ts":"11.1","thread_ts":"10.1","text":"it fails for guests","blocks":7,"files":"x","edited":[1]}}}`,
		`{"envelope_id":"e5","retry_attempt":"first","type":"events_api","payload":{"type":"event_callback","event_id":"Ev5","team_id":"T1",
			"event":{"type":"app_mention","channel":"C1","user":"U1","ts":"12.1","text":"<@UBOT> hello"}}}`,
	} {
		require.NoError(t, c.WriteMessage(websocket.TextMessage, []byte(frame)))
	}
	for _, want := range []string{"e1", "e2", "e3", "e4", "e5"} {
		require.Equal(t, want, acked(t, c))
	}
	require.Equal(t, []string{"it fails for guests", "hello"}, in.Texts())
	cancel()
	require.NoError(t, <-ended)
	// Each frame is logged with its type, but without the text that a person wrote.
	for _, line := range []string{
		`msg="a frame from Slack that cannot be read"`, `type=brand_new of="" event=""`, `type=events_api of=brand_new_thing event=Ev2`,
		`type=interactive`, `type=events_api of=message event=Ev4`, `type=events_api of=app_mention event=Ev5`,
	} {
		require.Contains(t, said.String(), line)
	}
	require.NotContains(t, said.String(), "it fails for guests")
}

// TestAnUndecodedFrameThatSlackNoLongerDeliversIsReadAgain checks that a message in such a frame is read from its thread
// if it could not be kept at Slack's last attempt, and not before.
func TestAnUndecodedFrameThatSlackNoLongerDeliversIsReadAgain(t *testing.T) {
	t.Parallel()
	s, tries := openRawSlack(t), make(chan bool)
	root, reply := event.FormatTS(time.Now().Add(-time.Second)), event.FormatTS(time.Now())
	said := fmt.Sprintf(`"type":"message","channel":"C1","user":"U1","ts":%q,"thread_ts":%q,"text":"it fails for guests"`, reply, root)
	s.replies = `{"ok":true,"messages":[{` + said + `}]}`
	in := &bottest.Inbox{Before: func(e workflow.IncomingEvent) error {
		if !strings.HasPrefix(e.EventID, "Ev2") {
			return nil
		}
		tries <- true
		return errors.New("the database is away")
	}}
	opened, err := bot.Open(t.Context(), bot.Config{BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: s.URL + "/api"})
	require.NoError(t, err)
	g := &Gateway{Slack: opened, Inbox: in, StoreTimeout: 1, Backfill: Backfill{History: in}, Connecting: Connecting{Apart: 1, PingInterval: time.Hour}}
	ended := make(chan error, 1)
	ctx, cancel := cancellable(t)
	go func() { ended <- g.Run(ctx) }()
	c := <-s.links
	send := func(frame string) {
		require.NoError(t, c.WriteMessage(websocket.TextMessage, []byte(frame)))
	}
	send(fmt.Sprintf(`{"envelope_id":"e1","type":"events_api","payload":{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention","channel":"C1","user":"U1","ts":%q,"text":"<@UBOT> look"}}}`, root))
	require.Equal(t, "e1", acked(t, c))
	for attempt := range lastAttempt + 1 {
		require.Equal(t, []string{"look"}, in.Texts(), "Slack will deliver it again")
		send(fmt.Sprintf(`{"envelope_id":"e2","retry_attempt":%d,"type":"events_api","payload":{"type":"event_callback","event_id":"Ev2","event":{%s,"blocks":7}}}`, attempt, said))
		<-tries
	}
	require.Eventually(t, func() bool { return len(in.Texts()) == 2 }, time.Minute, time.Millisecond)
	require.Equal(t, []string{"look", "it fails for guests"}, in.Texts())
	require.Empty(t, s.links, "the link is still the first one")
	cancel()
	require.NoError(t, <-ended)
}

// The control: slack-go alone acknowledges none of these frames.
func TestControlFramesThatNobodyAcknowledges(t *testing.T) {
	t.Parallel()
	s := openRawSlack(t)
	client := socketmode.New(slack.New("xoxb-1", slack.OptionAppLevelToken("xapp-1"), slack.OptionAPIURL(s.URL+"/api/")))
	ctx, cancel := cancellable(t)
	ended := make(chan error, 1)
	go func() { ended <- client.RunContext(ctx) }()
	c := <-s.links
	require.NoError(t, c.WriteMessage(websocket.TextMessage, []byte(`{"envelope_id":"e1","type":"brand_new","payload":{}}`)))
	for e := range client.Events {
		if e.Request != nil && e.Request.EnvelopeID != "" {
			t.Fatal("it was decoded after all")
		}
		if e.Type == socketmode.EventTypeErrorBadMessage {
			require.Nil(t, e.Request, "nothing that one could acknowledge")
			break
		}
	}
	cancel()
	<-ended
}

// journal is a log buffer that can be read while it is written.
type journal struct {
	mu sync.Mutex
	b  strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}
