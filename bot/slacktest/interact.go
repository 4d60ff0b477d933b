package slacktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// Click presses the button with the given action id under a message. It may be a button that the message
// had before an edit, because a client may still show it.
func (s *Server) Click(channel, ts, actionID, user string) error {
	return s.act(channel, ts, actionID, user, "")
}

// Choose selects an option, by its value, in the menu with the given action id under a message: a select or
// an overflow menu. It may be an option that the message had before an edit, like a button of Click.
func (s *Server) Choose(channel, ts, actionID, user, value string) error {
	return s.act(channel, ts, actionID, user, value)
}

func (s *Server) act(channel, ts, actionID, user, value string) error {
	return s.withMessage(channel, ts, func(ch *Channel, m *Message) error {
		if !s.state.isMember(ch, user) {
			return fmt.Errorf("slacktest: %s is not in #%s", s.state.nameOf(user), ch.Name)
		}
		controls := m.Pressable()
		at := slices.IndexFunc(controls, func(c blockkit.Control) bool {
			return c.ActionID == actionID && (value == "" || c.Offers(value))
		})
		if at < 0 { // the menu without that option
			at = slices.IndexFunc(controls, func(c blockkit.Control) bool { return c.ActionID == actionID })
		}
		if at < 0 {
			return fmt.Errorf("slacktest: nothing under that message has the action id %q; it has %s",
				actionID, actionIDs(controls))
		}
		action, err := s.action(controls[at], user, value)
		if err != nil {
			return err
		}
		return s.interact("block_actions", s.blockActions(ch, m, user, action), nil)
	})
}

// ClickHome presses the button with the given action id and value in a user's App Home, or selects the option
// with that value of a menu there.
func (s *Server) ClickHome(user, actionID, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.state.home(user)
	if v == nil {
		return fmt.Errorf("slacktest: %s has no home yet", s.state.nameOf(user))
	}
	defer s.touch()
	controls := blockkit.Controls(v.blocks)
	at := slices.IndexFunc(controls,
		func(c blockkit.Control) bool {
			return c.ActionID == actionID && (c.Value == value || c.Offers(value))
		})
	if at < 0 {
		return fmt.Errorf("slacktest: nothing in that home has the action id %q and the value %q; it has %s",
			actionID, value, actionIDs(controls))
	}
	action, err := s.action(controls[at], user, value)
	if err != nil {
		return err
	}
	p := s.payload("block_actions", user, v.ID)
	p["container"] = object{"type": "view", "view_id": v.ID}
	p["view"] = s.state.wireView(v)
	p["actions"] = []object{action}
	p["response_urls"] = []object{}
	return s.interact("block_actions", p, nil)
}

func actionIDs(list []blockkit.Control) string {
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ActionID)
	}
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

// action returns the entry of a payload's "actions".
func (s *Server) action(c blockkit.Control, user, value string) (object, error) {
	if len(c.VisibleTo) > 0 && !slices.Contains(c.VisibleTo, user) {
		return nil, fmt.Errorf("slacktest: %s does not see the button %q", s.state.nameOf(user), c.ActionID)
	}
	a := object{"type": c.Type, "action_id": c.ActionID, "block_id": c.BlockID, "action_ts": s.state.stamp()}
	if c.Element["confirm"] != nil {
		a["confirm"] = c.Element["confirm"]
	}
	if c.Type == "button" {
		a["text"] = c.Element["text"]
		put(a, "value", c.Value)
		put(a, "style", c.Style)
		return a, nil
	}
	for _, o := range blockkit.Options(c.Element) {
		if blockkit.Text(o, "value") == value {
			a["selected_option"] = o
			return a, nil
		}
	}
	return nil, fmt.Errorf("slacktest: the menu %q has no option %q", c.ActionID, value)
}

func (s *Server) blockActions(ch *Channel, m *Message, user string, action object) object {
	container := object{"type": "message", "message_ts": m.TS, "channel_id": ch.ID, "is_ephemeral": false}
	put(container, "thread_ts", m.ThreadTS)
	p := s.payload("block_actions", user, "")
	p["container"] = container
	p["channel"] = s.channelRef(ch)
	p["message"] = s.state.wireMessage(m, true)
	p["state"] = object{"values": object{}}
	p["response_url"] = s.responseURL(ch, m, user)
	p["actions"] = []object{action}
	return p
}

// payload returns the fields that all interactions share.
func (s *Server) payload(kind, user, view string) object {
	app := s.state.app
	who := object{
		"id":       user,
		"username": s.state.nameOf(user),
		"name":     s.state.nameOf(user),
		"team_id":  app.TeamID,
	}
	if u := s.state.users[user]; u != nil {
		who["team_id"] = u.TeamID
	}
	return object{
		"type":                  kind,
		"user":                  who,
		"api_app_id":            app.ID,
		"token":                 "slacktest",
		"trigger_id":            s.newTrigger(user, view),
		"team":                  object{"id": app.TeamID, "domain": s.state.domain()},
		"enterprise":            nil,
		"is_enterprise_install": false,
	}
}

func (s *Server) channelRef(ch *Channel) object {
	name := ch.Name
	switch ch.Kind {
	case IM:
		name = "directmessage"
	case Private:
		name = "privategroup"
	}
	return object{"id": ch.ID, "name": name}
}

var errNobody = errors.New("slacktest: the app has no open connection")

// interact sends an interaction once. It returns an error if the app has no open connection.
func (s *Server) interact(eventType string, payload object, onAck func(json.RawMessage)) error {
	return s.once(&delivery{
		kind: "interactive", eventType: eventType, payload: mustJSON(payload), onAck: onAck,
		accepts: eventType == "view_submission" || eventType == "block_suggestion",
	})
}

