package slacktest

import (
	"encoding/json"
	"fmt"
)

// kept is a workspace put down, to be opened again by another server.
type kept struct {
	App      App
	Users    []*User
	Channels []*Channel
	Groups   []*UserGroup
	Messages []keptMessage
	Events   []keptEvent
	LastTS   int64
	Serial   int
}

type keptMessage struct {
	Message
	ClientMsgID string `json:"client_msg_id,omitempty"`
}

type keptEvent struct {
	ID, Type string
	Payload  json.RawMessage
}

// Keep puts the workspace down: its people, channels and messages, and the events that the
// app was sent. A server whose Config.Kept it is goes on from there with the same ids and
// timestamps, as Slack does while a bot is moved or upgraded. Connections, open views and
// the contents of files are not kept.
func (s *Server) Keep() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &s.state
	k := kept{
		App: st.app, Users: sorted(st.users), Channels: sorted(st.channels), Groups: sorted(st.groups),
		LastTS: st.lastTS, Serial: st.serial,
	}
	for _, ch := range k.Channels {
		for _, m := range st.messages[ch.ID] {
			k.Messages = append(k.Messages, keptMessage{*m, m.clientMsgID})
		}
	}
	for _, d := range sorted(s.socket.events) {
		k.Events = append(k.Events, keptEvent{d.eventID, d.eventType, d.payload})
	}
	b, err := json.MarshalIndent(k, "", " ")
	if err != nil {
		return nil, fmt.Errorf("slacktest: keep the workspace: %w", err)
	}
	return b, nil
}

// takeUp goes on from a workspace that was kept. The tokens are those of the Config.
func (s *Server) takeUp(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	var k kept
	if err := json.Unmarshal(b, &k); err != nil {
		return fmt.Errorf("slacktest: Config.Kept is not what Keep gave: %w", err)
	}
	st := &s.state
	k.App.BotToken, k.App.AppToken = st.app.BotToken, st.app.AppToken
	clear(st.users)
	st.app, st.lastTS, st.serial = k.App, k.LastTS, k.Serial
	for _, u := range k.Users {
		st.users[u.ID] = u
	}
	for _, ch := range k.Channels {
		st.channels[ch.ID] = ch
	}
	for _, g := range k.Groups {
		st.groups[g.ID] = g
	}
	for _, m := range k.Messages {
		message := m.Message
		message.clientMsgID = m.ClientMsgID
		st.add(&message)
	}
	for _, e := range k.Events {
		s.socket.events[e.ID] = &delivery{kind: "events_api", eventID: e.ID, eventType: e.Type, payload: e.Payload, attempt: 1}
	}
	return nil
}

// Events are the ids of all events that the app was sent or is to be sent, oldest first.
func (s *Server) Events() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, d := range sorted(s.socket.events) {
		ids = append(ids, d.eventID)
	}
	return ids
}
