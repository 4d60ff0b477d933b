package slacktest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// dial opens a link without a client library, so that the test controls every message.
func (o *office) dial() *websocket.Conn {
	o.t.Helper()
	_, address, err := o.api.StartSocketModeContext(o.t.Context())
	require.NoError(o.t, err)
	ws, _, err := websocket.DefaultDialer.DialContext(o.t.Context(), address, nil)
	require.NoError(o.t, err)
	o.t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func receive(t *testing.T, ws *websocket.Conn) map[string]any {
	t.Helper()
	require.NoError(t, ws.SetReadDeadline(time.Now().Add(time.Minute)))
	var m map[string]any
	require.NoError(t, ws.ReadJSON(&m))
	return m
}

func acknowledge(t *testing.T, ws *websocket.Conn, envelope map[string]any) {
	t.Helper()
	require.NoError(t, ws.WriteJSON(map[string]any{"envelope_id": envelope["envelope_id"]}))
}

func TestHelloAndEnvelope(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	ws := o.dial()
	hello := receive(t, ws)
	require.Equal(t, "hello", hello["type"])
	require.EqualValues(t, 1, hello["num_connections"])
	require.Equal(t, map[string]any{"app_id": o.App().ID}, hello["connection_info"])
	require.Contains(t, hello["debug_info"], "approximate_connection_time")

	o.say("hello", "")
	envelope := receive(t, ws)
	require.Equal(t, "events_api", envelope["type"])
	require.Equal(t, false, envelope["accepts_response_payload"])
	require.EqualValues(t, 0, envelope["retry_attempt"])
	require.Empty(t, envelope["retry_reason"])
	payload, _ := envelope["payload"].(map[string]any)
	require.Equal(t, "event_callback", payload["type"])
	require.Equal(t, o.App().ID, payload["api_app_id"])
	acknowledge(t, ws, envelope)
	require.NoError(t, o.WaitSettled(soon(t)))
	require.Equal(t, Acked, o.Deliveries()[0].Outcome)
}

func TestASocketAddressWorksOnce(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	_, address, err := o.api.StartSocketModeContext(t.Context())
	require.NoError(t, err)
	ws, _, err := websocket.DefaultDialer.Dial(address, nil)
	require.NoError(t, err)
	defer ws.Close()
	_, r, err := websocket.DefaultDialer.Dial(address, nil)
	require.Error(t, err)
	require.Equal(t, 403, r.StatusCode)
	require.NoError(t, r.Body.Close())
}

func TestAnEventGoesToOneOfSeveralConnections(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	apps := []*app{o.connect(true), o.connect(true), o.connect(true)}
	const n = 60
	for i := range n {
		o.say(fmt.Sprint(i), "")
	}
	require.NoError(t, o.WaitSettled(soon(t)))
	perLink := map[int]int{}
	for _, d := range o.Deliveries() {
		require.Equal(t, Acked, d.Outcome)
		perLink[d.Link]++
	}
	require.Len(t, perLink, 3)
	require.Eventually(t, func() bool {
		return len(apps[0].events)+len(apps[1].events)+len(apps[2].events) == n
	}, time.Minute, time.Millisecond)
}

func TestUnacknowledgedEventsComeAgain(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{AckTimeout: 30 * time.Millisecond, Retries: []time.Duration{0, 20 * time.Millisecond, 40 * time.Millisecond}})
	ws := o.dial()
	receive(t, ws)
	o.say("hello", "")
	var ids []string
	var events []any
	for attempt := range 4 {
		envelope := receive(t, ws)
		require.EqualValues(t, attempt, envelope["retry_attempt"])
		if attempt > 0 {
			require.Equal(t, "timeout", envelope["retry_reason"])
		}
		payload, _ := envelope["payload"].(map[string]any)
		events = append(events, payload["event_id"])
		require.NotContains(t, ids, envelope["envelope_id"])
		ids = append(ids, blockkit.Text(envelope, "envelope_id"))
	}
	require.Equal(t, []any{events[0], events[0], events[0], events[0]}, events)
	require.NoError(t, o.WaitSettled(soon(t)))
	require.Len(t, o.Deliveries(), 4, "and then Slack gives up")
	for _, d := range o.Deliveries() {
		require.Equal(t, Late, d.Outcome)
	}
}

func TestTheScheduleIsSlacksUnlessSaidOtherwise(t *testing.T) {
	t.Parallel()
	var cfg Config
	cfg.setDefaults()
	require.Equal(t, 3*time.Second, cfg.AckTimeout)
	require.Equal(t, []time.Duration{0, time.Minute, 5 * time.Minute}, cfg.Retries)
	require.Equal(t, 10, cfg.MaxConnections)
}

