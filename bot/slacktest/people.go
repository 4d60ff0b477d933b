package slacktest

import (
	"slices"
	"strings"
)

func (s *Server) apiTest(c *call) (object, error) {
	args := object{}
	for k := range c.args {
		args[k] = c.get(k)
	}
	if code := c.get("error"); code != "" {
		return nil, &failure{code: code, extra: object{"args": args}}
	}
	return object{"args": args}, nil
}

func (s *Server) authTest(c *call) (object, error) {
	app := s.state.app
	reply := object{
		"url": "https://" + s.state.domain() + ".slack.com/", "team": s.state.team, "team_id": app.TeamID,
		"is_enterprise_install": false,
	}
	if c.token == s.cfg.AppToken {
		reply["app_name"] = app.Name
		reply["app_id"] = app.ID
		return reply, nil
	}
	reply["user"] = app.Name
	reply["user_id"] = app.BotUser
	reply["bot_id"] = app.BotID
	return reply, nil
}

func (s *Server) teamInfo(*call) (object, error) {
	return object{"team": object{
		"id":           s.state.app.TeamID,
		"name":         s.state.team,
		"domain":       s.state.domain(),
		"email_domain": "",
		"icon":         object{"image_default": true},
	}}, nil
}

func (s *Server) botsInfo(c *call) (object, error) {
	u := s.state.botByID(c.get("bot"))
	if u == nil {
		return nil, fail("bot_not_found")
	}
	return object{"bot": s.state.wireBot(u.BotID)}, nil
}

func (s *Server) usersInfo(c *call) (object, error) {
	u := s.state.users[c.get("user")]
	if u == nil || u.Hook {
		return nil, fail("user_not_found")
	}
	return object{"user": s.state.wireUser(u)}, nil
}

func (s *Server) usersList(c *call) (object, error) {
	var all []object
	for _, u := range sorted(s.state.users) {
		if !u.Hook && (u.Kind != External || s.state.sharesChannel(u.ID)) {
			all = append(all, s.state.wireUser(u))
		}
	}
	part, next, err := page(c, all, 1000, 1000)
	if err != nil {
		return nil, err
	}
	return object{
		"members":           part,
		"cache_ts":          s.cfg.Now().Unix(),
		"response_metadata": object{"next_cursor": next},
	}, nil
}

func (s *Server) usersLookupByEmail(c *call) (object, error) {
	for _, u := range sorted(s.state.users) {
		if u.Email != "" && strings.EqualFold(u.Email, c.get("email")) && !u.Deleted {
			return object{"user": s.state.wireUser(u)}, nil
		}
	}
	return nil, fail("users_not_found")
}

func (s *Server) usergroupsList(c *call) (object, error) {
	groups := []object{}
	for _, g := range sorted(s.state.groups) {
		if !g.Deleted || c.yes("include_disabled") {
			groups = append(groups, s.state.wireGroup(g, c.yes("include_users")))
		}
	}
	return object{"usergroups": groups}, nil
}

func (s *Server) usergroupsUsersList(c *call) (object, error) {
	g := s.state.groups[c.get("usergroup")]
	if g == nil || g.Deleted && !c.yes("include_disabled") {
		return nil, fail("no_such_subteam")
	}
	return object{"users": g.Users}, nil
}

// reacted returns the message of a reaction call, with its channel.
func (s *Server) reacted(c *call) (*Channel, *Message, error) {
	ch := s.state.channels[c.get("channel")]
	if ch == nil || ch.Kind != Public && !s.state.appIn(ch) {
		return nil, nil, fail("channel_not_found")
	}
	if c.get("timestamp") == "" {
		return nil, nil, fail("no_item_specified")
	}
	m := s.state.message(ch.ID, c.get("timestamp"))
	switch {
	case m == nil:
		return nil, nil, fail("message_not_found")
	case !s.state.appIn(ch):
		return nil, nil, fail("not_in_channel")
	case ch.Archived:
		return nil, nil, fail("is_archived")
	}
	return ch, m, nil
}

func (s *Server) reactionsAdd(c *call) (object, error) {
	ch, m, err := s.reacted(c)
	if err != nil {
		return nil, err
	}
	return object{}, s.react(ch, m, s.state.app.BotUser, c.get("name"))
}

// maxPins is the maximum number of messages that are pinned to a channel.
const maxPins = 100

// pinsAdd implements https://docs.slack.dev/reference/methods/pins.add.
func (s *Server) pinsAdd(c *call) (object, error) {
	ch, m, err := s.reacted(c)
	if err != nil {
		return nil, err
	}
	pinned := 0
	for _, other := range s.state.messages[ch.ID] {
		pinned += len(other.PinnedTo)
	}
	switch {
	case slices.Contains(m.PinnedTo, ch.ID):
		return nil, fail("already_pinned")
	case pinned >= maxPins:
		return nil, fail("too_many_pins")
	}
	m.PinnedTo = append(m.PinnedTo, ch.ID)
	return object{}, nil
}

func (s *Server) reactionsRemove(c *call) (object, error) {
	ch, m, err := s.reacted(c)
	if err != nil {
		return nil, err
	}
	return object{}, s.unreact(ch, m, s.state.app.BotUser, c.get("name"))
}

func (s *Server) reactionsGet(c *call) (object, error) {
	ch, m, err := s.reacted(c)
	if err != nil {
		return nil, err
	}
	w := s.state.wireMessage(m, false)
	w["permalink"] = s.permalink(m)
	return object{"type": "message", "channel": ch.ID, "message": w}, nil
}

// maxReactions is the maximum number of different emoji on a message.
const maxReactions = 23

func (s *Server) react(ch *Channel, m *Message, user, name string) error {
	name = strings.Trim(name, ":")
	if name == "" || strings.ContainsAny(name, " \t\n") || name != strings.ToLower(name) {
		return fail("invalid_name")
	}
	at := slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.Name == name })
	switch {
	case at < 0 && len(m.Reactions) >= maxReactions:
		return fail("too_many_emoji")
	case at < 0:
		m.Reactions = append(m.Reactions, Reaction{Name: name, Users: []string{user}})
	case slices.Contains(m.Reactions[at].Users, user):
		return fail("already_reacted")
	default:
		m.Reactions[at].Users = append(m.Reactions[at].Users, user)
	}
	s.reactionEvent("reaction_added", ch, m, user, name)
	return nil
}

func (s *Server) unreact(ch *Channel, m *Message, user, name string) error {
	name = strings.Trim(name, ":")
	at := slices.IndexFunc(m.Reactions,
		func(r Reaction) bool { return r.Name == name && slices.Contains(r.Users, user) })
	if at < 0 {
		return fail("no_reaction")
	}
	r := &m.Reactions[at]
	r.Users = slices.DeleteFunc(r.Users, func(u string) bool { return u == user })
	if len(r.Users) == 0 {
		m.Reactions = slices.Delete(m.Reactions, at, at+1)
	}
	s.reactionEvent("reaction_removed", ch, m, user, name)
	return nil
}

func (s *Server) reactionEvent(kind string, ch *Channel, m *Message, user, name string) {
	s.note(Reacted, m)
	if !s.state.appIn(ch) {
		return
	}
	event := object{
		"type": kind, "user": user, "reaction": name, "event_ts": s.state.stamp(),
		"item": object{"type": "message", "channel": ch.ID, "ts": m.TS},
	}
	put(event, "item_user", m.User)
	s.emit(ch, event)
}
