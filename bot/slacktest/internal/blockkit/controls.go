package blockkit

import (
	"slices"
	"strings"
)

// A Control is an interactive element of a message or a view.
type Control struct {
	BlockID   string
	ActionID  string
	Type      string // such as button, static_select or plain_text_input
	Text      string // label of a button; "⋯" for an overflow menu
	Value     string // of a button
	URL       string
	Style     string
	Options   []Option // options of a menu
	Confirm   string   // what is asked before the element is used; empty: nothing
	VisibleTo []string // users who see a button; empty: all

	Element Object // the element as it is in the block
}

// An Option is one option of a menu.
type Option struct{ Text, Value string }

// Controls returns the interactive elements of the blocks, in order.
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
	if c.Type == "overflow" {
		c.Text = "⋯"
	}
	if question, ok := e["confirm"].(Object); ok {
		t, _ := question["text"].(Object)
		c.Confirm = Text(t, "text")
	}
	for _, o := range Options(e) {
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

// Offers reports whether the element is a menu with an option of that value.
func (c Control) Offers(value string) bool {
	return slices.ContainsFunc(c.Options, func(o Option) bool { return o.Value == value })
}

// Label returns what a person sees of the element: the text of a button, or an overflow menu with the labels
// of its options. It is empty for other menus.
func (c Control) Label() string {
	if c.Type != "overflow" {
		return c.Text
	}
	var labels []string
	for _, o := range c.Options {
		labels = append(labels, o.Text)
	}
	return c.Text + " " + strings.Join(labels, ", ")
}

// Options returns the options of a menu, whether they are in groups or not.
func Options(menu Object) []Object {
	list := Objects(menu["options"])
	for _, group := range Objects(menu["option_groups"]) {
		list = append(list, Objects(group["options"])...)
	}
	return list
}

// Elements returns the elements of a block, whichever key its type has them under.
func Elements(b Object) []Object {
	list := Objects(b["elements"])
	for _, key := range []string{"accessory", "element"} {
		if e, ok := b[key].(Object); ok {
			list = append(list, e)
		}
	}
	return list
}

// passive are the element types that are not interactive.
var passive = []string{
	"", "plain_text", "mrkdwn", "image", "rich_text_section", "rich_text_list", "rich_text_preformatted",
	"rich_text_quote",
}

func IsInteractive(e Object) bool { return !slices.Contains(passive, Text(e, "type")) }
