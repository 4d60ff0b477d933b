package slacktest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// UserKind is a user's role in the workspace.
type UserKind string

// The kinds of user.
const (
	Member     UserKind = ""            // a full member
	Admin      UserKind = "admin"       // a full member with administrator rights
	Guest      UserKind = "guest"       // a guest in several channels: is_restricted
	UltraGuest UserKind = "ultra_guest" // a guest in one channel: is_restricted and is_ultra_restricted
	External   UserKind = "external"    // a member of another workspace, through Slack Connect
	Bot        UserKind = "bot"
)

// A User is a person or a bot. AddUser and AddBot fill in empty fields.
type User struct {
	ID       string
	Name     string // handle
	RealName string
	Email    string
	Kind     UserKind
	TeamID   string // for an External, another workspace's
	Deleted  bool   // deactivated
	TZ       string // time zone; empty: Europe/London
	TZOffset int    // its distance from UTC in seconds, as Slack tells beside it

	BotID string // only for bots
	AppID string
	Hook  bool // a bot without a user, such as an incoming webhook; it posts with the subtype bot_message
}

// ChannelKind says whether a channel is public, private or a direct message.
type ChannelKind string

// The kinds of channel.
const (
	Public  ChannelKind = ""
	Private ChannelKind = "private"
	IM      ChannelKind = "im"
)

// A Channel is a conversation. AddChannel fills in empty fields. The app is a member only if its bot user
// is in Members.
type Channel struct {
	ID       string
	Name     string // without #
	Kind     ChannelKind
	Members  []string // user ids
	Archived bool
	Shared   bool // shared with another workspace: is_ext_shared
	Topic    string
	Purpose  string
	Created  time.Time
}

// A UserGroup is a group of users, mentioned as <!subteam^S…>.
type UserGroup struct {
	ID      string
	Handle  string
	Name    string
	Users   []string
	Deleted bool
}

// A Message is a post, in a channel or in a thread.
type Message struct {
	Channel     string          `json:"channel"`
	TS          string          `json:"ts"`
	ThreadTS    string          `json:"thread_ts,omitempty"` // set for replies; empty for a root
	Subtype     string          `json:"subtype,omitempty"`
	User        string          `json:"user,omitempty"`
	BotID       string          `json:"bot_id,omitempty"`
	AppID       string          `json:"app_id,omitempty"`
	Username    string          `json:"username,omitempty"`
	Text        string          `json:"text"`
	Blocks      json.RawMessage `json:"blocks,omitempty"`
	Attachments json.RawMessage `json:"attachments,omitempty"`
	Files       []File          `json:"files,omitempty"`
	Metadata    *Metadata       `json:"metadata,omitempty"`
	Edited      *Edited         `json:"edited,omitempty"`
	Reactions   []Reaction      `json:"reactions,omitempty"`
	PinnedTo    []string        `json:"pinned_to,omitempty"`
	Broadcast   bool            `json:"broadcast,omitempty"` // a reply that also appears in the channel
	UnfurlLinks *bool           `json:"unfurl_links,omitempty"`
	UnfurlMedia *bool           `json:"unfurl_media,omitempty"`

	clientMsgID string
	former      []json.RawMessage // blocks before each edit, which a client may still show
}

// Controls returns the elements of the message that a person can click or choose, in order.
func (m Message) Controls() []blockkit.Control {
	var blocks []object
	if json.Unmarshal(m.Blocks, &blocks) != nil {
		return nil
	}
	return blockkit.Controls(blocks)
}

// Pressable returns the controls of the message, followed by the controls that it had before each edit,
// which a client may still show.
func (m Message) Pressable() []blockkit.Control {
	list := m.Controls()
	for _, blocks := range slices.Backward(m.former) {
		list = append(list, Message{Blocks: blocks}.Controls()...)
	}
	return list
}

// Metadata is data that an app attaches to a message and that people do not see.
type Metadata struct {
	EventType    string          `json:"event_type"`
	EventPayload json.RawMessage `json:"event_payload"`
}

// Edited says who edited a message last, and when.
type Edited struct {
	User string `json:"user"`
	TS   string `json:"ts"`
}

// A Reaction is an emoji under a message, with the users who added it.
type Reaction struct {
	Name  string   `json:"name"`
	Users []string `json:"users"`
}

// state is the workspace. Server.mu guards all of it except app, which never changes.
type state struct {
	app  App
	team string
	// showEmail means that the token has the scope users:read.email.
	showEmail bool
	now       func() time.Time
	users     map[string]*User
	channels  map[string]*Channel
	groups    map[string]*UserGroup
	// by channel, oldest first
	messages map[string][]*Message
	// ephemeral messages, as they were shown
	private  []Message
	views    map[string]*View
	triggers map[string]*trigger
	hooks    map[string]*responseHook
	tickets  map[string]ticket
	// by file id
	uploads map[string]*upload
	// statuses that the app set
	statuses []string
	// statuses that are shown, by "channel ts"
	status map[string]string
	lastTS int64
	serial int
}

