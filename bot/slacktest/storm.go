package slacktest

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// The methods in this file order failures on the way to the app: deliveries that pile up, arrive several
// times and out of order, or get lost, and frames that Slack should never send.

// Hold holds back all deliveries from now on, until Release.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.socket.holding = true
}

// Lose drops the held deliveries for which match returns true, as if Slack had never sent them, and returns
// how many. Only EventID, EventType, Type and Payload are set in match's argument.
func (s *Server) Lose(match func(Delivery) bool) (lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.socket.held)
	s.socket.held = slices.DeleteFunc(s.socket.held, func(d *delivery) bool {
		return match(Delivery{Type: d.kind, EventID: d.eventID, EventType: d.eventType, Payload: d.payload})
	})
	return before - len(s.socket.held)
}

// Release delivers everything that was held back, each delivery copies times: with the same event id,
// different envelope ids and retry_attempt 0, 1, 2…, in an order shuffled with random. Between two
// deliveries it calls between, unless nil, with the number of deliveries left.
func (s *Server) Release(copies int, random *rand.Rand, between func(left int)) {
	s.mu.Lock()
	var all []*delivery
	for _, d := range s.socket.held {
		for attempt := range copies {
			again := *d
			again.attempt = attempt
			all = append(all, &again)
		}
	}
	s.socket.holding = false
	s.socket.held = nil
	s.mu.Unlock()
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i, d := range all {
		s.mu.Lock()
		s.deliver(d)
		s.mu.Unlock()
		if left := len(all) - 1 - i; between != nil && left > 0 {
			between(left)
		}
	}
}

// Emit sends the app an event that no other method sends. The channel determines the name of the event that
// the app has to subscribe to; without a channel it is an event of the workspace.
func (s *Server) Emit(channel string, event map[string]any) error {
	if channel == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.emit(nil, event)
		return nil
	}
	return s.withChannel(channel, func(ch *Channel) error {
		s.emit(ch, event)
		return nil
	})
}

// A rawFrame is text that is sent over a link unchanged.
type rawFrame string

// Frame sends a frame unchanged, JSON or not, over one of the links. The server does not wait for an
// acknowledgement.
func (s *Server) Frame(frame string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.socket.pick()
	if l == nil {
		return errNobody
	}
	s.send(l, rawFrame(frame))
	return nil
}

// Broadcast writes a reply that also appears in the channel.
func (s *Server) Broadcast(channel, user, text, threadTS string) (ts string, err error) {
	if threadTS == "" {
		return "", errors.New("slacktest: only a reply can be sent to the channel too")
	}
	return s.says(channel, user, text, threadTS, func(m *Message) { m.Broadcast = true })
}
