package slacktest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// socket is the Socket Mode side of the workspace: the open links and what is on its way.
// Guarded by Server.mu.
type socket struct {
	random   *rand.Rand
	links    []*link
	opened   int         // links ever, for their numbers
	waiting  []*delivery // for a link
	holding  bool        // nothing is delivered: it goes to held
	held     []*delivery
	begun    int                  // deliveries ever, for their numbers
	open     map[int]*delivery    // by number, those that are neither acknowledged nor given up
	onTheWay map[string]flight    // by envelope id
	sent     []*Delivery          // the record of every attempt
	events   map[string]*delivery // by event id, for Redeliver
	once     map[string]*delivery // by envelope id, what is not an event
	dropAcks int
	refusing int // links to come that are refused
	ended    []EndedLink
	stopped  bool
}

func newSocket(random *rand.Rand) socket {
	return socket{random: random, open: map[int]*delivery{}, onTheWay: map[string]flight{}, events: map[string]*delivery{}, once: map[string]*delivery{}}
}

// A link is one WebSocket.
type link struct {
	id       int
	ws       *websocket.Conn
	out      chan any
	gone     chan struct{}
	leave    sync.Once
	draining bool // told to go: gets nothing new
	told     string
}

// An EndedLink is one that is gone.
type EndedLink struct {
	Number int    // as in Delivery.Link
	Told   string // the reason that it was told to go for, or "cut"; empty: the client left by itself
	Beside int    // links that were open then
}

// Ended are the links that are gone, in that order.
func (s *Server) Ended() []EndedLink {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.socket.ended)
}

// WaitEnded returns the record as soon as it is as wanted.
func (s *Server) WaitEnded(ctx context.Context, wanted func([]EndedLink) bool) ([]EndedLink, error) {
	var list []EndedLink
	err := s.await(ctx, func() { list = slices.Clone(s.socket.ended) }, func() bool { return wanted(list) })
	return list, err
}

func (l *link) awaitEnd(most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-l.gone:
	case <-timer.C:
	}
}

func (l *link) close() { l.leave.Do(func() { close(l.gone) }) }

// ticket is the right to open one link.
type ticket struct{ used bool }

func (s *Server) connectionsOpen(*call) (object, error) {
	id := newUUID()
	s.state.tickets[id] = ticket{}
	return object{"url": "ws://" + s.listener.Addr().String() + "/link?ticket=" + id + "&app_id=" + s.state.app.ID}, nil
}

// serveLink is the WebSocket endpoint. It reads; a goroutine beside it writes.
func (s *Server) serveLink(w http.ResponseWriter, r *http.Request) {
	if !s.redeem(r.URL.Query().Get("ticket")) {
		http.Error(w, "this address was used, or never given", http.StatusForbidden)
		return
	}
	ws, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	l := s.attach(ws)
	if l == nil {
		_ = ws.Close()
		return
	}
	if r.URL.Query().Get("debug_reconnects") == "true" {
		timer := time.AfterFunc(6*time.Minute, func() { s.disconnect(l, "refresh_requested") })
		defer timer.Stop()
	}
	s.read(l)
	s.detach(l)
}

func (s *Server) redeem(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, given := s.state.tickets[id]
	if !given || t.used {
		return false
	}
	s.state.tickets[id] = ticket{used: true}
	if s.socket.refusing > 0 {
		s.socket.refusing--
		return false
	}
	return true
}

// RefuseLinks turns the next n links away, whatever address they were given.
func (s *Server) RefuseLinks(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.socket.refusing = n
}

// attach greets a new link and sends it what was waiting. One too many is told to go.
func (s *Server) attach(ws *websocket.Conn) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.socket.opened++
	l := &link{id: s.socket.opened, ws: ws, out: make(chan any, 4096), gone: make(chan struct{})}
	s.running.Go(func() { s.write(l) })
	if len(s.socket.links) >= s.cfg.MaxConnections {
		l.out <- s.disconnectMessage("too_many_websockets")
		l.out <- farewell{}
		return l
	}
	s.socket.links = append(s.socket.links, l)
	l.out <- object{
		"type": "hello", "num_connections": len(s.socket.links), "connection_info": object{"app_id": cmp.Or(s.cfg.LinkApp, s.state.app.ID)},
		"debug_info": object{"host": host(l), "build_number": 1, "approximate_connection_time": int(s.cfg.ConnectionTime.Seconds())},
	}
	s.deliverWaiting()
	s.touch()
	return l
}