func TestALateAcknowledgementDoesNotCount(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	ws := o.dial()
	receive(t, ws)
	o.say("hello", "")
	first := receive(t, ws)
	o.ExpireAcks()
	second := receive(t, ws)
	acknowledge(t, ws, first)
	acknowledge(t, ws, second)
	require.NoError(t, o.WaitSettled(soon(t)))
	list := o.Deliveries()
	require.Equal(t, []Outcome{Late, Acked}, []Outcome{list[0].Outcome, list[1].Outcome})
}

func TestLostAcknowledgements(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	a := o.connect(true)
	o.DropAcks(1)
	o.say("one", "")
	o.say("two", "")
	_, err := o.WaitDeliveries(soon(t), func(l []Delivery) bool { return l[0].Outcome == AckLost && l[1].Outcome == Acked })
	require.NoError(t, err)
	o.ExpireAcks()
	require.NoError(t, o.WaitSettled(soon(t)))
	var outcomes []Outcome
	byEvent := map[string]int{}
	for _, d := range o.Deliveries() {
		outcomes = append(outcomes, d.Outcome)
		byEvent[d.EventID]++
	}
	require.Equal(t, []Outcome{AckLost, Acked, Acked}, outcomes)
	require.Len(t, byEvent, 2)
	for range 3 {
		inner[*slackevents.MessageEvent](a)
	}
}

// In a busy workspace some delivery is always on its way.
func TestTakenIsWhatWasSentBefore(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	ws := o.dial()
	receive(t, ws)
	o.say("first", "")
	taken := make(chan error, 1)
	go func() { taken <- o.WaitTaken(soon(t)) }()
	for {
		envelope := receive(t, ws)
		o.say("and the next, before this one is acknowledged", "")
		acknowledge(t, ws, envelope)
		select {
		case err := <-taken:
			require.NoError(t, err)
			return
		default:
		}
	}
}

func TestRedeliver(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	a := o.connect(true)
	o.say("once", "")
	first := a.next()
	require.NoError(t, o.WaitSettled(soon(t)))
	require.NoError(t, o.Redeliver(o.Deliveries()[0].EventID))
	again := a.next()
	require.Equal(t, 1, again.Request.RetryAttempt)
	require.NotEqual(t, first.Request.EnvelopeID, again.Request.EnvelopeID)
	require.JSONEq(t, string(first.Request.Payload), string(again.Request.Payload))
	require.Error(t, o.Redeliver("Ev404"))
}

// An envelope that is not an event keeps its id: one acknowledgement is for all attempts that are on their
// way.
func TestOneAcknowledgementIsForAllUnderItsID(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	ws := o.dial()
	receive(t, ws)
	require.NoError(t, o.Command("bugs", o.ada.ID, "/diagnose", "x"))
	first := receive(t, ws)
	require.NoError(t, o.Redeliver(blockkit.Text(first, "envelope_id")))
	require.Equal(t, first["envelope_id"], receive(t, ws)["envelope_id"])
	acknowledge(t, ws, first)
	require.NoError(t, o.WaitTaken(soon(t)))
	require.NoError(t, o.WaitSettled(soon(t)))
}

func TestEventsWaitForAConnection(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.say("one", "")
	o.say("two", "")
	require.Empty(t, o.Deliveries())
	a := o.connect(true)
	for _, text := range []string{"one", "two"} {
		e := a.next()
		require.Equal(t, 1, e.Request.RetryAttempt)
		outer, _ := e.Data.(slackevents.EventsAPIEvent)
		message, _ := outer.InnerEvent.Data.(*slackevents.MessageEvent)
		require.Equal(t, text, message.Text)
	}
	o.quiet(a)
}

// TestWhatIsForgottenNeverArrives checks that an event from a time without a client is lost after Forget. The
// control does not forget and gets the event first.
func TestWhatIsForgottenNeverArrives(t *testing.T) {
	t.Parallel()
	for forget, want := range map[bool]string{true: "back again", false: "anybody there?"} {
		o := openOffice(t, Config{})
		ws := o.dial()
		receive(t, ws)
		require.NoError(t, ws.Close())
		require.NoError(t, o.WaitDisconnected(soon(t)))
		o.say("anybody there?", "")
		if forget {
			o.Forget()
		}
		a := o.connect(true)
		o.say("back again", "")
		require.Equal(t, want, inner[*slackevents.MessageEvent](a).Text)
	}
}

