package slacktest

import (
	"strings"
	"time"
)

// Every change of a message goes through the functions in this file, which update the state, record the
// change and send the events in one step. The caller holds mu.

// post stores a new message and sends the event to the app.
func (s *Server) post(ch *Channel, m *Message) {
	m.Channel = ch.ID
	m.TS = s.state.stamp()
	s.state.add(m)
	s.note(Posted, m)
	if !s.state.appIn(ch) {
		return
	}
	event := s.state.wireMessage(m, false)
	event["channel"] = ch.ID
	event["channel_type"] = channelType(ch)
	event["event_ts"] = m.TS
	if len(m.Files) > 0 && m.Subtype == "" {
		event["subtype"] = "file_share" // only in the event: a message read from the thread has no subtype
	}
	if m.Broadcast {
		event["subtype"] = "thread_broadcast"
		if root := s.state.message(ch.ID, m.ThreadTS); root != nil {
			event["root"] = s.state.wireMessage(root, false)
		}
	}
	s.mention(ch, m, event)
	s.emit(ch, event)
}

// mention sends app_mention in addition to the message event. There is none for direct messages or for the
// app's own posts.
func (s *Server) mention(ch *Channel, m *Message, message object) {
	written := m.Subtype == "" || m.Subtype == "bot_message" // not "@app has joined the channel"
	if ch.Kind == IM || m.BotID == s.state.app.BotID || !written || !s.state.mentionsApp(m.Text) {
		return
	}
	event := object{"type": "app_mention", "channel": ch.ID, "event_ts": message["event_ts"]}
	for _, key := range []string{
		"user", "text", "ts", "thread_ts", "team", "blocks", "bot_id", "client_msg_id", "edited",
		"attachments", "files",
	} {
		if v, has := message[key]; has && !(s.cfg.BareMentions && (key == "attachments" || key == "files")) {
			event[key] = v
		}
	}
	s.emit(ch, event)
}

func (s *state) mentionsApp(text string) bool {
	return strings.Contains(text, "<@"+s.app.BotUser+">") || strings.Contains(text, "<@"+s.app.BotUser+"|")
}

// change edits a message by calling apply. An empty editor stands for Slack itself, which unfurls a link:
// the change then has no "edited".
func (s *Server) change(ch *Channel, m *Message, editor string, apply func()) {
	before := s.state.wireMessage(m, false)
	if m.Blocks != nil {
		m.former = append(m.former, m.Blocks)
	}
	apply()
	stamp := s.state.stamp()
	if editor != "" {
		// Slack records the time of an edit in whole seconds.
		m.Edited = &Edited{User: editor, TS: stamp[:strings.IndexByte(stamp, '.')] + ".000000"}
	}
	s.note(Updated, m)
	s.changedEvent(ch, m, before, stamp)
	if editor != "" {
		again := s.state.wireMessage(m, false)
		again["event_ts"] = stamp
		if s.state.appIn(ch) {
			s.mention(ch, m, again)
		}
	}
}

func (s *Server) changedEvent(ch *Channel, m *Message, before object, stamp string) {
	if !s.state.appIn(ch) {
		return
	}
	s.emit(ch, object{
		"type":             "message",
		"subtype":          "message_changed",
		"hidden":           true,
		"channel":          ch.ID,
		"channel_type":     channelType(ch),
		"ts":               stamp,
		"event_ts":         stamp,
		"message":          s.state.wireMessage(m, false),
		"previous_message": before,
	})
}

// erase deletes a message. A root with replies stays as a tombstone until its last reply is deleted.
func (s *Server) erase(ch *Channel, m *Message) {
	before := s.state.wireMessage(m, false)
	if len(s.state.replies(ch.ID, m.TS)) > 0 && m.ThreadTS == "" {
		*m = Message{
			Channel: m.Channel,
			TS:      m.TS,
			Subtype: "tombstone",
			User:    "USLACKBOT",
			Text:    "This message was deleted.",
		}
		s.note(Deleted, m)
		s.changedEvent(ch, m, before, s.state.stamp())
		return
	}
	s.state.remove(m)
	s.note(Deleted, m)
	if s.state.appIn(ch) {
		stamp := s.state.stamp()
		s.emit(ch, object{
			"type":             "message",
			"subtype":          "message_deleted",
			"hidden":           true,
			"channel":          ch.ID,
			"channel_type":     channelType(ch),
			"ts":               stamp,
			"event_ts":         stamp,
			"deleted_ts":       m.TS,
			"previous_message": before,
		})
	}
	root := s.state.message(ch.ID, m.ThreadTS)
	if root != nil && root.Subtype == "tombstone" && len(s.state.replies(ch.ID, root.TS)) == 0 {
		s.erase(ch, root)
	}
}

// whisper stores an ephemeral message, which only the user to sees.
func (s *Server) whisper(m *Message, to string) {
	m.TS = s.state.stamp()
	s.state.private = append(s.state.private, m.clone())
	change := Change{Kind: Whispered, Message: m.clone(), To: to}
	s.record(change)
}

// permalink returns the URL at which a person finds the message.
func (s *Server) permalink(m *Message) string {
	link := "https://" + s.state.domain() + ".slack.com/archives/" + m.Channel + "/p" +
		strings.ReplaceAll(m.TS, ".", "")
	if m.ThreadTS != "" {
		link += "?thread_ts=" + m.ThreadTS + "&cid=" + m.Channel
	}
	return link
}

func (s *state) domain() string { return strings.ToLower(strings.ReplaceAll(s.team, " ", "-")) }

func (s *state) openIM(user string) *Channel {
	for _, ch := range s.channels {
		if ch.Kind == IM && s.appIn(ch) && s.isMember(ch, user) {
			return ch
		}
	}
	ch := &Channel{
		ID:      s.id("D"),
		Kind:    IM,
		Members: []string{user, s.app.BotUser},
		Created: s.now().Truncate(time.Second),
	}
	s.channels[ch.ID] = ch
	return ch
}
