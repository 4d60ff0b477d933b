package slacktest

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

const (
	maxText       = 40_000 // characters; a longer text is cut
	maxUpdateText = 4_000  // characters; a longer text fails with msg_too_long
	maxMetadata   = 16 << 10
)

// target returns the channel to post to: by id, by name, or by a user's id for a direct message.
func (s *Server) target(c *call) (*Channel, error) {
	name := c.get("channel")
	ch := s.state.channel(name)
	if u := s.state.users[name]; ch == nil && u != nil {
		ch = s.state.openIM(u.ID)
	}
	switch {
	case ch == nil, ch.Kind != Public && !s.state.appIn(ch):
		return nil, fail("channel_not_found")
	case !s.state.appIn(ch):
		return nil, fail("not_in_channel")
	case ch.Archived:
		return nil, fail("is_archived")
	}
	return ch, nil
}

func (s *Server) chatPostMessage(c *call) (object, error) {
	ch, err := s.target(c)
	if err != nil {
		return nil, err
	}
	m, err := s.compose(c, ch)
	if err != nil {
		return nil, err
	}
	cut := truncate(m)
	if thread := c.get("thread_ts"); thread != "" {
		// A missing root does not fail the post: the reply goes to the channel.
		m.ThreadTS = s.state.root(ch.ID, thread)
		m.Broadcast = m.ThreadTS != "" && c.yes("reply_broadcast")
	}
	s.post(ch, m)
	reply := object{"channel": ch.ID, "ts": m.TS, "message": s.state.wireMessage(m, true)}
	if cut {
		warn(reply, "message_truncated", "Your message was truncated but still posted. The `text` field accepts up to 40,000 characters.")
	}
	return reply, nil
}

// compose builds the app's message from the arguments that all posting methods share.
func (s *Server) compose(c *call, ch *Channel) (*Message, error) {
	m := &Message{
		Channel: ch.ID, User: s.state.app.BotUser, BotID: s.state.app.BotID, AppID: s.state.app.ID,
		Text: c.get("text"), UnfurlLinks: c.flag("unfurl_links"), UnfurlMedia: c.flag("unfurl_media"),
	}
	var err error
	if m.Blocks, err = s.blocksArg(c, blockkit.MaxMessageBlocks); err != nil {
		return nil, err
	}
	if m.Attachments, err = listArg(c, "attachments", "invalid_attachments"); err != nil {
		return nil, err
	}
	if m.Text == "" && m.Blocks == nil && m.Attachments == nil {
		return nil, fail("no_text")
	}
	m.Metadata, err = metadataArg(c)
	return m, err
}

// truncate cuts a text that is too long and reports whether it did.
func truncate(m *Message) bool {
	if utf8.RuneCountInString(m.Text) <= maxText {
		return false
	}
	m.Text = string([]rune(m.Text)[:maxText])
	return true
}

func listArg(c *call, name, code string) (json.RawMessage, error) {
	text := c.get(name)
	if text == "" {
		return nil, nil
	}
	var list []object
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil, fail(code)
	}
	if len(list) == 0 {
		return nil, nil
	}
	return json.RawMessage(text), nil
}

func metadataArg(c *call) (*Metadata, error) {
	text := c.get("metadata")
	if text == "" {
		return nil, nil
	}
	if len(text) > maxMetadata {
		return nil, fail("metadata_too_large")
	}
	var fields struct {
		EventType    string         `json:"event_type"`
		EventPayload map[string]any `json:"event_payload"`
	}
	if json.Unmarshal([]byte(text), &fields) != nil || fields.EventType == "" || fields.EventPayload == nil {
		return nil, fail("invalid_metadata_format")
	}
	return &Metadata{EventType: fields.EventType, EventPayload: mustJSON(fields.EventPayload)}, nil
}

// own returns the app's own message that a call wants to change, with its channel.
func (s *Server) own(c *call, refusal, archived string) (*Channel, *Message, error) {
	ch := s.state.channels[c.get("channel")]
	if ch == nil || ch.Kind != Public && !s.state.appIn(ch) {
		return nil, nil, fail("channel_not_found")
	}
	m := s.state.message(ch.ID, c.get("ts"))
	switch {
	case m == nil:
		return nil, nil, fail("message_not_found")
	case m.BotID != s.state.app.BotID || m.Subtype == "tombstone":
		return nil, nil, fail(refusal)
	case ch.Archived:
		return nil, nil, fail(archived)
	}
	return ch, m, nil
}

func (s *Server) chatUpdate(c *call) (object, error) {
	ch, m, err := s.own(c, "cant_update_message", "is_inactive")
	if err != nil {
		return nil, err
	}
	next, err := s.compose(c, ch)
	if err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(next.Text) > maxUpdateText {
		return nil, fail("msg_too_long")
	}
	if !c.has("text") {
		next.Text = m.Text
	}
	s.change(ch, m, m.User, func() {
		// Text without blocks removes the blocks; metadata stays unless the call has metadata.
		m.Text, m.Blocks, m.Attachments = next.Text, next.Blocks, next.Attachments
		if next.Metadata != nil {
			m.Metadata = next.Metadata
		}
	})
	return object{"channel": ch.ID, "ts": m.TS, "text": m.Text, "message": s.state.wireMessage(m, true)}, nil
}

func (s *Server) chatDelete(c *call) (object, error) {
	ch, m, err := s.own(c, "cant_delete_message", "is_archived")
	if err != nil {
		return nil, err
	}
	s.erase(ch, m)
	return object{"channel": ch.ID, "ts": m.TS}, nil
}

func (s *Server) chatPostEphemeral(c *call) (object, error) {
	ch, err := s.target(c)
	if err != nil {
		return nil, err
	}
	if !s.state.isMember(ch, c.get("user")) {
		return nil, fail("user_not_in_channel")
	}
	m, err := s.compose(c, ch)
	if err != nil {
		return nil, err
	}
	m.ThreadTS = c.get("thread_ts")
	s.whisper(m, c.get("user"))
	return object{"message_ts": m.TS}, nil
}

func (s *Server) chatGetPermalink(c *call) (object, error) {
	ch := s.state.channels[c.get("channel")]
	if ch == nil {
		return nil, fail("channel_not_found")
	}
	m := s.state.message(ch.ID, c.get("message_ts"))
	if m == nil {
		return nil, fail("message_not_found")
	}
	return object{"channel": ch.ID, "permalink": s.permalink(m)}, nil
}
