package slacktest

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// What goes wrong on the way to the app is ordered here: deliveries that pile up, come
// several times and out of order, or get lost; and frames that Slack should never send.

// Hold keeps back what would be delivered from now on, until Release.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.socket.holding = true
}

// Lose forgets those of the held deliveries that match, as if Slack had never sent them,
// and says how many. EventID, EventType, Type and Payload are set.
func (s *Server) Lose(match func(Delivery) bool) (lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.socket.held)
	s.socket.held = slices.DeleteFunc(s.socket.held, func(d *delivery) bool {
		return match(Delivery{Type: d.kind, EventID: d.eventID, EventType: d.eventType, Payload: d.payload})
	})
	return before - len(s.socket.held)
}

// Release delivers what was held back, each of it copies times: with the same event id,
// with envelope ids of their own and retry_attempt 0, 1, 2…, all in an order that random
// decides. Between two deliveries it calls between, if there is one, with how many are left.
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
	s.socket.holding, s.socket.held = false, nil
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

// Emit sends the app an event that no deed of a person's here gives. The channel decides
// what it counts as; without one it is of the workspace.
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

// rawFrame is text that goes over a link as it is.
type rawFrame string

// Frame sends a frame as it is, JSON or not, over one of the links. Nobody waits for its
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

// Broadcast writes a reply that is sent to the channel too.
func (s *Server) Broadcast(channel, user, text, threadTS string) (ts string, err error) {
	if threadTS == "" {
		return "", errors.New("slacktest: only a reply can be sent to the channel too")
	}
	return s.says(channel, user, text, threadTS, func(m *Message) { m.Broadcast = true })
}
