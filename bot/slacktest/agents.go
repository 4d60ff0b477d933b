package slacktest

import (
	"slices"
)

// agentsSetStatus stores the status of an agent session. It fails unless the app is declared as an agent.
func (s *Server) agentsSetStatus(c *call) (object, error) {
	if !s.cfg.Agent {
		return nil, fail("feature_disabled")
	}
	status := c.get("status")
	if !slices.Contains([]string{"processing", "active", "suspended", "closed"}, status) {
		return nil, fail("invalid_arguments")
	}
	if err := s.keepStatus(c, status); err != nil {
		return nil, err
	}
	return object{"status": status, "agent_status": status}, nil
}

// assistantSetStatus stores the status of an assistant thread; an empty status removes it.
func (s *Server) assistantSetStatus(c *call) (object, error) {
	return object{}, s.keepStatus(c, c.get("status"))
}

func (s *Server) keepStatus(c *call, status string) error {
	ch := s.state.channels[c.get("channel_id")]
	switch {
	case ch == nil, !s.state.appIn(ch):
		return fail("channel_not_found")
	case s.state.message(ch.ID, c.get("thread_ts")) == nil:
		return fail("thread_not_found")
	}
	s.state.statuses = append(s.state.statuses, status)
	if !slices.Contains([]string{"", "active", "closed"}, status) {
		s.state.status[ch.ID+" "+c.get("thread_ts")] = status
	} else {
		delete(s.state.status, ch.ID+" "+c.get("thread_ts"))
	}
	s.touch()
	return nil
}

// Status returns the status that Slack shows in a thread while the app is at work, or an empty string. Unlike
// Slack, it keeps the status of an assistant thread until the app removes it.
func (s *Server) Status(channel, ts string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.status[channel+" "+ts]
}

// Statuses returns every status that the app set, oldest first.
func (s *Server) Statuses() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.state.statuses)
}
