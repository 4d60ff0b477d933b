package shown

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
)

// blocks reads Block Kit (https://docs.slack.dev/reference/block-kit/blocks).
func (r *reader) blocks(v any, depth int) {
	blocks, _ := v.([]any)
	for _, e := range blocks {
		if b, ok := e.(map[string]any); ok {
			r.block(b, depth)
		}
	}
}

// block reads one block or element of a block.
func (r *reader) block(b map[string]any, depth int) {
	if depth > maxDepth {
		r.missed("deeply nested blocks")
		return
	}
	kind := str(b, "type")
	switch kind {
	case "divider", "actions_divider":
	case "header":
		if text := textOf(b["text"]); !r.repeats(text) {
			r.add(Line{Kind: Heading, Text: text})
		}
	case "section", "context", "markdown", "mrkdwn", "plain_text", "alert":
		r.words(b, depth)
	case "rich_text":
		for _, e := range list(b, "elements") {
			if section, _ := e.(map[string]any); !r.repeatsRich(section, depth) {
				r.say(richText(section, depth))
			}
		}
	case "image":
		r.picture(b)
	case "table", "data_table":
		r.table(b)
	case "video":
		to := cmp.Or(str(b, "title_url"), str(b, "video_url"))
		r.add(Line{Kind: Heading, Text: textOf(b["title"]), Link: to})
		r.say(textOf(b["description"]))
		r.say(str(b, "author_name"))
		r.say(str(b, "provider_name"))
	case "data_visualization":
		r.chart(b)
	case "button", "workflow_button", "url":
		r.add(Line{Kind: Address, Text: textOf(b["text"]), Link: str(b, "url")})
	case "actions", "context_actions":
		r.elements(b, depth)
	case "file", "input", "call", "share_shortcut":
		r.missed("a block of the kind " + kind)
	default:
		if controls.MatchString(kind) {
			r.control(b)
		} else {
			r.unknown(b, depth)
		}
	}
}

// controls matches the kinds of elements in which people choose or enter something
// (https://docs.slack.dev/reference/block-kit/block-elements).
var controls = regexp.MustCompile(`(_select|picker|_input|_button|_buttons)$|^(checkboxes|overflow)$`)

// control reads what is chosen in an element, and choices that are all in sight.
func (r *reader) control(b map[string]any) {
	if kind := str(b, "type"); kind == "checkboxes" || kind == "radio_buttons" {
		for _, o := range list(b, "options") {
			option, _ := o.(map[string]any)
			r.say(textOf(option["text"]))
			r.say(textOf(option["description"]))
		}
		return
	}
	r.say(textOf(object(b, "initial_option")["text"]))
	for _, o := range list(b, "initial_options") {
		option, _ := o.(map[string]any)
		r.say(textOf(option["text"]))
	}
	for _, key := range []string{"initial_value", "initial_date", "initial_time"} {
		r.say(mrkdwn.Escape(str(b, key)))
	}
	if user := str(b, "initial_user"); user != "" {
		r.say("<@" + user + ">")
	}
}

// words reads a block of texts: its text, fields, elements and accessory.
func (r *reader) words(b map[string]any, depth int) {
	text := textOf(b["text"])
	if name, value, pair := strings.Cut(text, "\n"); r.repeats(text) {
		// The message's text says it.
	} else if pair && isLabel(name) {
		r.add(Line{Kind: Field, Name: name, Text: value})
	} else {
		r.say(text)
	}
	r.say(textOf(b["title"]))
	r.say(textOf(b["description"]))
	for _, f := range list(b, "fields") {
		text := textOf(f)
		if name, value, pair := strings.Cut(text, "\n"); pair {
			r.add(Line{Kind: Field, Name: name, Text: value})
		} else {
			r.say(text)
		}
	}
	r.elements(b, depth)
	if accessory := object(b, "accessory"); accessory != nil {
		r.block(accessory, depth+1)
	}
}

func (r *reader) elements(b map[string]any, depth int) {
	for _, e := range list(b, "elements") {
		if element, ok := e.(map[string]any); ok {
			r.block(element, depth+1)
		}
	}
}

// isLabel reports whether a line of a section is the name of what stands below it, as in "*Release*".
func isLabel(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 2 && len(line) < 40 && strings.HasPrefix(line, "*") &&
		strings.HasSuffix(strings.TrimSuffix(line, ":"), "*")
}

// unknown reads a block of a kind that is not known here: Slack adds some every year. Its texts are found by
// the names that such blocks have used so far. What has another name is named as not read.
func (r *reader) unknown(b map[string]any, depth int) {
	before := len(r.lines)
	r.add(Line{Kind: Heading, Text: textOf(b["title"]), Link: str(b, "title_link")})
	for _, key := range namesOfTexts {
		if in := object(b, key); str(in, "type") == "rich_text" {
			r.block(in, depth+1)
		} else {
			r.say(textOf(b[key]))
		}
	}
	if status := str(b, "status"); status != "" {
		r.add(Line{Kind: Field, Name: "status", Text: status})
	}
	for _, key := range namesOfLists {
		r.blocks(b[key], depth+1)
	}
	for _, key := range namesOfBlocks {
		if inner := object(b, key); inner != nil {
			r.block(inner, depth+1)
		}
	}
	kind := "a block of the kind " + cmp.Or(str(b, "type"), "that has no name")
	if len(r.lines) == before && len(r.unread) < maxUnread {
		r.missed(kind)
	} else if hasMore(b) {
		r.missed("a part of " + kind)
	}
}

