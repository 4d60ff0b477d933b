package slacktest

import (
	"context"
	"errors"
	"fmt"
)

// ChangeKind says what happened to a message.
type ChangeKind string

// The kinds of change.
const (
	Posted    ChangeKind = "posted"
	Updated   ChangeKind = "updated"
	Deleted   ChangeKind = "deleted" // a deleted root with replies appears as its tombstone
	Reacted   ChangeKind = "reacted"
	Whispered ChangeKind = "whispered" // ephemeral, seen only by To
)

// A Change is one change that people see. Message is a copy from the time of the change.
type Change struct {
	Seq     int        `json:"seq"`
	Kind    ChangeKind `json:"kind"`
	Message Message    `json:"message"`
	To      string     `json:"to,omitempty"`
}

// note records a change. The caller holds mu.
func (s *Server) note(kind ChangeKind, m *Message) {
	s.file.touch(m)
	s.record(Change{Kind: kind, Message: m.clone()})
}

func (s *Server) record(c Change) {
	c.Seq = len(s.journal) + 1
	s.journal = append(s.journal, c)
	s.touch()
}

// Watch returns a channel with every change from now on, in order and without loss. The channel is closed
// when ctx or the server ends.
func (s *Server) Watch(ctx context.Context) <-chan Change {
	s.mu.Lock()
	from := len(s.journal)
	s.mu.Unlock()
	return s.WatchFrom(ctx, from)
}

// WatchFrom does the same as Watch, beginning after the change with the given Seq; 0 means from the very
// first.
func (s *Server) WatchFrom(ctx context.Context, seq int) <-chan Change {
	out := make(chan Change)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		close(out)
		return out
	}
	s.running.Go(func() {
		defer close(out)
		for {
			s.mu.Lock()
			news := s.journal[min(seq, len(s.journal)):]
			changed := s.changed
			s.mu.Unlock()
			for _, c := range news {
				select {
				case out <- c:
					seq = c.Seq
				case <-ctx.Done():
					return
				case <-s.done:
					return
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			case <-s.done:
				return
			}
		}
	})
	return out
}

// Thread returns a root, or its tombstone, and its replies, oldest first. ts may also be that of a reply.
func (s *Server) Thread(channel, ts string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.threadNow(channel, ts)
}

func (s *Server) threadNow(channel, ts string) []Message {
	ch := s.state.channel(channel)
	if ch == nil {
		return nil
	}
	if root := s.state.root(ch.ID, ts); root != "" {
		ts = root
	}
	return clones(s.state.thread(ch.ID, ts))
}

// Channel returns what the channel itself shows: roots and broadcast replies, oldest first.
func (s *Server) Channel(channel string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.state.channel(channel)
	if ch == nil {
		return nil
	}
	return clones(s.state.shown(ch.ID))
}

// Ephemeral returns every ephemeral message so far.
func (s *Server) Ephemeral() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.state.private...)
}

// Whispers returns every ephemeral message so far, with the person who saw it.
func (s *Server) Whispers() (list []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.journal {
		if c.Kind == Whispered {
			list = append(list, c)
		}
	}
	return list
}

func (s *state) shown(channel string) []*Message {
	var list []*Message
	for _, m := range s.messages[channel] {
		if m.ThreadTS == "" || m.Broadcast {
			list = append(list, m)
		}
	}
	return list
}

func clones(list []*Message) []Message {
	out := make([]Message, len(list))
	for i, m := range list {
		out[i] = m.clone()
	}
	return out
}

// WaitFor returns the thread as soon as wanted returns true for it. If ctx ends first, the error contains
// the thread at that time.
func (s *Server) WaitFor(
	ctx context.Context, channel, thread string, wanted func([]Message) bool,
) ([]Message, error) {
	var messages []Message
	err := s.await(ctx, func() { messages = s.threadNow(channel, thread) },
		func() bool { return wanted(messages) })
	if err != nil {
		return messages, fmt.Errorf("%w; the thread was:\n%s", err, s.ExportText(channel, thread))
	}
	return messages, nil
}

var errClosed = errors.New("the server was closed")

// await calls look, with mu held, and then done, without it, after each change, until done returns true.
// done is called without the lock, because the caller's function may use the server.
func (s *Server) await(ctx context.Context, look func(), done func() bool) error {
	for {
		s.mu.Lock()
		look()
		changed := s.changed
		s.mu.Unlock()
		if done() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("not seen in time: %w", context.Cause(ctx))
		case <-s.done:
			return errClosed
		}
	}
}

// Changed returns a channel that is closed as soon as anything in the workspace changes after the call: a
// message, a view, a file.
func (s *Server) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}
