package slacktest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// A kept is a saved workspace that another server can open, or, in a line of Config.File, the changes to a
// workspace.
type kept struct {
	Address  string        `json:",omitempty"` // address that the server listened on
	App      *App          `json:",omitempty"`
	Users    []*User       `json:",omitempty"`
	Channels []*Channel    `json:",omitempty"`
	Groups   []*UserGroup  `json:",omitempty"`
	Messages []keptMessage `json:",omitempty"`
	Views    []keptView    `json:",omitempty"`
	Files    []keptFile    `json:",omitempty"`
	Events   []keptEvent   `json:",omitempty"`
	Gone     []string      `json:",omitempty"` // ids of removed items, and of acknowledged events
	LastTS   int64
	Serial   int
}

type keptMessage struct {
	Message
	ClientMsgID string `json:"client_msg_id,omitempty"`
}

type keptView struct {
	View
	Fields            object
	Hash, Root, Above string
}

type keptFile struct {
	File
	Content []byte
}

type keptEvent struct {
	ID, Type string
	Payload  json.RawMessage
}

// Keep saves the workspace: its users, channels and messages, and the events that the app was sent. A
// server with the result as Config.Kept continues with the same ids and timestamps, as Slack does while a
// bot is moved or upgraded. Connections, open views and the contents of files are not saved: see
// Config.File.
func (s *Server) Keep() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &s.state
	k := kept{
		App: &st.app, Users: sorted(st.users), Channels: sorted(st.channels), Groups: sorted(st.groups),
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

func (s *Server) restoreKept(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	var k kept
	if err := json.Unmarshal(b, &k); err != nil {
		return fmt.Errorf("slacktest: Config.Kept is not what Keep gave: %w", err)
	}
	s.applySaved(k)
	return nil
}

// applySaved applies saved state on top of the current state. The tokens stay those of the Config.
func (s *Server) applySaved(k kept) {
	st := &s.state
	if k.App != nil {
		k.App.BotToken, k.App.AppToken = st.app.BotToken, st.app.AppToken
		clear(st.users)
		st.app = *k.App
	}
	st.lastTS, st.serial = max(st.lastTS, k.LastTS), max(st.serial, k.Serial)
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
		if old := st.message(m.Channel, m.TS); old != nil {
			*old = message
		} else {
			st.add(&message)
		}
	}
	for _, v := range k.Views {
		view := v.View
		view.fields, view.blocks = v.Fields, blockkit.Objects(v.Fields["blocks"])
		view.hash, view.root, view.parentView = v.Hash, v.Root, v.Above
		st.views[view.ID] = &view
	}
	for _, f := range k.Files {
		st.uploads[f.ID] = &upload{File: f.File, content: f.Content, sent: true, done: true}
	}
	for _, e := range k.Events {
		s.socket.events[e.ID] = &delivery{kind: "events_api", eventID: e.ID, eventType: e.Type, payload: e.Payload, attempt: 1}
	}
	for _, id := range k.Gone {
		s.forget(id)
	}
}

// forget removes the item with the given id; the id of a message is channel/ts.
func (s *Server) forget(id string) {
	st := &s.state
	if channel, ts, is := strings.Cut(id, "/"); is {
		if m := st.message(channel, ts); m != nil {
			st.remove(m)
		}
		return
	}
	delete(st.users, id)
	delete(st.channels, id)
	delete(st.groups, id)
	delete(st.views, id)
	delete(st.uploads, id)
	delete(s.socket.events, id)
}

// Events returns the ids of all events that the app was sent or will be sent, oldest first.
func (s *Server) Events() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, d := range sorted(s.socket.events) {
		ids = append(ids, d.eventID)
	}
	return ids
}
