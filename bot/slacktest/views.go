package slacktest

import (
	"encoding/json"
	"time"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// A View is an open modal or a user's App Home.
type View struct {
	ID         string
	User       string
	Type       string // modal or home
	CallbackID string
	Title      string
	Metadata   string // private_metadata
	SubmitText string // label of the button that sends a modal; empty: no such button
	CloseText  string // label of the button that closes a modal
	Open       bool
	Errors     map[string]string // by block id, after a refused submission

	blocks     []object
	fields     object // as the app sent it
	hash       string
	root       string
	parentView string // id of the view below this one, on which it was pushed
}

// Controls returns the interactive elements of the view, in order.
func (v View) Controls() []blockkit.Control { return blockkit.Controls(v.blocks) }

// Blocks returns the view's blocks as JSON.
func (v View) Blocks() json.RawMessage { return mustJSON(v.blocks) }

// A trigger permits the app to open one modal within a short time.
type trigger struct {
	user string
	view string // id of the view of the interaction, for views.push
	till time.Time
	used bool
}

func (s *Server) newTrigger(user, view string) string {
	id := s.state.id("") + "." + s.state.id("") + "." + newUUID()[:8]
	s.state.triggers[id] = &trigger{user: user, view: view, till: s.cfg.Now().Add(s.cfg.TriggerLife)}
	return id
}

func (s *Server) pull(id string) (*trigger, error) {
	t := s.state.triggers[id]
	switch {
	case id == "":
		return nil, fail("invalid_arguments")
	case t == nil:
		return nil, fail("invalid_trigger_id")
	case t.used:
		return nil, fail("exchanged_trigger_id")
	case s.cfg.Now().After(t.till):
		return nil, fail("expired_trigger_id")
	}
	return t, nil
}

func (s *Server) viewsOpen(c *call) (object, error) { return s.openView(c, false) }

func (s *Server) viewsPush(c *call) (object, error) { return s.openView(c, true) }

func (s *Server) openView(c *call, push bool) (object, error) {
	t, err := s.pull(c.get("trigger_id"))
	if err != nil {
		return nil, err
	}
	below := s.state.views[t.view]
	if push && (below == nil || !below.Open) {
		return nil, fail("invalid_trigger_id")
	}
	v := &View{ID: s.state.id("V"), User: t.user, Open: true}
	if err := s.fill(v, []byte(c.get("view")), "modal"); err != nil {
		return nil, err
	}
	t.used = true
	v.root = v.ID
	if push {
		v.root, v.parentView = below.root, below.ID
	}
	s.state.views[v.ID] = v
	s.touch()
	return object{"view": s.state.wireView(v)}, nil
}

func (s *Server) viewsUpdate(c *call) (object, error) {
	v := s.state.views[c.get("view_id")]
	for _, other := range s.state.views {
		if id := c.get("external_id"); id != "" && blockkit.Text(other.fields, "external_id") == id {
			v = other
		}
	}
	if v == nil || !v.Open {
		return nil, fail("not_found")
	}
	if hash := c.get("hash"); hash != "" && hash != v.hash {
		return nil, fail("hash_conflict")
	}
	if err := s.fill(v, []byte(c.get("view")), v.Type); err != nil {
		return nil, err
	}
	s.touch()
	return object{"view": s.state.wireView(v)}, nil
}

func (s *Server) viewsPublish(c *call) (object, error) {
	user := s.state.users[c.get("user_id")]
	if user == nil {
		return nil, fail("user_not_found")
	}
	v := s.state.home(user.ID)
	if v == nil {
		v = &View{ID: s.state.id("V"), User: user.ID, Open: true}
		v.root = v.ID
	}
	if hash := c.get("hash"); hash != "" && hash != v.hash {
		return nil, fail("hash_conflict")
	}
	if err := s.fill(v, []byte(c.get("view")), "home"); err != nil {
		return nil, err
	}
	s.state.views[v.ID] = v
	s.touch()
	return object{"view": s.state.wireView(v)}, nil
}

func (st *state) home(user string) *View {
	for _, v := range st.views {
		if v.Type == "home" && v.User == user {
			return v
		}
	}
	return nil
}

// fill checks a view that the app sent, and stores it in v.
func (s *Server) fill(v *View, raw []byte, kind string) error {
	var fields object
	if json.Unmarshal(raw, &fields) != nil {
		return fail("invalid_arguments")
	}
	blocks := blockkit.Objects(fields["blocks"])
	if err := refuseBroken("invalid_arguments", blockkit.CheckView(fields, blocks, kind)); err != nil {
		return err
	}
	s.state.nameBlocks(blocks)
	title, _ := fields["title"].(object)
	v.Type, v.CallbackID, v.Title = kind, blockkit.Text(fields, "callback_id"), blockkit.Text(title, "text")
	v.Metadata, v.Errors = blockkit.Text(fields, "private_metadata"), nil
	v.SubmitText, v.CloseText = labelOf(fields, "submit", ""), labelOf(fields, "close", "Cancel")
	v.blocks, v.fields = blocks, fields
	v.hash = s.state.stamp() + "." + newUUID()[:8]
	return nil
}

// labelOf returns the label of a modal's button, or usual if the app gave none.
func labelOf(fields object, name, usual string) string {
	if label, ok := fields[name].(object); ok {
		return blockkit.Text(label, "text")
	}
	return usual
}

func (st *state) wireView(v *View) object {
	w := object{
		"id": v.ID, "team_id": st.app.TeamID, "type": v.Type, "callback_id": v.CallbackID, "private_metadata": v.Metadata,
		"blocks": v.blocks, "hash": v.hash, "root_view_id": v.root, "previous_view_id": nil, "app_id": st.app.ID,
		"bot_id": st.app.BotID, "app_installed_team_id": st.app.TeamID, "state": object{"values": object{}},
		"external_id": blockkit.Text(v.fields, "external_id"), "clear_on_close": v.fields["clear_on_close"] == true,
		"notify_on_close": v.fields["notify_on_close"] == true,
	}
	if v.parentView != "" {
		w["previous_view_id"] = v.parentView
	}
	for _, key := range []string{"title", "submit", "close"} {
		w[key] = v.fields[key]
	}
	return w
}
