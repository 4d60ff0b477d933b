package slacktest

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// The methods in this file act for people: each does what a person can do in Slack. A channel is named by
// id or by name. An action that Slack would not permit returns an error.

// AddUser adds a user to the workspace, or, for an External, a user of another workspace.
func (s *Server) AddUser(u User) User {
	s.mu.Lock()
	defer s.mu.Unlock()
	orElse(&u.ID, s.state.id("U"))
	orElse(&u.Name, "user-"+u.ID)
	orElse(&u.RealName, u.Name)
	if u.Kind == External {
		orElse(&u.TeamID, s.state.id("T"))
	}
	orElse(&u.TeamID, s.state.app.TeamID)
	s.state.users[u.ID] = &u
	return u
}

// AddBot adds another app's bot, or an incoming webhook if Hook is set.
func (s *Server) AddBot(u User) User {
	u.Kind = Bot
	s.mu.Lock()
	orElse(&u.BotID, s.state.id("B"))
	orElse(&u.AppID, s.state.id("A"))
	s.mu.Unlock()
	return s.AddUser(u)
}

// AddChannel adds a channel with its members.
func (s *Server) AddChannel(ch Channel) Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	prefix := "C"
	if ch.Kind == IM {
		prefix = "D"
	}
	orElse(&ch.ID, s.state.id(prefix))
	if ch.Kind != IM {
		orElse(&ch.Name, "channel-"+ch.ID)
	}
	orElse(&ch.Created, s.cfg.Now().Truncate(time.Second))
	ch.Members = slices.Clone(ch.Members)
	kept := ch
	s.state.channels[ch.ID] = &kept
	return ch
}

// AddGroup adds a user group.
func (s *Server) AddGroup(g UserGroup) UserGroup {
	s.mu.Lock()
	defer s.mu.Unlock()
	orElse(&g.ID, s.state.id("S"))
	orElse(&g.Handle, "group-"+g.ID)
	orElse(&g.Name, g.Handle)
	kept := g
	kept.Users = slices.Clone(g.Users)
	s.state.groups[g.ID] = &kept
	return g
}

// ChangeUser changes a user, for instance to deactivate it.
func (s *Server) ChangeUser(id string, change func(*User)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.state.users[id]
	if u == nil {
		return fmt.Errorf("slacktest: no user %q", id)
	}
	change(u)
	return nil
}

// ChangeChannel changes a channel, for instance to archive it. It sends no event.
func (s *Server) ChangeChannel(channel string, change func(*Channel)) error {
	return s.withChannel(channel, func(ch *Channel) error {
		change(ch)
		return nil
	})
}

// ChangeGroup sets the users of a user group and sends the event to the app.
func (s *Server) ChangeGroup(id string, users []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.state.groups[id]
	if g == nil {
		return fmt.Errorf("slacktest: no user group %q", id)
	}
	added := without(users, g.Users)
	removed := without(g.Users, users)
	g.Users = slices.Clone(users)
	s.emit(nil, object{
		"type":                "subteam_members_changed",
		"subteam_id":          id,
		"team_id":             s.state.app.TeamID,
		"added_users":         added,
		"added_users_count":   len(added),
		"removed_users":       removed,
		"removed_users_count": len(removed),
	})
	return nil
}

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(u string) bool { return slices.Contains(others, u) })
}

// Join adds a user, or the app's bot, to a channel, with the message that Slack posts for it.
func (s *Server) Join(channel, user string) error {
	return s.withChannel(channel, func(ch *Channel) error {
		if s.state.users[user] == nil {
			return fmt.Errorf("slacktest: no user %q", user)
		}
		if !s.state.isMember(ch, user) {
			s.enter(ch, user)
		}
		return nil
	})
}

func (s *Server) enter(ch *Channel, user string) {
	ch.Members = append(ch.Members, user)
	s.memberEvent("member_joined_channel", ch, user)
	s.post(ch, &Message{User: user, Subtype: "channel_join", Text: "<@" + user + "> has joined the channel"})
}

// Leave removes a user, or the app's bot, from a channel.
func (s *Server) Leave(channel, user string) error {
	return s.withChannel(channel, func(ch *Channel) error {
		if !s.state.isMember(ch, user) {
			return fmt.Errorf("slacktest: %s is not in #%s", user, ch.Name)
		}
		s.memberEvent("member_left_channel", ch, user)
		ch.Members = slices.DeleteFunc(ch.Members, func(u string) bool { return u == user })
		return nil
	})
}

func (s *Server) memberEvent(kind string, ch *Channel, user string) {
	if !s.state.appIn(ch) {
		return
	}
	letter := map[ChannelKind]string{Public: "C", Private: "G", IM: "D"}[ch.Kind]
	s.emit(ch, object{
		"type":         kind,
		"user":         user,
		"channel":      ch.ID,
		"channel_type": letter,
		"team":         s.state.app.TeamID,
		"event_ts":     s.state.stamp(),
	})
}

// OpenIM returns the direct conversation of a user with the app, and creates it if necessary.
func (s *Server) OpenIM(user string) (Channel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.users[user] == nil {
		return Channel{}, fmt.Errorf("slacktest: no user %q", user)
	}
	return *s.state.openIM(user), nil
}

// Say writes a message as a person, into a thread unless threadTS is empty, and returns its ts. The text is
// in Slack's format: <@U…> is a mention.
func (s *Server) Say(channel, user, text, threadTS string) (ts string, err error) {
	return s.says(channel, user, text, threadTS, func(*Message) {})
}

