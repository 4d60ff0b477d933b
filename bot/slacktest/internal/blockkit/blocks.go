package blockkit

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

const (
	MaxMessageBlocks = 50
	maxViewBlocks    = 100
	// total text in all blocks of a message; measured, because Slack does not document it
	MaxBlocksText = 13_200
	maxMarkdown   = 12_000 // total text in all markdown blocks of a message
)

// CheckBlocks checks blocks against Block Kit's rules and returns all errors, in Slack's words. most is the
// maximum number of blocks.
func CheckBlocks(blocks []Object, most int) []string {
	v := &validator{ids: map[string]bool{}}
	if len(blocks) > most {
		v.addError("/blocks", "no more than %d items allowed", most)
	}
	for i, b := range blocks {
		v.checkBlock(b, fmt.Sprintf("/blocks/%d", i))
	}
	if v.markdown > maxMarkdown {
		v.addError("/blocks", "markdown text must be less than %d characters", maxMarkdown+1)
	}
	return v.errors
}

type validator struct {
	errors   []string
	ids      map[string]bool
	markdown int
}

func (v *validator) addError(at, format string, args ...any) {
	v.errors = append(v.errors, fmt.Sprintf(format, args...)+" [json-pointer:"+at+"]")
}

// uncheckedTypes are block types that are known but not checked.
var uncheckedTypes = []string{
	"divider", "rich_text", "video", "file", "table", "data_table", "alert", "card", "carousel", "container",
	"call", "data_visualization",
}

func (v *validator) checkBlock(b Object, at string) {
	if id := Text(b, "block_id"); id != "" {
		if v.ids[id] {
			v.addError(at+"/block_id", "`block_id` %q already exists", id)
		}
		v.ids[id] = true
		v.checkLength(id, 255, at+"/block_id")
	}
	switch kind := Text(b, "type"); kind {
	case "section":
		v.checkSection(b, at)
	case "header":
		v.checkText(b, "text", 150, at, "plain_text")
	case "context":
		v.checkElements(b, at, 10, false)
	case "actions":
		v.checkElements(b, at, 25, true)
	case "context_actions":
		v.checkElements(b, at, 5, false)
	case "image":
		v.checkImage(b, at)
	case "markdown":
		v.requireKey(b, "text", at)
		v.markdown += utf8.RuneCountInString(Text(b, "text"))
	case "plan":
		v.checkPlan(b, at)
	case "task_card":
		v.checkTaskCard(b, at)
	case "input":
		v.checkText(b, "label", 2000, at, "plain_text")
		if e, ok := b["element"].(Object); ok {
			v.checkElement(e, at+"/element")
		} else {
			v.addError(at, "missing required field: element")
		}
	default:
		if !slices.Contains(uncheckedTypes, kind) {
			v.addError(at+"/type", "unsupported type: %s", kind)
		}
	}
}

func (v *validator) checkSection(b Object, at string) {
	if b["text"] == nil && b["fields"] == nil {
		v.addError(at, "missing required field: text")
	}
	if b["text"] != nil {
		v.checkText(b, "text", 3000, at, "plain_text", "mrkdwn")
	}
	fields := Objects(b["fields"])
	if len(fields) > 10 {
		v.addError(at+"/fields", "no more than 10 items allowed")
	}
	for i, f := range fields {
		v.checkTextObject(f, 2000, fmt.Sprintf("%s/fields/%d", at, i), "plain_text", "mrkdwn")
	}
	if e, ok := b["accessory"].(Object); ok {
		v.checkElement(e, at+"/accessory")
	}
}

func (v *validator) checkElements(b Object, at string, most int, interactive bool) {
	list := Objects(b["elements"])
	if len(list) == 0 {
		v.addError(at+"/elements", "no less than 1 item required")
	}
	if len(list) > most {
		v.addError(at+"/elements", "no more than %d items allowed", most)
	}
	seen := map[string]bool{}
	for i, e := range list {
		where := fmt.Sprintf("%s/elements/%d", at, i)
		id := Text(e, "action_id")
		if id != "" && seen[id] {
			v.addError(where+"/action_id", "`action_id` %q already exists for this block", id)
		}
		seen[id] = true
		if interactive && !IsInteractive(e) {
			v.addError(where, "unsupported type: %s", Text(e, "type"))
			continue
		}
		v.checkElement(e, where)
	}
}

