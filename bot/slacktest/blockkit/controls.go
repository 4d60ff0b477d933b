package blockkit

import "slices"

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

	Element Object // as the block has it
}

// An Option is one line of a menu.
type Option struct{ Text, Value string }

// Controls lists what can be clicked or chosen in blocks, in order.
func Controls(blocks []Object) []Control {
	var list []Control
	for _, b := range blocks {
		for _, e := range Elements(b) {
			if IsInteractive(e) {
				list = append(list, readControl(b, e))
			}
		}
	}
	return list
}

func readControl(b, e Object) Control {
	c := Control{
		BlockID: Text(b, "block_id"), ActionID: Text(e, "action_id"), Type: Text(e, "type"),
		Value: Text(e, "value"), URL: Text(e, "url"), Style: Text(e, "style"), Element: e,
	}
	if t, ok := e["text"].(Object); ok {
		c.Text = Text(t, "text")
	}
	for _, o := range Objects(e["options"]) {
		t, _ := o["text"].(Object)
		c.Options = append(c.Options, Option{Text: Text(t, "text"), Value: Text(o, "value")})
	}
	who, _ := e["visible_to_user_ids"].([]any)
	for _, u := range who {
		if id, ok := u.(string); ok {
			c.VisibleTo = append(c.VisibleTo, id)
		}
	}
	return c
}

// Elements are the elements of a block, wherever its type keeps them.
func Elements(b Object) []Object {
	list := Objects(b["elements"])
	for _, key := range []string{"accessory", "element"} {
		if e, ok := b[key].(Object); ok {
			list = append(list, e)
		}
	}
	return list
}

// passive are element types that nobody can work.
var passive = []string{"", "plain_text", "mrkdwn", "image", "rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"}

func IsInteractive(e Object) bool { return !slices.Contains(passive, Text(e, "type")) }
