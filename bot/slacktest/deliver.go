package slacktest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Delivery is one attempt to hand the app an envelope.
type Delivery struct {
	EnvelopeID string
	Type       string // events_api, interactive, slash_commands
	EventID    string // of events
	EventType  string // message, app_mention…; of interactions their type, block_actions…
	Attempt    int    // retry_attempt
	Link       int    // number of the connection, from 1
	Sent       time.Time
	Outcome    Outcome
	Took       time.Duration   // until the acknowledgement
	Response   json.RawMessage // payload of the acknowledgement
	Payload    json.RawMessage // what was delivered
}

// Outcome is what became of an attempt.
type Outcome string

// The outcomes.
const (
	Pending Outcome = "pending"
	Acked   Outcome = "acked"
	Late    Outcome = "timeout" // no acknowledgement in time
	AckLost Outcome = "lost"    // there was one, but a fault took it
)

// delivery is an envelope on its way, over all attempts. Guarded by Server.mu.
type delivery struct {
	number                   int    // in the order in which they began
	envelopeID               string // of those that keep theirs
	kind, eventID, eventType string
	payload                  json.RawMessage
	accepts                  bool
	attempt                  int
	timer                    *time.Timer
	onAck                    func(response json.RawMessage)
}

// flight is one attempt that has neither been acknowledged nor timed out.
type flight struct {
	delivery *delivery
	record   *Delivery
}

func (d *delivery) cancel() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// again reports whether this kind of envelope is ever sent twice.
func (d *delivery) again() bool { return d.kind == "events_api" }

// emit sends an event to the app, if it subscribed to it. The caller holds mu.
func (s *Server) emit(ch *Channel, event object) {
	kind, _ := event["type"].(string)
	name := kind
	if kind == "message" {
		name = "message." + map[ChannelKind]string{Public: "channels", Private: "groups", IM: "im"}[ch.Kind]
	}
	if s.cfg.Events != nil && !slices.Contains(s.cfg.Events, name) {
		return
	}
	app := s.state.app
	d := &delivery{kind: "events_api", eventID: s.state.id("Ev"), eventType: kind}
	d.payload = mustJSON(object{
		"token": "slacktest", "team_id": app.TeamID, "context_team_id": app.TeamID, "context_enterprise_id": nil,
		"api_app_id": app.ID, "event": event, "type": "event_callback", "event_id": d.eventID,
		"event_time": s.cfg.Now().Unix(), "is_ext_shared_channel": ch != nil && ch.Shared, "event_context": "4-" + d.eventID,
		"authorizations": []object{{
			"enterprise_id": nil, "team_id": app.TeamID, "user_id": app.BotUser, "is_bot": true, "is_enterprise_install": false,
		}},
	})
	s.socket.events[d.eventID] = d
	s.deliver(d)
}

// deliver sends d over one of the links, or keeps it until there is one.
func (s *Server) deliver(d *delivery) {
	if s.socket.stopped {
		return
	}
	if s.socket.holding {
		s.socket.held = append(s.socket.held, d)
		return
	}
	if d.number == 0 {
		s.socket.begun++
		d.number = s.socket.begun
		s.socket.open[d.number] = d
	}
	l := s.socket.pick()
	if l == nil {
		// To the app it will be a redelivery: the first attempt found nobody.
		d.attempt = max(d.attempt, 1)
		s.socket.waiting = append(s.socket.waiting, d)
		s.touch()
		return
	}
	record := &Delivery{
		EnvelopeID: cmp.Or(d.envelopeID, newUUID()), Type: d.kind, EventID: d.eventID, EventType: d.eventType, Attempt: d.attempt,
		Link: l.id, Sent: time.Now(), Outcome: Pending, Payload: d.payload,
	}
	s.socket.sent = append(s.socket.sent, record)
	if f, flying := s.socket.onTheWay[record.EnvelopeID]; flying { // sent again under its own id: one acknowledgement is for both
		f.delivery.cancel()
		delete(s.socket.open, f.delivery.number)
	}
	s.socket.onTheWay[record.EnvelopeID] = flight{d, record}
	envelope := object{"envelope_id": record.EnvelopeID, "type": d.kind, "payload": d.payload, "accepts_response_payload": d.accepts}
	if d.again() {
		envelope["retry_attempt"], envelope["retry_reason"] = d.attempt, ""
		if d.attempt > 0 {
			envelope["retry_reason"] = "timeout"
		}
	}
	s.save() // the app hears of nothing that a crash would undo
	s.send(l, envelope)
	d.timer = time.AfterFunc(s.cfg.AckTimeout, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expired(d, record)
	})
	s.touch()
}