func (v *validator) checkElement(e Object, at string) {
	v.checkLength(Text(e, "action_id"), 255, at+"/action_id")
	v.checkConfirm(e, at)
	switch Text(e, "type") {
	case "plain_text", "mrkdwn":
		v.checkTextObject(e, 3000, at, "plain_text", "mrkdwn")
	case "image":
		v.checkImage(e, at)
	case "button":
		v.checkText(e, "text", 75, at, "plain_text")
		v.checkLength(Text(e, "value"), 2000, at+"/value")
		v.checkLength(Text(e, "url"), 3000, at+"/url")
		if style := Text(e, "style"); style != "" && style != "primary" && style != "danger" {
			v.addError(at+"/style", "must be one of: primary, danger")
		}
	case "plain_text_input":
		v.checkInput(e, at)
	case "static_select", "multi_static_select", "radio_buttons", "checkboxes", "overflow":
		v.checkOptions(e, at)
	case "":
		v.addError(at, "missing required field: type")
	}
}

func (v *validator) checkOptions(e Object, at string) {
	list := Objects(e["options"])
	groups := Objects(e["option_groups"])
	most := 100
	switch Text(e, "type") {
	case "overflow":
		most = 5
	case "radio_buttons", "checkboxes":
		most = 10
	}
	if len(list) == 0 && len(groups) == 0 {
		v.addError(at+"/options", "no less than 1 item required")
	}
	if len(groups) > 100 {
		v.addError(at+"/option_groups", "no more than 100 items allowed")
	}
	for i, g := range groups {
		where := fmt.Sprintf("%s/option_groups/%d", at, i)
		v.checkText(g, "label", 75, where, "plain_text")
		v.checkOptions(Object{"type": Text(e, "type"), "options": g["options"]}, where)
	}
	if len(list) > most {
		v.addError(at+"/options", "no more than %d items allowed", most)
	}
	for i, o := range list {
		v.checkOption(o, Text(e, "type"), fmt.Sprintf("%s/options/%d", at, i))
	}
}

// checkOption checks an option of an element of that type. See
// https://docs.slack.dev/reference/block-kit/composition-objects/option-object
func (v *validator) checkOption(o Object, of, at string) {
	kinds := []string{"plain_text"}
	if of == "radio_buttons" || of == "checkboxes" {
		kinds = append(kinds, "mrkdwn")
	}
	v.checkText(o, "text", 75, at, kinds...)
	v.requireKey(o, "value", at)
	v.checkLength(Text(o, "value"), 150, at+"/value")
	if o["description"] != nil {
		v.checkText(o, "description", 75, at, kinds...)
	}
	if o["url"] != nil && of != "overflow" {
		v.addError(at, "additional property: url")
	}
	v.checkLength(Text(o, "url"), 3000, at+"/url")
}

// checkConfirm checks the question that is asked before an element is used. See
// https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
func (v *validator) checkConfirm(e Object, at string) {
	if e["confirm"] == nil {
		return
	}
	at += "/confirm"
	c, ok := e["confirm"].(Object)
	if !ok {
		v.addError(at, "must be an object")
		return
	}
	v.checkText(c, "title", 100, at, "plain_text")
	v.checkText(c, "text", 300, at, "plain_text", "mrkdwn")
	v.checkText(c, "confirm", 30, at, "plain_text")
	v.checkText(c, "deny", 30, at, "plain_text")
	if style := Text(c, "style"); style != "" && style != "primary" && style != "danger" {
		v.addError(at+"/style", "must be one of: primary, danger")
	}
}

func (v *validator) checkImage(b Object, at string) {
	if Text(b, "image_url") == "" && b["slack_file"] == nil {
		v.addError(at, "missing required field: image_url")
	}
	v.requireKey(b, "alt_text", at)
	v.checkLength(Text(b, "alt_text"), 2000, at+"/alt_text")
}

func (v *validator) checkPlan(b Object, at string) {
	v.requireKey(b, "title", at)
	for i, t := range Objects(b["tasks"]) {
		v.checkTaskCard(t, fmt.Sprintf("%s/tasks/%d", at, i))
	}
}