func TestWhatACutConnectionHadIsSentOverAnother(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	ws := o.dial()
	receive(t, ws)
	o.say("hello", "")
	receive(t, ws)
	o.Cut()
	_, _, err := ws.ReadMessage()
	require.Error(t, err)
	require.NoError(t, o.WaitDisconnected(soon(t)))
	a := o.connect(true)
	o.ExpireAcks()
	require.Equal(t, "hello", inner[*slackevents.MessageEvent](a).Text)
	o.quiet(a)
}

func TestDisconnect(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"warning", "refresh_requested", "link_disabled"} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			o := openOffice(t, Config{DisconnectGrace: 20 * time.Millisecond})
			ws := o.dial()
			receive(t, ws)
			o.Disconnect(reason)
			goodbye := receive(t, ws)
			require.Equal(t, "disconnect", goodbye["type"])
			require.Equal(t, reason, goodbye["reason"])
			_, _, err := ws.ReadMessage()
			require.True(t, websocket.IsCloseError(err, websocket.CloseNormalClosure), "%v", err)
			require.NoError(t, o.WaitDisconnected(soon(t)))
		})
	}
}

func TestNothingNewGoesToALinkThatHasToGo(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{DisconnectGrace: time.Hour})
	ws := o.dial()
	receive(t, ws)
	o.Disconnect("refresh_requested")
	receive(t, ws)
	o.say("hello", "")
	require.Empty(t, o.Deliveries())
	other := o.dial()
	receive(t, other)
	require.Equal(t, "events_api", receive(t, other)["type"])
}

func TestSlackGoComesBackAfterARefresh(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	a := o.connect(true)
	o.Disconnect("refresh_requested")
	_, err := o.WaitFor(soon(t), "bugs", "", func([]Message) bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.socket.opened == 2 && len(o.socket.links) == 1
	})
	require.NoError(t, err)
	o.say("still there?", "")
	require.Equal(t, "still there?", inner[*slackevents.MessageEvent](a).Text)
	require.Len(t, o.Requests("apps.connections.open"), 2)
}

func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	for i := range 10 {
		require.EqualValues(t, i+1, receive(t, o.dial())["num_connections"])
	}
	goodbye := receive(t, o.dial())
	require.Equal(t, "too_many_websockets", goodbye["reason"])
	require.Equal(t, 10, o.Connections())
}

func TestPingsGoBothWays(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{PingInterval: 10 * time.Millisecond})
	ws := o.dial()
	pings, pongs := make(chan string, 100), make(chan string, 100)
	ws.SetPingHandler(func(text string) error { pings <- text; return nil })
	ws.SetPongHandler(func(text string) error { pongs <- text; return nil })
	require.NoError(t, ws.WriteControl(websocket.PingMessage, []byte("hi"), time.Now().Add(time.Second)))
	go func() {
		for {
			if _, _, err := ws.ReadMessage(); err != nil {
				return
			}
		}
	}()
	require.Equal(t, "hi", <-pongs)
	require.Equal(t, "Ping from applink-1", <-pings)
	require.Equal(t, "Ping from applink-1", <-pings)
}

func TestBigAndBrokenResponsesAreDropped(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	ws := o.dial()
	receive(t, ws)
	o.say("hello", "")
	first := receive(t, ws)
	big := map[string]any{"envelope_id": first["envelope_id"], "payload": map[string]any{"text": strings.Repeat("x", 20<<10)}}
	require.NoError(t, ws.WriteJSON(big))
	require.NoError(t, ws.WriteMessage(websocket.TextMessage, []byte("{nonsense")))
	require.NoError(t, ws.WriteJSON(map[string]any{"envelope_id": "of nothing"}))
	require.NoError(t, ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)))
	ws.SetPongHandler(func(string) error { o.ExpireAcks(); return nil }) // the server has read everything before the ping
	second := receive(t, ws)
	require.EqualValues(t, 1, second["retry_attempt"])
	acknowledge(t, ws, second)
	require.NoError(t, o.WaitSettled(soon(t)))
}

func TestManyEventsAtOnce(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{AckTimeout: time.Minute})
	a := o.connect(true)
	const n = 500
	for i := range n {
		o.say(fmt.Sprint(i), "")
	}
	for i := range n {
		require.Equal(t, fmt.Sprint(i), inner[*slackevents.MessageEvent](a).Text, "one connection keeps the order")
	}
	o.quiet(a)
	require.Len(t, o.Deliveries(), n)
}

func TestConnectionsOpenWithABadTokenEndsSlackGo(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	bad := slack.New(o.App().BotToken, slack.OptionAppLevelToken("xapp-bad"), slack.OptionAPIURL(o.URL()))
	require.EqualError(t, socketmode.New(bad).RunContext(t.Context()), "invalid_auth")
}