func (s *Server) says(channel, user, text, threadTS string, with func(*Message)) (ts string, err error) {
	err = s.withChannel(channel, func(ch *Channel) error {
		if err := s.mayWrite(ch, user); err != nil {
			return err
		}
		m := &Message{User: user, Text: text, clientMsgID: newUUID(), Blocks: s.state.richText(text)}
		if err := s.intoThread(ch, m, threadTS); err != nil {
			return err
		}
		with(m)
		s.post(ch, m)
		ts = m.TS
		return nil
	})
	return ts, err
}

func (s *Server) mayWrite(ch *Channel, user string) error {
	u := s.state.users[user]
	switch {
	case u == nil:
		return fmt.Errorf("slacktest: no user %q", user)
	case u.Deleted:
		return fmt.Errorf("slacktest: %s is deactivated", u.Name)
	case ch.Archived:
		return fmt.Errorf("slacktest: #%s is archived", ch.Name)
	case !s.state.isMember(ch, user):
		return fmt.Errorf("slacktest: %s is not in #%s", u.Name, ch.Name)
	}
	return nil
}

func (s *Server) intoThread(ch *Channel, m *Message, threadTS string) error {
	if threadTS == "" {
		return nil
	}
	m.ThreadTS = s.state.root(ch.ID, threadTS)
	if m.ThreadTS == "" {
		return fmt.Errorf("slacktest: no message %s in #%s to reply to", threadTS, ch.Name)
	}
	return nil
}

// SayAsBot writes a message as another app's bot.
func (s *Server) SayAsBot(channel, bot, text, threadTS string) (ts string, err error) {
	return s.PostAsBot(channel, bot, Message{Text: text, ThreadTS: threadTS})
}

// PostAsBot posts a message of another app's bot: the text, blocks and attachments of m, into the thread of
// m.ThreadTS unless it is empty. A message with only text gets a rich_text block, as a person's does.
func (s *Server) PostAsBot(channel, bot string, m Message) (ts string, err error) {
	err = s.withChannel(channel, func(ch *Channel) error {
		u := s.state.users[bot]
		if u == nil {
			u = s.state.botByID(bot)
		}
		if u == nil || u.BotID == "" {
			return fmt.Errorf("slacktest: no bot %q", bot)
		}
		post := &Message{
			User:        u.ID,
			BotID:       u.BotID,
			AppID:       u.AppID,
			Text:        m.Text,
			Blocks:      m.Blocks,
			Attachments: m.Attachments,
		}
		if len(m.Blocks)+len(m.Attachments) == 0 {
			post.Blocks = s.state.richText(m.Text)
		}
		if u.Hook {
			post.User = ""
			post.AppID = ""
			post.Username = u.Name
			post.Subtype = "bot_message"
			post.Blocks = nil
		}
		if err := s.intoThread(ch, post, m.ThreadTS); err != nil {
			return err
		}
		s.post(ch, post)
		ts = post.TS
		return nil
	})
	return ts, err
}

// Edit changes the text of a person's message.
func (s *Server) Edit(channel, ts, text string) error {
	return s.withMessage(channel, ts, func(ch *Channel, m *Message) error {
		if m.Subtype == "tombstone" {
			return errors.New("slacktest: that message was deleted")
		}
		s.change(ch, m, m.User, func() {
			m.Text = text
			m.Blocks = s.state.richText(text)
		})
		return nil
	})
}

// Unfurl adds a link preview to a message, as Slack does by itself: a message_changed event without an edit
// by a person. An empty title is the address.
func (s *Server) Unfurl(channel, ts, url, title, text string) error {
	orElse(&title, url)
	return s.withMessage(channel, ts, func(ch *Channel, m *Message) error {
		s.change(ch, m, "", func() {
			m.Attachments = mustJSON([]object{{
				"from_url":     url,
				"original_url": url,
				"fallback":     title,
				"id":           1,
				"title":        title,
				"title_link":   url,
				"text":         text,
			}})
		})
		return nil
	})
}

// Delete deletes a message.
func (s *Server) Delete(channel, ts string) error {
	return s.withMessage(channel, ts, func(ch *Channel, m *Message) error {
		if m.Subtype == "tombstone" {
			return errors.New("slacktest: that message was deleted")
		}
		s.erase(ch, m)
		return nil
	})
}

// React adds a reaction to a message. The emoji is named without colons.
func (s *Server) React(channel, ts, user, emoji string) error {
	return s.withMessage(channel, ts,
		func(ch *Channel, m *Message) error { return s.react(ch, m, user, emoji) })
}

// Unreact removes a reaction.
func (s *Server) Unreact(channel, ts, user, emoji string) error {
	return s.withMessage(channel, ts,
		func(ch *Channel, m *Message) error { return s.unreact(ch, m, user, emoji) })
}

func (s *Server) withChannel(channel string, do func(*Channel) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.state.channel(channel)
	if ch == nil {
		return fmt.Errorf("slacktest: no channel %q", channel)
	}
	return do(ch)
}

func (s *Server) withMessage(channel, ts string, do func(*Channel, *Message) error) error {
	return s.withChannel(channel, func(ch *Channel) error {
		m := s.state.message(ch.ID, ts)
		if m == nil {
			return fmt.Errorf("slacktest: no message %s in #%s", ts, ch.Name)
		}
		return do(ch, m)
	})
}

// Users returns all people and bots of the workspace, in the order of their creation.
func (s *Server) Users() []User {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []User
	for _, u := range sorted(s.state.users) {
		list = append(list, *u)
	}
	return list
}

// Channels returns all conversations of the workspace, in the order of their creation.
func (s *Server) Channels() []Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Channel
	for _, ch := range sorted(s.state.channels) {
		kept := *ch
		kept.Members = slices.Clone(ch.Members)
		list = append(list, kept)
	}
	return list
}
