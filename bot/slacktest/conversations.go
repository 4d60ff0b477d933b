package slacktest

import (
	"slices"
	"strings"
)

// visible returns the channel of a call if the app may see it.
func (s *Server) visible(c *call) (*Channel, error) {
	ch := s.state.channels[c.get("channel")]
	if ch == nil || ch.Kind != Public && !s.state.appIn(ch) {
		return nil, fail("channel_not_found")
	}
	return ch, nil
}

// readableChannel returns the channel of a call if the app may read its messages.
func (s *Server) readableChannel(c *call) (*Channel, error) {
	ch, err := s.visible(c)
	if err == nil && !s.state.appIn(ch) {
		err = fail("not_in_channel")
	}
	return ch, err
}

func (s *Server) conversationsReplies(c *call) (object, error) {
	ch, err := s.readableChannel(c)
	if err != nil {
		return nil, err
	}
	m := s.state.message(ch.ID, c.get("ts"))
	if m == nil {
		return nil, fail("thread_not_found")
	}
	if m.ThreadTS != "" { // the ts of a reply returns only that reply
		return s.messagePage(c, []*Message{m}, 1000)
	}
	replies := inWindow(c, s.state.replies(ch.ID, m.TS))
	// The root is on the first page, whatever oldest is.
	return s.messagePage(c, slices.Insert(replies, 0, m), 1000)
}

func (s *Server) conversationsHistory(c *call) (object, error) {
	ch, err := s.readableChannel(c)
	if err != nil {
		return nil, err
	}
	list := inWindow(c, s.state.shown(ch.ID))
	slices.Reverse(list)
	reply, err := s.messagePage(c, list, 100)
	if err == nil {
		reply["pin_count"] = 0
	}
	return reply, err
}

// inWindow returns the messages between oldest and latest.
func inWindow(c *call, list []*Message) []*Message {
	oldest := c.get("oldest")
	latest := c.get("latest")
	inclusive := c.yes("inclusive")
	var kept []*Message
	for _, m := range list {
		tooOld := oldest != "" && oldest != "0" && (m.TS < oldest || m.TS == oldest && !inclusive)
		tooNew := latest != "" && (m.TS > latest || m.TS == latest && !inclusive)
		if !tooOld && !tooNew {
			kept = append(kept, m)
		}
	}
	return kept
}

func (s *Server) messagePage(c *call, list []*Message, byDefault int) (object, error) {
	part, next, err := page(c, list, byDefault, 1000)
	if err != nil {
		return nil, err
	}
	messages := make([]object, len(part))
	for i, m := range part {
		messages[i] = s.state.wireMessage(m, c.yes("include_all_metadata"))
	}
	reply := object{"messages": messages, "has_more": next != ""}
	if next != "" {
		reply["response_metadata"] = object{"next_cursor": next}
	}
	return reply, nil
}

func (s *Server) conversationsInfo(c *call) (object, error) {
	ch, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	w := s.state.wireChannel(ch)
	if c.yes("include_num_members") {
		w["num_members"] = len(ch.Members)
	}
	return object{"channel": w}, nil
}

func (s *Server) conversationsMembers(c *call) (object, error) {
	ch, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	part, next, err := page(c, ch.Members, 100, 1000)
	if err != nil {
		return nil, err
	}
	return object{"members": part, "response_metadata": object{"next_cursor": next}}, nil
}

func (s *Server) conversationsList(c *call) (object, error) {
	return s.channelPage(c, func(ch *Channel) bool { return ch.Kind == Public || s.state.appIn(ch) })
}

func (s *Server) usersConversations(c *call) (object, error) {
	user := c.get("user")
	if user == "" {
		user = s.state.app.BotUser
	}
	if s.state.users[user] == nil {
		return nil, fail("user_not_found")
	}
	return s.channelPage(c, func(ch *Channel) bool {
		return s.state.isMember(ch, user) && (ch.Kind == Public || s.state.appIn(ch))
	})
}

func (s *Server) channelPage(c *call, listed func(*Channel) bool) (object, error) {
	types := strings.Split(c.get("types"), ",")
	if c.get("types") == "" {
		types = []string{"public_channel"}
	}
	names := map[ChannelKind]string{Public: "public_channel", Private: "private_channel", IM: "im"}
	var found []object
	for _, ch := range sorted(s.state.channels) {
		if listed(ch) && slices.Contains(types, names[ch.Kind]) &&
			!(ch.Archived && c.yes("exclude_archived")) {
			found = append(found, s.state.wireChannel(ch))
		}
	}
	part, next, err := page(c, found, 100, 1000)
	if err != nil {
		return nil, err
	}
	return object{"channels": slices.Clip(part), "response_metadata": object{"next_cursor": next}}, nil
}

func (s *Server) conversationsOpen(c *call) (object, error) {
	if id := c.get("channel"); id != "" {
		ch := s.state.channels[id]
		if ch == nil || ch.Kind != IM || !s.state.appIn(ch) {
			return nil, fail("channel_not_found")
		}
		return object{"no_op": true, "already_open": true, "channel": s.opened(c, ch)}, nil
	}
	users := strings.Split(c.get("users"), ",")
	u := s.state.users[users[0]]
	switch {
	case c.get("users") == "":
		return nil, fail("users_list_not_supplied")
	case len(users) > 1:
		return nil, fail("method_not_supported_for_channel_type") // group messages are not supported here
	case u == nil:
		return nil, fail("user_not_found")
	case u.Deleted:
		return nil, fail("user_disabled")
	case u.Kind == Bot:
		return nil, fail("cannot_dm_bot")
	}
	return object{"channel": s.opened(c, s.state.openIM(u.ID))}, nil
}

func (s *Server) opened(c *call, ch *Channel) object {
	if c.yes("return_im") {
		return s.state.wireChannel(ch)
	}
	return object{"id": ch.ID}
}

func (s *Server) conversationsJoin(c *call) (object, error) {
	ch := s.state.channels[c.get("channel")]
	switch {
	case ch == nil, ch.Kind != Public:
		return nil, fail("channel_not_found")
	case ch.Archived:
		return nil, fail("is_archived")
	case s.state.appIn(ch):
		reply := object{"channel": s.state.wireChannel(ch)}
		warn(reply, "already_in_channel", "")
		return reply, nil
	}
	s.enter(ch, s.state.app.BotUser)
	return object{"channel": s.state.wireChannel(ch)}, nil
}
