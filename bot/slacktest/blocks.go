package slacktest

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

const (
	maxMessageBlocks = 50
	maxViewBlocks    = 100
	maxBlocksText    = 13_200 // in all blocks of a message; undocumented, measured
	maxMarkdown      = 12_000 // in all markdown blocks of a message
)

// blocksArg reads, checks and completes the blocks of a message: Slack gives each block
// and each interactive element an id that has none. None at all are nil.
func (s *Server) blocksArg(c *call, most int) (json.RawMessage, error) {
	text := c.get("blocks")
	if text == "" {
		return nil, nil
	}
	var blocks []object
	if json.Unmarshal([]byte(text), &blocks) != nil {
		return nil, fail("invalid_blocks_format")
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	if err := checkBlocks(blocks, most, "invalid_blocks"); err != nil {
		return nil, err
	}
	if textLength(blocks) > maxBlocksText {
		return nil, fail("msg_blocks_too_long")
	}
	s.state.nameBlocks(blocks)
	return mustJSON(blocks), nil
}

// checkBlocks holds blocks against Block Kit's rules and says all that is wrong at once.
func checkBlocks(blocks []object, most int, code string) error {
	v := &validator{ids: map[string]bool{}}
	if len(blocks) > most {
		v.wrong("/blocks", "no more than %d items allowed", most)
	}
	for i, b := range blocks {
		v.block(b, fmt.Sprintf("/blocks/%d", i))
	}
	if v.markdown > maxMarkdown {
		v.wrong("/blocks", "markdown text must be less than %d characters", maxMarkdown+1)
	}
	if len(v.errors) > 0 {
		return &failure{code: code, messages: v.errors}
	}
	return nil
}

// nameBlocks fills in block_id and action_id.
func (st *state) nameBlocks(blocks []object) {
	for _, b := range blocks {
		if str(b, "block_id") == "" {
			b["block_id"] = st.id("b")
		}
		for _, e := range elementsOf(b) {
			if isInteractive(e) && str(e, "action_id") == "" {
				e["action_id"] = st.id("a")
			}
		}
	}
}

type validator struct {
	errors   []string
	ids      map[string]bool
	markdown int
}

func (v *validator) wrong(at, format string, args ...any) {
	v.errors = append(v.errors, fmt.Sprintf(format, args...)+" [json-pointer:"+at+"]")
}

// lenient are types that are known and not looked into.
var lenient = []string{
	"divider", "rich_text", "video", "file", "table", "data_table", "alert", "card", "carousel", "container", "call", "data_visualization",
}

func (v *validator) block(b object, at string) {
	if id := str(b, "block_id"); id != "" {
		if v.ids[id] {
			v.wrong(at+"/block_id", "`block_id` %q already exists", id)
		}
		v.ids[id] = true
		v.length(id, 255, at+"/block_id")
	}
	switch kind := str(b, "type"); kind {
	case "section":
		v.section(b, at)
	case "header":
		v.text(b, "text", 150, at, "plain_text")
	case "context":
		v.elements(b, at, 10, false)
	case "actions":
		v.elements(b, at, 25, true)
	case "context_actions":
		v.elements(b, at, 5, false)
	case "image":
		v.image(b, at)
	case "markdown":
		v.required(b, "text", at)
		v.markdown += utf8.RuneCountInString(str(b, "text"))
	case "plan":
		v.plan(b, at)
	case "task_card":
		v.taskCard(b, at)
	case "input":
		v.text(b, "label", 2000, at, "plain_text")
		if e, ok := b["element"].(object); ok {
			v.element(e, at+"/element")
		} else {
			v.wrong(at, "missing required field: element")
		}
	default:
		if !slices.Contains(lenient, kind) {
			v.wrong(at+"/type", "unsupported type: %s", kind)
		}
	}
}

func (v *validator) section(b object, at string) {
	if b["text"] == nil && b["fields"] == nil {
		v.wrong(at, "missing required field: text")
	}
	if b["text"] != nil {
		v.text(b, "text", 3000, at, "plain_text", "mrkdwn")
	}
	fields := objects(b["fields"])
	if len(fields) > 10 {
		v.wrong(at+"/fields", "no more than 10 items allowed")
	}
	for i, f := range fields {
		v.textObject(f, 2000, fmt.Sprintf("%s/fields/%d", at, i), "plain_text", "mrkdwn")
	}
	if e, ok := b["accessory"].(object); ok {
		v.element(e, at+"/accessory")
	}
}

func (v *validator) elements(b object, at string, most int, interactive bool) {
	list := objects(b["elements"])
	if len(list) == 0 {
		v.wrong(at+"/elements", "no less than 1 item required")
	}
	if len(list) > most {
		v.wrong(at+"/elements", "no more than %d items allowed", most)
	}
	seen := map[string]bool{}
	for i, e := range list {
		where := fmt.Sprintf("%s/elements/%d", at, i)
		id := str(e, "action_id")
		if id != "" && seen[id] {
			v.wrong(where+"/action_id", "`action_id` %q already exists for this block", id)
		}
		seen[id] = true
		if interactive && !isInteractive(e) {
			v.wrong(where, "unsupported type: %s", str(e, "type"))
			continue
		}
		v.element(e, where)
	}
}

func (v *validator) element(e object, at string) {
	v.length(str(e, "action_id"), 255, at+"/action_id")
	switch str(e, "type") {
	case "plain_text", "mrkdwn":
		v.textObject(e, 3000, at, "plain_text", "mrkdwn")
	case "image":
		v.image(e, at)
	case "button":
		v.text(e, "text", 75, at, "plain_text")
		v.length(str(e, "value"), 2000, at+"/value")
		v.length(str(e, "url"), 3000, at+"/url")
		if style := str(e, "style"); style != "" && style != "primary" && style != "danger" {
			v.wrong(at+"/style", "must be one of: primary, danger")
		}
	case "plain_text_input":
		v.input(e, at)
	case "static_select", "multi_static_select", "radio_buttons", "checkboxes", "overflow":
		v.options(e, at)
	case "":
		v.wrong(at, "missing required field: type")
	}
}

func (v *validator) options(e object, at string) {
	list, most := objects(e["options"]), 100
	switch str(e, "type") {
	case "overflow":
		most = 5
	case "radio_buttons", "checkboxes":
		most = 10
	}
	if len(list) == 0 && e["option_groups"] == nil {
		v.wrong(at+"/options", "no less than 1 item required")
	}
	if len(list) > most {
		v.wrong(at+"/options", "no more than %d items allowed", most)
	}
	for i, o := range list {
		where := fmt.Sprintf("%s/options/%d", at, i)
		v.text(o, "text", 75, where, "plain_text", "mrkdwn")
		v.required(o, "value", where)
		v.length(str(o, "value"), 150, where+"/value")
	}
}

func (v *validator) image(b object, at string) {
	if str(b, "image_url") == "" && b["slack_file"] == nil {
		v.wrong(at, "missing required field: image_url")
	}
	v.required(b, "alt_text", at)
	v.length(str(b, "alt_text"), 2000, at+"/alt_text")
}

func (v *validator) plan(b object, at string) {
	v.required(b, "title", at)
	for i, t := range objects(b["tasks"]) {
		v.taskCard(t, fmt.Sprintf("%s/tasks/%d", at, i))
	}
}

func (v *validator) taskCard(b object, at string) {
	v.required(b, "task_id", at)
	v.required(b, "title", at)
	allowed := []string{"", "pending", "in_progress", "complete", "error"}
	if !slices.Contains(allowed, str(b, "status")) {
		v.wrong(at+"/status", "must be one of: pending, in_progress, complete, error")
	}
}

func (v *validator) required(b object, key, at string) {
	if str(b, key) == "" {
		v.wrong(at, "missing required field: %s", key)
	}
}

// text checks a required text object under a key.
func (v *validator) text(b object, key string, most int, at string, kinds ...string) {
	t, ok := b[key].(object)
	if !ok {
		v.wrong(at, "missing required field: %s", key)
		return
	}
	v.textObject(t, most, at+"/"+key, kinds...)
}

func (v *validator) textObject(t object, most int, at string, kinds ...string) {
	if !slices.Contains(kinds, str(t, "type")) {
		v.wrong(at+"/type", "unsupported type: %s", str(t, "type"))
		return
	}
	switch n := utf8.RuneCountInString(str(t, "text")); {
	case n == 0:
		v.wrong(at, "failed to match all allowed schemas")
		v.wrong(at+"/text", "must be more than 0 characters")
	case n > most:
		v.wrong(at, "failed to match all allowed schemas")
		v.wrong(at+"/text", "must be less than %d characters", most+1)
	}
}

func (v *validator) length(text string, most int, at string) {
	if utf8.RuneCountInString(text) > most {
		v.wrong(at, "must be less than %d characters", most+1)
	}
}

// textLength adds up every string under a key "text", however deep.
func textLength(v any) int {
	total := 0
	switch v := v.(type) {
	case []object:
		for _, o := range v {
			total += textLength(o)
		}
	case []any:
		for _, o := range v {
			total += textLength(o)
		}
	case object:
		for k, o := range v {
			if text, ok := o.(string); ok && k == "text" {
				total += utf8.RuneCountInString(text)
			} else {
				total += textLength(o)
			}
		}
	}
	return total
}

func str(o object, key string) string {
	text, _ := o[key].(string)
	return text
}

func objects(v any) []object {
	list, _ := v.([]any)
	out := make([]object, 0, len(list))
	for _, e := range list {
		if o, ok := e.(object); ok {
			out = append(out, o)
		}
	}
	return out
}