func (v *validator) checkTaskCard(b Object, at string) {
	v.requireKey(b, "task_id", at)
	v.requireKey(b, "title", at)
	allowed := []string{"", "pending", "in_progress", "complete", "error"}
	if !slices.Contains(allowed, Text(b, "status")) {
		v.addError(at+"/status", "must be one of: pending, in_progress, complete, error")
	}
}

func (v *validator) requireKey(b Object, key, at string) {
	if Text(b, key) == "" {
		v.addError(at, "missing required field: %s", key)
	}
}

// checkText checks the required text object under a key.
func (v *validator) checkText(b Object, key string, most int, at string, kinds ...string) {
	t, ok := b[key].(Object)
	if !ok {
		v.addError(at, "missing required field: %s", key)
		return
	}
	v.checkTextObject(t, most, at+"/"+key, kinds...)
}

func (v *validator) checkTextObject(t Object, most int, at string, kinds ...string) {
	if !slices.Contains(kinds, Text(t, "type")) {
		v.addError(at+"/type", "unsupported type: %s", Text(t, "type"))
		return
	}
	switch n := utf8.RuneCountInString(Text(t, "text")); {
	case n == 0:
		v.addError(at, "failed to match all allowed schemas")
		v.addError(at+"/text", "must be more than 0 characters")
	case n > most:
		v.addError(at, "failed to match all allowed schemas")
		v.addError(at+"/text", "must be less than %d characters", most+1)
	}
}

func (v *validator) checkLength(text string, most int, at string) {
	if utf8.RuneCountInString(text) > most {
		v.addError(at, "must be less than %d characters", most+1)
	}
}

// TextLength returns the total length in characters of all strings under a key "text", at any depth.
func TextLength(v any) int {
	total := 0
	switch v := v.(type) {
	case []Object:
		for _, o := range v {
			total += TextLength(o)
		}
	case []any:
		for _, o := range v {
			total += TextLength(o)
		}
	case Object:
		for k, o := range v {
			if text, ok := o.(string); ok && k == "text" {
				total += utf8.RuneCountInString(text)
			} else {
				total += TextLength(o)
			}
		}
	}
	return total
}

func Text(o Object, key string) string {
	text, _ := o[key].(string)
	return text
}

func Objects(v any) []Object {
	list, _ := v.([]any)
	out := make([]Object, 0, len(list))
	for _, e := range list {
		if o, ok := e.(Object); ok {
			out = append(out, o)
		}
	}
	return out
}

// maxInput is Slack's limit for the length of a text input in characters; max_length may lower it.
const maxInput = 3000

// checkInput checks a text input. See
// https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element
func (v *validator) checkInput(e Object, at string) {
	for _, key := range []string{"min_length", "max_length"} {
		if n, given := e[key].(float64); given && (n < 0 || n > maxInput) {
			v.addError(at+"/"+key, "must be between 0 and %d", maxInput)
		}
	}
	v.checkLength(Text(e, "initial_value"), maxInput, at+"/initial_value")
	if e["placeholder"] != nil {
		v.checkText(e, "placeholder", 150, at, "plain_text")
	}
}

func CheckView(fields Object, blocks []Object, kind string) []string {
	v := &validator{}
	if got := Text(fields, "type"); got != kind {
		v.addError("/view/type", "unsupported type: %s", got)
	}
	if kind == "modal" {
		v.checkText(fields, "title", 24, "/view", "plain_text")
		for _, b := range blocks {
			if Text(b, "type") == "input" && fields["submit"] == nil {
				v.addError("/view", "missing required field: submit")
				break
			}
		}
	}
	for _, button := range []string{"submit", "close"} {
		if fields[button] != nil {
			v.checkText(fields, button, 24, "/view", "plain_text")
		}
	}
	if utf8.RuneCountInString(Text(fields, "private_metadata")) > 3000 {
		v.addError("/view/private_metadata", "must be less than 3001 characters")
	}
	if len(v.errors) > 0 {
		return v.errors
	}
	return CheckBlocks(blocks, maxViewBlocks)
}