// pick chooses a link at random; Slack promises no pattern.
func (k *socket) pick() *link {
	var open []*link
	for _, l := range k.links {
		if !l.draining {
			open = append(open, l)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[k.random.IntN(len(open))]
}

func (s *Server) deliverWaiting() {
	waiting := s.socket.waiting
	s.socket.waiting = nil
	for _, d := range waiting {
		s.deliver(d)
	}
}

// expired ends an attempt that was not acknowledged, and plans the next. The caller holds mu.
func (s *Server) expired(d *delivery, record *Delivery) {
	if _, flying := s.socket.onTheWay[record.EnvelopeID]; !flying || s.socket.stopped {
		return
	}
	d.cancel()
	if record.Outcome == Pending {
		record.Outcome = Late
	}
	delete(s.socket.onTheWay, record.EnvelopeID)
	s.touch()
	if !d.again() || d.attempt >= len(s.cfg.Retries) {
		delete(s.socket.open, d.number)
		return
	}
	wait := s.cfg.Retries[d.attempt]
	d.attempt++
	d.timer = time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.deliver(d)
	})
}

// acknowledged ends a delivery well. What comes too late, or names nothing, changes nothing.
func (s *Server) acknowledged(l *link, envelope string, response json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, found := s.socket.onTheWay[envelope]
	if !found {
		s.cfg.Log.Debug("slacktest: an acknowledgement of nothing", "envelope", envelope, "link", l.id)
		return
	}
	d, record := f.delivery, f.record
	record.Took, record.Response = time.Since(record.Sent), response
	if d.again() && s.socket.dropAcks > 0 {
		s.socket.dropAcks--
		record.Outcome = AckLost
		s.touch()
		return
	}
	record.Outcome = Acked
	d.cancel()
	delete(s.socket.onTheWay, envelope)
	delete(s.socket.open, d.number)
	if d.onAck != nil {
		if !d.accepts {
			response = nil
		}
		d.onAck(response)
	}
	s.touch()
}

// Deliveries is every attempt so far, oldest first.
func (s *Server) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.socket.snapshot()
}

func (k *socket) snapshot() []Delivery {
	list := make([]Delivery, len(k.sent))
	for i, r := range k.sent {
		list[i] = *r
	}
	return list
}

// WaitDeliveries returns the record as soon as it is as wanted.
func (s *Server) WaitDeliveries(ctx context.Context, wanted func([]Delivery) bool) ([]Delivery, error) {
	var list []Delivery
	err := s.await(ctx, func() { list = s.socket.snapshot() }, func() bool { return wanted(list) })
	return list, err
}

// WaitSettled returns when nothing is on its way to the app, waits for a connection or is
// due for a redelivery.
func (s *Server) WaitSettled(ctx context.Context) error {
	open := 0
	return s.await(ctx, func() { open = len(s.socket.open) }, func() bool { return open == 0 })
}

// WaitTaken returns when that is so of all that was sent before the call. In a busy workspace
// there is no moment at which nothing at all is on its way.
func (s *Server) WaitTaken(ctx context.Context) error {
	s.mu.Lock()
	last := s.socket.begun
	s.mu.Unlock()
	var open []string
	err := s.await(ctx, func() {
		open = open[:0]
		for number, d := range s.socket.open {
			if number <= last {
				open = append(open, fmt.Sprintf("%s %s %s, attempt %d", d.kind, d.eventType, d.eventID, d.attempt+1))
			}
		}
	}, func() bool { return len(open) == 0 })
	if err != nil {
		err = fmt.Errorf("%w; not taken: %s", err, strings.Join(open, "; "))
	}
	return err
}

// WaitConnected returns when at least n links are open.
func (s *Server) WaitConnected(ctx context.Context, n int) error {
	links := 0
	return s.await(ctx, func() { links = len(s.socket.links) }, func() bool { return links >= n })
}

// ExpireAcks lets the time to acknowledge run out at once for all that is on its way, so
// that a test need not wait for it.
func (s *Server) ExpireAcks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, record := range slices.Clone(s.socket.sent) {
		if f, flying := s.socket.onTheWay[record.EnvelopeID]; flying {
			s.expired(f.delivery, f.record)
		}
	}
}

// DropAcks loses the next n acknowledgements of events, so that they are delivered again.
func (s *Server) DropAcks(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.socket.dropAcks = n
}

// Redeliver sends an event once more, acknowledged or not; or what is sent once only, such
// as a command, named by its envelope id, which stays the same.
func (s *Server) Redeliver(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := cmp.Or(s.socket.events[id], s.socket.once[id])
	if d == nil {
		return errors.New("slacktest: no event " + id)
	}
	again := *d
	again.number, again.attempt = 0, max(again.attempt, 1)
	s.deliver(&again)
	return nil
}