func newState(cfg Config) state {
	st := state{
		team: cfg.TeamName, now: cfg.Now,
		users: map[string]*User{}, channels: map[string]*Channel{}, groups: map[string]*UserGroup{},
		messages: map[string][]*Message{}, views: map[string]*View{}, triggers: map[string]*trigger{},
		hooks: map[string]*responseHook{}, tickets: map[string]ticket{}, uploads: map[string]*upload{},
		status: map[string]string{},
	}
	st.app = App{
		ID: st.id("A"), Name: cfg.AppName, TeamID: st.id("T"), BotUser: st.id("U"), BotID: st.id("B"),
		BotToken: cfg.BotToken, AppToken: cfg.AppToken,
	}
	st.users["USLACKBOT"] = &User{
		ID:       "USLACKBOT",
		Name:     "slackbot",
		RealName: "Slackbot",
		TeamID:   st.app.TeamID,
	}
	st.users[st.app.BotUser] = &User{
		ID: st.app.BotUser, Name: cfg.AppName, RealName: cfg.AppName, Kind: Bot,
		TeamID: st.app.TeamID, BotID: st.app.BotID, AppID: st.app.ID,
	}
	return st
}

// id returns a new identifier in Slack's form. Identifiers count up, so that test runs are alike.
func (s *state) id(prefix string) string {
	s.serial++
	return fmt.Sprintf("%s%08X", prefix, s.serial+0xA0000)
}

// stamp returns the current time as a timestamp that was never returned before.
func (s *state) stamp() string {
	micro := max(s.now().UnixMicro(), s.lastTS+1)
	s.lastTS = micro
	return fmt.Sprintf("%010d.%06d", micro/1e6, micro%1e6)
}

// channel finds a channel by id or by name, with or without #.
func (s *state) channel(name string) *Channel {
	if ch := s.channels[name]; ch != nil {
		return ch
	}
	name = strings.TrimPrefix(name, "#")
	for _, ch := range s.channels {
		if ch.Name == name && name != "" {
			return ch
		}
	}
	return nil
}

func (s *state) message(channel, ts string) *Message {
	list := s.messages[channel]
	at, found := slices.BinarySearchFunc(list, ts,
		func(m *Message, ts string) int { return cmp.Compare(m.TS, ts) })
	if !found {
		return nil
	}
	return list[at]
}

func (s *state) add(m *Message) { s.messages[m.Channel] = append(s.messages[m.Channel], m) }

func (s *state) remove(m *Message) {
	s.messages[m.Channel] = slices.DeleteFunc(s.messages[m.Channel],
		func(o *Message) bool { return o == m })
}

func (s *state) replies(channel, root string) []*Message {
	var replies []*Message
	for _, m := range s.messages[channel] {
		if m.ThreadTS == root {
			replies = append(replies, m)
		}
	}
	return replies
}

// thread returns the root, unless it is gone, and the replies, oldest first.
func (s *state) thread(channel, root string) []*Message {
	replies := s.replies(channel, root)
	if m := s.message(channel, root); m != nil {
		return slices.Insert(replies, 0, m)
	}
	return replies
}

// root returns the ts to reply to: that of the root if the message is itself a reply, or "" if there is no
// such message.
func (s *state) root(channel, ts string) string {
	m := s.message(channel, ts)
	switch {
	case m == nil:
		return ""
	case m.ThreadTS != "":
		return m.ThreadTS
	}
	return m.TS
}

func (s *state) isMember(ch *Channel, user string) bool { return slices.Contains(ch.Members, user) }

// appIn reports whether the app is a member of the channel and so gets its events.
func (s *state) appIn(ch *Channel) bool { return s.isMember(ch, s.app.BotUser) }

func (s *state) botByID(id string) *User {
	for _, u := range s.users {
		if u.BotID == id && id != "" {
			return u
		}
	}
	return nil
}

// sorted returns the values of a map in the order of their ids, which is the order of their creation.
func sorted[T any](m map[string]T) []T {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	values := make([]T, 0, len(m))
	for _, k := range keys {
		values = append(values, m[k])
	}
	return values
}

// clone returns a copy of m for use without the lock.
func (m *Message) clone() Message {
	c := *m
	c.Reactions = slices.Clone(m.Reactions)
	c.Files = slices.Clone(m.Files)
	for i := range c.Reactions {
		c.Reactions[i].Users = slices.Clone(c.Reactions[i].Users)
	}
	return c
}
