package slacktest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHeldBackAndReleasedSeveralTimesOutOfOrder(t *testing.T) {
	t.Parallel()
	orders := map[string]bool{}
	for seed := range uint64(3) {
		o := openOffice(t, Config{})
		ws := o.dial()
		require.Equal(t, "hello", receive(t, ws)["type"])
		o.Hold()
		for n := range 5 {
			o.say(fmt.Sprint("message ", n), "")
		}
		require.NoError(t, o.Command("bugs", o.ada.ID, "/x", ""))
		require.Empty(t, o.Deliveries())
		require.Equal(t, 1, o.Lose(func(d Delivery) bool { return d.EventType == "/x" }))

		var left []int
		go o.Release(3, rand.New(rand.NewPCG(seed, 1)), func(n int) { left = append(left, n) })
		attempts := map[any]float64{}
		order := ""
		envelopes := map[any]bool{}
		for range 15 {
			e := receive(t, ws)
			payload, _ := e["payload"].(map[string]any)
			attempt, _ := e["retry_attempt"].(float64)
			attempts[payload["event_id"]] += attempt
			envelopes[e["envelope_id"]] = true
			order += fmt.Sprint(payload["event_id"], attempt, " ")
			acknowledge(t, ws, e)
		}
		require.NoError(t, o.WaitSettled(soon(t)))
		require.Len(t, left, 14)
		require.Len(t, envelopes, 15)
		require.Len(t, attempts, 5)
		for _, sum := range attempts {
			require.InDelta(t, 0+1+2, sum, 0)
		}
		orders[order] = true
	}
	require.Len(t, orders, 3)
}

func TestFramesAndEventsAsATestWritesThem(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	require.ErrorIs(t, o.Frame(`{`), errNobody)
	ws := o.dial()
	receive(t, ws)
	require.NoError(t, o.Frame(`not JSON`))
	_, raw, err := ws.ReadMessage()
	require.NoError(t, err)
	require.Equal(t, `not JSON`, string(raw))

	require.NoError(t, o.Emit("", map[string]any{"type": "team_rename", "name": "Other"}))
	payload, _ := receive(t, ws)["payload"].(map[string]any)
	require.Equal(t, map[string]any{"type": "team_rename", "name": "Other"}, payload["event"])
	require.Error(t, o.Emit("nowhere", map[string]any{"type": "message"}))
}

func TestFilesAndBroadcastsOfPeople(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	ws := o.dial()
	receive(t, ws)
	event := func() map[string]any {
		payload, _ := receive(t, ws)["payload"].(map[string]any)
		e, _ := payload["event"].(map[string]any)
		return e
	}
	root, err := o.Share("bugs", o.ada.ID, o.Mention()+" see the log", "", "log.txt")
	require.NoError(t, err)
	for range 2 { // app_mention and message, in either order
		e := event()
		require.Len(t, e["files"], 1)
		if e["type"] == "message" {
			require.Equal(t, "file_share", e["subtype"])
		}
	}
	_, err = o.Broadcast("bugs", o.ada.ID, "to all", "")
	require.Error(t, err)
	ts, err := o.Broadcast("bugs", o.ada.ID, "to all", root)
	require.NoError(t, err)
	e := event()
	require.Equal(t, "thread_broadcast", e["subtype"])
	require.Equal(t, root, e["thread_ts"])
	require.Equal(t, []string{root, ts}, []string{o.Channel("bugs")[0].TS, o.Channel("bugs")[1].TS},
		"the channel shows it too")
}

func TestALostCallAndALateOne(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.Order(Fault{Method: "chat.postMessage", LoseCall: true})
	require.Error(t, o.try("never arrives"))
	require.Empty(t, o.Channel("bugs"))

	o.Order(Fault{Method: "chat.postMessage", LoseAnswer: true, Late: 50 * time.Millisecond})
	require.Error(t, o.try("arrives after all"))
	require.NoError(t, o.await(soon(t), func() {}, func() bool { return len(o.Channel("bugs")) == 1 }))
}
