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

// A Delivery is the record of one attempt to deliver an envelope to the app.
type Delivery struct {
	EnvelopeID string
	Type       string // events_api, interactive, slash_commands
	EventID    string // only for events
	EventType  string // of an event, such as message or app_mention; of an interaction, such as block_actions
	Attempt    int    // retry_attempt
	Link       int    // number of the connection, from 1
	Sent       time.Time
	Outcome    Outcome
	Took       time.Duration   // time until the acknowledgement
	Response   json.RawMessage // payload of the acknowledgement
	Payload    json.RawMessage // payload of the envelope
}

// Outcome is the result of an attempt.
type Outcome string

// The outcomes.
const (
	Pending Outcome = "pending"
	Acked   Outcome = "acked"
	Late    Outcome = "timeout" // no acknowledgement in time
	AckLost Outcome = "lost"    // a fault dropped the acknowledgement
)

// A delivery is an envelope with all attempts to deliver it. Server.mu guards it.
type delivery struct {
	number                   int    // in the order in which deliveries begin, from 1
	envelopeID               string // set if every attempt uses the same envelope id
	kind, eventID, eventType string
	payload                  json.RawMessage
	accepts                  bool
	attempt                  int
	timer                    *time.Timer
	onAck                    func(response json.RawMessage)
}

// A flight is one attempt that is neither acknowledged nor timed out.
type flight struct {
	delivery *delivery
	record   *Delivery
}

func (d *delivery) cancel() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// isRetried reports whether an envelope of this kind is sent again if it is not acknowledged.
func (d *delivery) isRetried() bool { return d.kind == "events_api" }

// emit sends an event to the app if the app subscribed to it. The caller holds mu.
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
		"token":                 "slacktest",
		"team_id":               app.TeamID,
		"context_team_id":       app.TeamID,
		"context_enterprise_id": nil,
		"api_app_id":            app.ID,
		"event":                 event,
		"type":                  "event_callback",
		"event_id":              d.eventID,
		"event_time":            s.cfg.Now().Unix(),
		"is_ext_shared_channel": ch != nil && ch.Shared,
		"event_context":         "4-" + d.eventID,
		"authorizations": []object{{
			"enterprise_id":         nil,
			"team_id":               app.TeamID,
			"user_id":               app.BotUser,
			"is_bot":                true,
			"is_enterprise_install": false,
		}},
	})
	s.socket.events[d.eventID] = d
	s.deliver(d)
}

// deliver sends d over one of the links, or keeps it until a link opens.
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
		// The app will see a redelivery, because the first attempt found no link.
		d.attempt = max(d.attempt, 1)
		s.socket.waiting = append(s.socket.waiting, d)
		s.touch()
		return
	}
	record := &Delivery{
		EnvelopeID: cmp.Or(d.envelopeID, newUUID()),
		Type:       d.kind,
		EventID:    d.eventID,
		EventType:  d.eventType,
		Attempt:    d.attempt,
		Link:       l.id,
		Sent:       time.Now(),
		Outcome:    Pending,
		Payload:    d.payload,
	}
	s.socket.sent = append(s.socket.sent, record)
	if f, flying := s.socket.onTheWay[record.EnvelopeID]; flying {
		// sent again: one acknowledgement is for both
		f.delivery.cancel()
		delete(s.socket.open, f.delivery.number)
	}
	s.socket.onTheWay[record.EnvelopeID] = flight{d, record}
	envelope := object{
		"envelope_id":              record.EnvelopeID,
		"type":                     d.kind,
		"payload":                  d.payload,
		"accepts_response_payload": d.accepts,
	}
	if d.isRetried() {
		envelope["retry_attempt"] = d.attempt
		envelope["retry_reason"] = ""
		if d.attempt > 0 {
			envelope["retry_reason"] = "timeout"
		}
	}
	s.save() // saved first, so that the app gets no event that a crash would undo
	s.send(l, envelope)
	d.timer = time.AfterFunc(s.ackTimeout(d), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expired(d, record)
	})
	s.touch()
}

