package slacktest

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// The functions in this file convert the state to Slack's JSON form.

func (s *state) wireMessage(m *Message, metadata bool) object {
	w := object{"type": "message", "ts": m.TS, "text": m.Text, "team": s.app.TeamID}
	put(w, "user", m.User)
	put(w, "subtype", m.Subtype)
	put(w, "client_msg_id", m.clientMsgID)
	put(w, "username", m.Username)
	if u := s.users[m.User]; u != nil && u.TeamID != "" {
		w["team"] = u.TeamID
	}
	if m.BotID != "" {
		w["bot_id"] = m.BotID
		put(w, "app_id", m.AppID)
		if m.Subtype == "" {
			w["bot_profile"] = s.wireBot(m.BotID)
		}
	}
	if len(m.Blocks) > 0 {
		w["blocks"] = m.Blocks
	}
	if len(m.Attachments) > 0 {
		w["attachments"] = m.Attachments
	}
	if len(m.Files) > 0 {
		w["files"] = wireFiles(m.Files)
		w["upload"] = false
		w["display_as_bot"] = false
	}
	if m.Edited != nil {
		w["edited"] = m.Edited
	}
	if m.Metadata != nil && metadata {
		w["metadata"] = m.Metadata
	}
	if reactions := wireReactions(m); len(reactions) > 0 {
		w["reactions"] = reactions
	}
	if len(m.PinnedTo) > 0 {
		w["pinned_to"] = m.PinnedTo
	}
	s.wireThread(w, m)
	if m.Subtype == "tombstone" {
		w["hidden"] = true
		w["parent_user_id"] = m.User
	}
	return w
}

// wireThread adds the fields that connect a message to its thread.
func (s *state) wireThread(w object, m *Message) {
	if m.ThreadTS != "" {
		w["thread_ts"] = m.ThreadTS
		if root := s.message(m.Channel, m.ThreadTS); root != nil {
			w["parent_user_id"] = root.User
		}
		return
	}
	replies := s.replies(m.Channel, m.TS)
	if len(replies) == 0 {
		return
	}
	var users []string
	for _, r := range replies {
		if !slices.Contains(users, r.User) {
			users = append(users, r.User)
		}
	}
	w["thread_ts"] = m.TS
	w["reply_count"] = len(replies)
	w["reply_users"] = users
	w["reply_users_count"] = len(users)
	w["latest_reply"] = replies[len(replies)-1].TS
	w["is_locked"] = false
	w["subscribed"] = slices.Contains(users, s.app.BotUser)
}

func wireReactions(m *Message) []object {
	var list []object
	for _, r := range m.Reactions {
		list = append(list, object{"name": r.Name, "users": r.Users, "count": len(r.Users)})
	}
	return list
}

func (s *state) wireBot(id string) object {
	bot := object{
		"id":      id,
		"deleted": false,
		"name":    id,
		"updated": 1700000000,
		"icons":   object{},
		"team_id": s.app.TeamID,
	}
	if u := s.botByID(id); u != nil {
		bot["name"] = u.Name
		bot["deleted"] = u.Deleted
		put(bot, "app_id", u.AppID)
		if !u.Hook {
			bot["user_id"] = u.ID
		}
	}
	return bot
}

func (s *state) wireUser(u *User) object {
	profile := object{
		"real_name": u.RealName, "real_name_normalized": u.RealName, "display_name": u.Name,
		"display_name_normalized": u.Name, "team": u.TeamID,
	}
	if s.showEmail {
		put(profile, "email", u.Email)
	}
	put(profile, "bot_id", u.BotID)
	put(profile, "api_app_id", u.AppID)
	w := object{
		"id":      u.ID,
		"team_id": u.TeamID,
		"name":    u.Name,
		"deleted": u.Deleted,
		"profile": profile,
		"updated": 1700000000,
	}
	w["is_bot"] = u.Kind == Bot
	w["is_app_user"] = false
	if u.Deleted {
		return w // Slack returns no more about a deactivated user
	}
	w["real_name"] = u.RealName
	w["tz"] = cmp.Or(u.TZ, "Europe/London")
	w["tz_offset"] = u.TZOffset
	w["is_admin"] = u.Kind == Admin
	w["is_owner"] = false
	w["is_primary_owner"] = false
	w["is_restricted"] = u.Kind == Guest || u.Kind == UltraGuest
	w["is_ultra_restricted"] = u.Kind == UltraGuest
	w["is_email_confirmed"] = true
	if u.Kind == External {
		w["is_stranger"] = !s.sharesChannel(u.ID)
	}
	return w
}

// sharesChannel reports whether the app shares a channel with the user. is_stranger is true only for users
// who share none with it.
func (s *state) sharesChannel(user string) bool {
	for _, ch := range s.channels {
		if s.appIn(ch) && s.isMember(ch, user) {
			return true
		}
	}
	return false
}

func (s *state) wireChannel(ch *Channel) object {
	w := object{
		"id":              ch.ID,
		"created":         ch.Created.Unix(),
		"updated":         ch.Created.UnixMilli(),
		"is_archived":     ch.Archived,
		"is_im":           ch.Kind == IM,
		"is_private":      ch.Kind != Public,
		"is_mpim":         false,
		"context_team_id": s.app.TeamID,
	}
	if ch.Kind == IM {
		w["is_org_shared"], w["is_open"] = false, true
		w["user"] = s.otherThan(ch, s.app.BotUser)
		return w
	}
	w["name"] = ch.Name
	w["name_normalized"] = ch.Name
	w["is_channel"] = ch.Kind == Public
	w["is_group"] = ch.Kind == Private
	w["is_general"] = false
	w["is_member"] = s.appIn(ch)
	w["is_shared"] = ch.Shared
	w["is_ext_shared"] = ch.Shared
	w["is_org_shared"] = false
	w["is_pending_ext_shared"] = false
	w["topic"] = object{"value": ch.Topic, "creator": "", "last_set": 0}
	w["purpose"] = object{"value": ch.Purpose, "creator": "", "last_set": 0}
	return w
}

func (s *state) otherThan(ch *Channel, user string) string {
	for _, m := range ch.Members {
		if m != user {
			return m
		}
	}
	return user
}

func (s *state) wireGroup(g *UserGroup, users bool) object {
	w := object{
		"id": g.ID, "team_id": s.app.TeamID, "is_usergroup": true, "name": g.Name, "handle": g.Handle,
		"description": "", "is_external": false, "date_create": 1700000000, "date_update": 1700000000,
		"date_delete": 0, "user_count": len(g.Users),
	}
	if g.Deleted {
		w["date_delete"] = 1700000001
	}
	if users {
		w["users"] = g.Users
	}
	return w
}

// channelType returns the name of the channel's kind in events.
func channelType(ch *Channel) string {
	switch ch.Kind {
	case Private:
		return "group"
	case IM:
		return "im"
	}
	return "channel"
}

func put(w object, key, value string) {
	if value != "" {
		w[key] = value
	}
}

type object = blockkit.Object

// mustJSON encodes a value of this program, which always has a JSON form.
func mustJSON(v any) json.RawMessage { return blockkit.MustJSON(v) }
