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

// socket is the Socket Mode side of the workspace: the open links and the deliveries. Server.mu guards it.
type socket struct {
	random   *rand.Rand
	links    []*link
	opened   int         // number of links ever opened; the last link's number
	waiting  []*delivery // deliveries that wait for a link
	holding  bool        // deliveries go to held instead of a link
	held     []*delivery
	begun    int                  // number of deliveries ever begun; the last delivery's number
	open     map[int]*delivery    // by number, deliveries that are neither acknowledged nor given up
	onTheWay map[string]flight    // by envelope id, attempts that wait for an acknowledgement
	sent     []*Delivery          // the record of every attempt
	events   map[string]*delivery // by event id, for Redeliver
	once     map[string]*delivery // by envelope id, deliveries that are not events
	dropAcks int
	refusing int // number of next links to refuse
	ended    []EndedLink
	stopped  bool
}

func newSocket(random *rand.Rand) socket {
	return socket{
		random:   random,
		open:     map[int]*delivery{},
		onTheWay: map[string]flight{},
		events:   map[string]*delivery{},
		once:     map[string]*delivery{},
	}
}

// A link is one WebSocket connection.
type link struct {
	id       int
	ws       *websocket.Conn
	out      chan any
	gone     chan struct{}
	leave    sync.Once
	draining bool // told to disconnect: gets no new deliveries
	told     string
}

// An EndedLink is the record of a link that has ended.
type EndedLink struct {
	Number int    // as in Delivery.Link
	Told   string // reason of the disconnect message, or "cut"; empty: the client closed the link by itself
	Beside int    // number of links that were open when it ended
}

// Ended returns the links that have ended, in that order.
func (s *Server) Ended() []EndedLink {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.socket.ended)
}

// WaitEnded returns the list of Ended as soon as wanted returns true for it.
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

// A ticket permits opening one link.
type ticket struct{ used bool }

func (s *Server) connectionsOpen(*call) (object, error) {
	id := newUUID()
	s.state.tickets[id] = ticket{}
	return object{
		"url": "ws://" + s.listener.Addr().String() + "/link?ticket=" + id + "&app_id=" + s.state.app.ID,
	}, nil
}

// serveLink is the WebSocket endpoint. It reads; a second goroutine writes.
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

// RefuseLinks refuses the next n links, whatever their address.
func (s *Server) RefuseLinks(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.socket.refusing = n
}

// attach sends hello and the waiting deliveries to a new link. A link above the limit gets a disconnect
// message and is closed.
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
		"type":            "hello",
		"num_connections": len(s.socket.links),
		"connection_info": object{"app_id": cmp.Or(s.cfg.LinkApp, s.state.app.ID)},
		"debug_info": object{
			"host":                        host(l),
			"build_number":                1,
			"approximate_connection_time": int(s.cfg.ConnectionTime.Seconds()),
		},
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
		s.socket.ended = append(s.socket.ended,
			EndedLink{Number: l.id, Told: l.told, Beside: len(s.socket.links)})
	}
	s.touch()
}

// A farewell makes write send a close frame and return.
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
				l.awaitEnd(time.Second) // the client answers with its own close frame
				return
			}
			_ = l.ws.SetWriteDeadline(time.Now().Add(10 * time.Second))
			if l.put(m) != nil {
				return
			}
		case <-ping.C:
			if l.ws.WriteControl(websocket.PingMessage, []byte("Ping from "+host(l)),
				time.Now().Add(time.Second)) != nil {
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

// read handles acknowledgements until the link ends. The library answers pings.
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
			continue // Slack ignores it silently, too
		}
		s.acknowledged(l, ack.EnvelopeID, ack.Payload)
	}
}

// maxResponse is the size in bytes from which on Slack drops a response.
const maxResponse = 20 << 10

// Connections returns the number of open links.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.socket.links)
}

// Disconnect sends a disconnect message with a reason of Slack's to every link: warning (before a refresh),
// refresh_requested or link_disabled. Each link is closed after Config.DisconnectGrace, or at once for
// link_disabled.
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
	l.draining = reason != "warning"
	l.told = reason
	s.send(l, s.disconnectMessage(reason))
	time.AfterFunc(grace, func() { s.send(l, farewell{}) })
}

// send queues a message on a link. It cuts a link whose queue is full.
func (s *Server) send(l *link, m any) {
	select {
	case l.out <- m:
	default:
		l.close()
	}
}

// Cut ends every link without a close frame, as a broken network does.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.socket.links {
		l.told = "cut"
		l.close()
	}
}

// Forget drops the deliveries that wait for a link, as Slack does if an app stays away.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.socket.waiting {
		delete(s.socket.open, d.number)
	}
	s.socket.waiting = nil
	s.touch()
}

// stop ends all links and timers. The caller holds mu.
func (s *socket) stop() {
	s.stopped = true
	for _, l := range s.links {
		l.close()
	}
	for _, d := range s.events {
		d.cancel()
	}
	for _, f := range s.onTheWay {
		f.delivery.cancel()
	}
}