func (s *Server) ackTimeout(d *delivery) time.Duration {
	if d.isRetried() {
		return s.cfg.AckTimeout
	}
	return s.cfg.OnceTimeout
}

// pick chooses a link at random, because Slack promises no pattern. It returns nil if there is none.
func (s *socket) pick() *link {
	var open []*link
	for _, l := range s.links {
		if !l.draining {
			open = append(open, l)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[s.random.IntN(len(open))]
}

func (s *Server) deliverWaiting() {
	waiting := s.socket.waiting
	s.socket.waiting = nil
	for _, d := range waiting {
		s.deliver(d)
	}
}

// expired ends an attempt that was not acknowledged and schedules the next. The caller holds mu.
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
	if !d.isRetried() || d.attempt >= len(s.cfg.Retries) {
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

// acknowledged ends a delivery successfully. An acknowledgement that is late or has an unknown envelope id
// changes nothing.
func (s *Server) acknowledged(l *link, envelope string, response json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, found := s.socket.onTheWay[envelope]
	if !found {
		s.cfg.Log.Debug("slacktest: an acknowledgement of nothing", "envelope", envelope, "link", l.id)
		return
	}
	d := f.delivery
	record := f.record
	record.Took = time.Since(record.Sent)
	record.Response = response
	if d.isRetried() && s.socket.dropAcks > 0 {
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

// Deliveries returns the records of all attempts so far, oldest first.
func (s *Server) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.socket.snapshot()
}

func (s *socket) snapshot() []Delivery {
	list := make([]Delivery, len(s.sent))
	for i, r := range s.sent {
		list[i] = *r
	}
	return list
}

// WaitDeliveries returns the list of Deliveries as soon as wanted returns true for it.
func (s *Server) WaitDeliveries(ctx context.Context, wanted func([]Delivery) bool) ([]Delivery, error) {
	var list []Delivery
	err := s.await(ctx, func() { list = s.socket.snapshot() }, func() bool { return wanted(list) })
	return list, err
}

// WaitSettled returns when no delivery is on its way to the app, waits for a link or is due for a
// redelivery.
func (s *Server) WaitSettled(ctx context.Context) error {
	open := 0
	return s.await(ctx, func() { open = len(s.socket.open) }, func() bool { return open == 0 })
}

// WaitTaken does the same as WaitSettled for all deliveries that began before the call. In a busy workspace
// some delivery is always on its way.
func (s *Server) WaitTaken(ctx context.Context) error {
	s.mu.Lock()
	last := s.socket.begun
	s.mu.Unlock()
	var open []string
	err := s.await(ctx, func() {
		open = open[:0]
		for number, d := range s.socket.open {
			if number <= last {
				open = append(open,
					fmt.Sprintf("%s %s %s, attempt %d", d.kind, d.eventType, d.eventID, d.attempt+1))
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

// WaitDisconnected returns when no link is open. A server notices the end of a client's process late on a
// busy machine; until then it sends events over the client's links.
func (s *Server) WaitDisconnected(ctx context.Context) error {
	links := 0
	return s.await(ctx, func() { links = len(s.socket.links) }, func() bool { return links == 0 })
}

// ExpireAcks times out all attempts that wait for an acknowledgement at once, so that a test need not wait.
func (s *Server) ExpireAcks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, record := range slices.Clone(s.socket.sent) {
		if f, flying := s.socket.onTheWay[record.EnvelopeID]; flying {
			s.expired(f.delivery, f.record)
		}
	}
}

// DropAcks ignores the next n acknowledgements of events, so that the events are delivered again.
func (s *Server) DropAcks(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.socket.dropAcks = n
}

// Redeliver sends an event again, acknowledged or not, by its event id; or an envelope that is normally
// sent once, such as a command, by its envelope id, which stays the same.
func (s *Server) Redeliver(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := cmp.Or(s.socket.events[id], s.socket.once[id])
	if d == nil {
		return errors.New("slacktest: no event " + id)
	}
	again := *d
	again.number = 0
	again.attempt = max(again.attempt, 1)
	s.deliver(&again)
	return nil
}
