package slacktest

import (
	"encoding/json"
	"slices"
)

// A Control is something in a message or modal that a person can work.
type Control struct {
	BlockID   string
	ActionID  string
	Type      string // button, static_select, plain_text_input…
	Text      string // on a button
	Value     string // of a button
	URL       string
	Style     string
	Options   []Option // of a menu
	VisibleTo []string // users a button is shown to; empty: all

	element object
}

// An Option is one line of a menu.
type Option struct{ Text, Value string }

// Controls lists what can be clicked or chosen in the message, in order.
func (m Message) Controls() []Control {
	var blocks []object
	if json.Unmarshal(m.Blocks, &blocks) != nil {
		return nil
	}
	return controlsIn(blocks)
}

// Pressable are the controls of the message, and behind them those that it had before it was
// edited, which somebody's screen may still show.
func (m Message) Pressable() []Control {
	list := m.Controls()
	for _, blocks := range slices.Backward(m.former) {
		list = append(list, Message{Blocks: blocks}.Controls()...)
	}
	return list
}

func controlsIn(blocks []object) []Control {
	var list []Control
	for _, b := range blocks {
		for _, e := range elementsOf(b) {
			if isInteractive(e) {
				list = append(list, control(b, e))
			}
		}
	}
	return list
}

func control(b, e object) Control {
	c := Control{
		BlockID: str(b, "block_id"), ActionID: str(e, "action_id"), Type: str(e, "type"),
		Value: str(e, "value"), URL: str(e, "url"), Style: str(e, "style"), element: e,
	}
	if t, ok := e["text"].(object); ok {
		c.Text = str(t, "text")
	}
	for _, o := range objects(e["options"]) {
		t, _ := o["text"].(object)
		c.Options = append(c.Options, Option{Text: str(t, "text"), Value: str(o, "value")})
	}
	who, _ := e["visible_to_user_ids"].([]any)
	for _, u := range who {
		if id, ok := u.(string); ok {
			c.VisibleTo = append(c.VisibleTo, id)
		}
	}
	return c
}

// elementsOf are the elements of a block, wherever its type keeps them.
func elementsOf(b object) []object {
	list := objects(b["elements"])
	for _, key := range []string{"accessory", "element"} {
		if e, ok := b[key].(object); ok {
			list = append(list, e)
		}
	}
	return list
}

// passive are element types that nobody can work.
var passive = []string{"", "plain_text", "mrkdwn", "image", "rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"}

func isInteractive(e object) bool { return !slices.Contains(passive, str(e, "type")) }