func host(l *link) string { return fmt.Sprintf("applink-%d", l.id) }

func (s *Server) detach(l *link) {
	l.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.socket.links)
	s.socket.links = slices.DeleteFunc(s.socket.links, func(o *link) bool { return o == l })
	if len(s.socket.links) < before {
		s.socket.ended = append(s.socket.ended, EndedLink{Number: l.id, Told: l.told, Beside: len(s.socket.links)})
	}
	s.touch()
}

// farewell makes write send a close frame and leave.
type farewell struct{}

// write is the only writer of a link's messages, and sends its pings.
func (s *Server) write(l *link) {
	defer func() { _ = l.ws.Close() }()
	ping := time.NewTicker(s.cfg.PingInterval)
	defer ping.Stop()
	for {
		select {
		case m := <-l.out:
			if _, bye := m.(farewell); bye {
				text := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
				_ = l.ws.WriteControl(websocket.CloseMessage, text, time.Now().Add(time.Second))
				l.awaitEnd(time.Second) // the client answers with a close frame of its own
				return
			}
			_ = l.ws.SetWriteDeadline(time.Now().Add(10 * time.Second))
			if l.put(m) != nil {
				return
			}
		case <-ping.C:
			if l.ws.WriteControl(websocket.PingMessage, []byte("Ping from "+host(l)), time.Now().Add(time.Second)) != nil {
				return
			}
		case <-l.gone:
			return
		}
	}
}

func (l *link) put(m any) error {
	if raw, is := m.(rawFrame); is {
		return l.ws.WriteMessage(websocket.TextMessage, []byte(raw))
	}
	return l.ws.WriteJSON(m)
}

// read takes acknowledgements until the link ends. Pings are answered by the library.
func (s *Server) read(l *link) {
	for {
		_, raw, err := l.ws.ReadMessage()
		if err != nil {
			return
		}
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if len(raw) >= maxResponse || json.Unmarshal(raw, &ack) != nil {
			continue // Slack says nothing either
		}
		s.acknowledged(l, ack.EnvelopeID, ack.Payload)
	}
}

// maxResponse is the size from which on Slack drops a response.
const maxResponse = 20 << 10

// Connections is how many links are open.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.socket.links)
}

// Disconnect tells every link to go, as Slack does: warning (ahead of a refresh),
// refresh_requested, link_disabled. A link that has not gone after Config.DisconnectGrace is
// closed; one that was told link_disabled at once.
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	links := slices.Clone(s.socket.links)
	s.mu.Unlock()
	for _, l := range links {
		s.disconnect(l, reason)
	}
}

func (s *Server) disconnectMessage(reason string) object {
	return object{"type": "disconnect", "reason": reason, "debug_info": object{"host": "applink"}}
}

func (s *Server) disconnect(l *link, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	grace := s.cfg.DisconnectGrace
	if reason == "link_disabled" {
		grace = 0
	}
	l.draining, l.told = reason != "warning", reason
	s.send(l, s.disconnectMessage(reason))
	time.AfterFunc(grace, func() { s.send(l, farewell{}) })
}

// send queues a message on a link; a link that does not drain is cut.
func (s *Server) send(l *link, m any) {
	select {
	case l.out <- m:
	default:
		l.close()
	}
}

// Cut ends every link without a word, as a broken network does.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.socket.links {
		l.told = "cut"
		l.close()
	}
}

// Forget drops what found no connection, as Slack does with an app that stays away.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.socket.waiting {
		delete(s.socket.open, d.number)
	}
	s.socket.waiting = nil
	s.touch()
}

// stop ends links and timers. The caller holds mu.
func (k *socket) stop() {
	k.stopped = true
	for _, l := range k.links {
		l.close()
	}
	for _, d := range k.events {
		d.cancel()
	}
	for _, f := range k.onTheWay {
		f.delivery.cancel()
	}
}