// The names by which blocks have texts, lists of blocks and blocks within them, and what shows no words.
var (
	namesOfTexts = []string{
		"rich_text_title", "subtitle", "text", "body", "details", "output", "description", "subtext",
	}
	namesOfLists = []string{
		"fields", "elements", "blocks", "child_blocks", "tasks", "items", "cards", "columns", "sources",
		"actions",
	}
	namesOfBlocks = []string{"image", "hero_image", "accessory", "child_block"}
	wordless      = []string{"title", "icon", "slack_icon", "style", "confirm"}
)

// hasMore reports whether a block has a list or an object of a name that is not known.
func hasMore(b map[string]any) bool {
	for key, v := range b {
		known := slices.Contains(slices.Concat(namesOfTexts, namesOfLists, namesOfBlocks, wordless), key)
		switch v.(type) {
		case map[string]any, []any:
			if !known {
				return true
			}
		}
	}
	return false
}

// picture reads what a picture says of itself. Its content is not read.
func (r *reader) picture(b map[string]any) {
	said := mrkdwn.OneLine(textOf(b["title"]), 500)
	if alt := mrkdwn.Escape(mrkdwn.OneLine(str(b, "alt_text"), 500)); said == "" {
		said = alt
	} else if alt != "" && alt != said {
		said += ": " + alt
	}
	if said == "" {
		r.missed("a picture without a description")
		return
	}
	r.say("[picture: " + said + "]")
}

// textOf returns the text of a text object, or a string as it is
// (https://docs.slack.dev/reference/block-kit/composition-objects/text-object).
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		if str(v, "type") == "rich_text" {
			return richText(v, 0)
		}
		return str(v, "text")
	}
	return ""
}

// richText returns the text of one part of rich text, as Slack writes it in a message's text
// (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block).
func richText(e map[string]any, depth int) string {
	if e == nil {
		return ""
	}
	if depth > maxDepth {
		return "[not read: deeply nested text]"
	}
	switch kind := str(e, "type"); kind {
	case "link", "attachment_mention":
		label := strings.NewReplacer("<", "", ">", "", "|", "").Replace(str(e, "text"))
		if url := str(e, "url"); label != "" && label != url {
			return "<" + url + "|" + mrkdwn.Escape(label) + ">"
		}
		return "<" + str(e, "url") + ">"
	case "user":
		return "<@" + str(e, "user_id") + ">"
	case "channel":
		return "<#" + str(e, "channel_id") + ">"
	case "usergroup":
		return "<!subteam^" + str(e, "usergroup_id") + ">"
	case "broadcast":
		return "@" + str(e, "range")
	case "emoji":
		return ":" + str(e, "name") + ":"
	case "date":
		return dateText(e)
	case "color":
		return mrkdwn.Escape(str(e, "value"))
	case "rich_text_preformatted":
		return "```\n" + joined(e, "", depth) + "\n```"
	case "rich_text_quote":
		return "&gt; " + strings.ReplaceAll(joined(e, "", depth), "\n", "\n&gt; ")
	case "rich_text_list":
		return richList(e, depth)
	case "rich_text":
		return joined(e, "\n", depth)
	}
	if text := str(e, "text"); text != "" {
		if style := object(e, "style"); style["code"] == true {
			return "`" + mrkdwn.Escape(text) + "`"
		}
		return mrkdwn.Escape(text)
	}
	if text := joined(e, "", depth); text != "" || str(e, "url") == "" {
		return text
	}
	return "<" + str(e, "url") + ">"
}

// dateText returns a date as its writer says it for programs that cannot format it, or in UTC.
func dateText(e map[string]any) string {
	if said := str(e, "fallback"); said != "" {
		return mrkdwn.Escape(said)
	}
	if at, _ := e["timestamp"].(float64); at > 0 && at < 1e11 {
		return time.Unix(int64(at), 0).UTC().Format("2006-01-02 15:04 UTC")
	}
	return ""
}

// joined returns the texts of an element's elements.
func joined(e map[string]any, between string, depth int) string {
	var texts []string
	for _, inner := range list(e, "elements") {
		element, _ := inner.(map[string]any)
		texts = append(texts, richText(element, depth+1))
	}
	return strings.Join(texts, between)
}

// richList returns a list of rich text with one item a line.
func richList(e map[string]any, depth int) string {
	indent, _ := e["indent"].(float64)
	first, _ := e["offset"].(float64)
	margin := strings.Repeat("  ", min(max(0, int(indent)), 8))
	var lines []string
	for i, inner := range list(e, "elements") {
		item, _ := inner.(map[string]any)
		mark := "- "
		if str(e, "style") == "ordered" {
			mark = strconv.Itoa(int(first)+i+1) + ". "
		}
		lines = append(lines, margin+mark+richText(item, depth+1))
	}
	return strings.Join(lines, "\n")
}