func (s *Server) once(d *delivery) error {
	if s.socket.pick() == nil {
		return errNobody
	}
	d.envelopeID = newUUID()
	s.socket.once[d.envelopeID] = d
	s.deliver(d)
	return nil
}

// Shortcut uses a message shortcut on a message.
func (s *Server) Shortcut(channel, ts, callbackID, user string) error {
	return s.withMessage(channel, ts, func(ch *Channel, m *Message) error {
		p := s.payload("message_action", user, "")
		p["callback_id"] = callbackID
		p["action_ts"] = s.state.stamp()
		p["message_ts"] = m.TS
		p["channel"] = s.channelRef(ch)
		p["message"] = s.state.wireMessage(m, true)
		p["response_url"] = s.responseURL(ch, m, user)
		return s.interact("message_action", p, nil)
	})
}

// Command runs a slash command in a channel. Slack does not support commands in threads.
func (s *Server) Command(channel, user, command, text string) error {
	return s.withChannel(channel, func(ch *Channel) error {
		if err := s.mayWrite(ch, user); err != nil {
			return err
		}
		app := s.state.app
		answer := s.hook(ch, nil, user)
		return s.once(&delivery{
			kind: "slash_commands", eventType: command, accepts: true,
			onAck: func(response json.RawMessage) { _ = answer.take(s, response) },
			payload: mustJSON(object{
				"token":                 "slacktest",
				"team_id":               app.TeamID,
				"team_domain":           s.state.domain(),
				"channel_id":            ch.ID,
				"channel_name":          s.channelRef(ch)["name"],
				"user_id":               user,
				"user_name":             s.state.nameOf(user),
				"command":               command,
				"text":                  text,
				"api_app_id":            app.ID,
				"is_enterprise_install": "false",
				"response_url":          answer.url,
				"trigger_id":            s.newTrigger(user, ""),
			}),
		})
	})
}

// OpenHome opens the app's home for a user.
func (s *Server) OpenHome(user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.users[user] == nil {
		return fmt.Errorf("slacktest: no user %q", user)
	}
	event := object{
		"type":     "app_home_opened",
		"user":     user,
		"channel":  s.state.openIM(user).ID,
		"tab":      "home",
		"event_ts": s.state.stamp(),
	}
	if v := s.state.home(user); v != nil {
		event["view"] = s.state.wireView(v)
	}
	s.emit(nil, event)
	return nil
}

// Views returns the open modals and the published homes, oldest first.
func (s *Server) Views() []View {
	s.mu.Lock()
	defer s.mu.Unlock()
	var open []View
	for _, v := range sorted(s.state.views) {
		if v.Open {
			open = append(open, *v)
		}
	}
	return open
}

// Submit sends a modal with the entered values by action id: text for an input, an option's value for a
// menu. The app's response shows in Views: the modal is gone, changed, or has Errors.
func (s *Server) Submit(viewID string, entered map[string]string) error {
	return s.withView(viewID, func(v *View) error {
		entered = asOpened(v, entered)
		if err := mayBeSent(v, entered); err != nil {
			return err
		}
		values := object{}
		for _, c := range blockkit.Controls(v.blocks) {
			values[c.BlockID] = object{c.ActionID: fieldValue(c, entered[c.ActionID])}
		}
		p := s.payload("view_submission", v.User, v.ID)
		w := s.state.wireView(v)
		w["state"] = object{"values": values}
		p["view"] = w
		p["response_urls"] = []object{}
		return s.interact("view_submission", p, func(response json.RawMessage) { s.submitted(v, response) })
	})
}

func fieldValue(c blockkit.Control, entered string) object {
	value := object{"type": c.Type}
	for _, o := range blockkit.Options(c.Element) {
		if blockkit.Text(o, "value") == entered {
			value["selected_option"] = o
			return value
		}
	}
	if entered == "" {
		value["value"] = nil
	} else {
		value["value"] = entered
	}
	return value
}

// submitted applies the app's response to a submission; an empty response closes the view.
func (s *Server) submitted(v *View, response json.RawMessage) {
	var r struct {
		Action string            `json:"response_action"`
		Errors map[string]string `json:"errors"`
		View   json.RawMessage   `json:"view"`
	}
	_ = json.Unmarshal(response, &r)
	switch r.Action {
	case "errors":
		v.Errors = shownErrors(v, r.Errors)
	case "update":
		if err := s.fill(v, r.View, "modal"); err != nil {
			v.Errors = map[string]string{"": err.Error()}
		}
	case "push":
		above := &View{ID: s.state.id("V"), User: v.User, Open: true, root: v.root, parentView: v.ID}
		if s.fill(above, r.View, "modal") == nil {
			s.state.views[above.ID] = above
		}
	case "clear":
		for _, other := range s.state.views {
			if other.root == v.root {
				other.Open = false
			}
		}
	default:
		v.Open = false
	}
}

// Dismiss closes a modal without sending it.
func (s *Server) Dismiss(viewID string) error {
	return s.withView(viewID, func(v *View) error {
		v.Open = false
		if v.fields["notify_on_close"] != true {
			return nil
		}
		p := s.payload("view_closed", v.User, v.ID)
		p["view"] = s.state.wireView(v)
		p["is_cleared"] = false
		return s.interact("view_closed", p, nil)
	})
}

func (s *Server) withView(id string, do func(*View) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.state.views[id]
	if v == nil || !v.Open {
		return fmt.Errorf("slacktest: no open view %q", id)
	}
	defer s.touch()
	return do(v)
}
