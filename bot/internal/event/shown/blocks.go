package shown

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
)

// repeats are the kinds of blocks whose words the text of a message has, too.
var repeats = map[string]bool{"rich_text": true, "section": true, "markdown": true, "header": true}

// blocks reads Block Kit (https://docs.slack.dev/reference/block-kit/blocks). If the message has a text, the
// blocks that repeat it are left out.
func (r *reader) blocks(v any, texted bool, depth int) {
	blocks, _ := v.([]any)
	for _, e := range blocks {
		b, ok := e.(map[string]any)
		if !ok || texted && repeats[str(b, "type")] && b["accessory"] == nil && b["fields"] == nil {
			continue
		}
		r.block(b, depth)
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
		r.add(Line{Kind: Heading, Text: textOf(b["text"])})
	case "section", "context", "markdown", "mrkdwn", "plain_text", "alert":
		r.words(b, depth)
	case "rich_text":
		for _, e := range list(b, "elements") {
			section, _ := e.(map[string]any)
			r.say(richText(section, depth))
		}
	case "image":
		r.picture(b)
	case "table", "data_table":
		r.table(b)
	case "video":
		r.add(Line{Kind: Heading, Text: textOf(b["title"]), Link: cmp.Or(str(b, "title_url"), str(b, "video_url"))})
		r.say(textOf(b["description"]))
	case "button", "workflow_button":
		r.add(Line{Kind: Address, Text: textOf(b["text"]), Link: str(b, "url")})
	case "actions":
		r.elements(b, depth)
	case "file", "input", "call", "share_shortcut":
		r.missed("a block of the kind " + kind)
	default:
		r.unknown(b, depth)
	}
}

// words reads a block of texts: its text, fields, elements and accessory.
func (r *reader) words(b map[string]any, depth int) {
	text := textOf(b["text"])
	if name, value, pair := strings.Cut(text, "\n"); pair && isLabel(name) {
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
// the names that such blocks have used so far. If it has none, it is named as not read.
func (r *reader) unknown(b map[string]any, depth int) {
	before := len(r.lines)
	r.add(Line{Kind: Heading, Text: textOf(b["title"]), Link: str(b, "title_link")})
	for _, key := range []string{"subtitle", "text", "body", "details", "output", "description", "subtext"} {
		if in := object(b, key); str(in, "type") == "rich_text" {
			r.block(in, depth+1)
		} else {
			r.say(textOf(b[key]))
		}
	}
	for _, key := range []string{"fields", "elements", "blocks", "tasks", "items", "cards", "columns"} {
		for _, e := range list(b, key) {
			if inner, ok := e.(map[string]any); ok {
				r.block(inner, depth+1)
			}
		}
	}
	for _, key := range []string{"image", "hero_image", "accessory", "child_block"} {
		if inner := object(b, key); inner != nil {
			r.block(inner, depth+1)
		}
	}
	if len(r.lines) == before && len(r.unread) < maxUnread {
		r.missed("a block of the kind " + cmp.Or(str(b, "type"), "that has no name"))
	}
}

// picture reads what a picture says of itself. Its content is not read.
func (r *reader) picture(b map[string]any) {
	said := mrkdwn.OneLine(cmp.Or(textOf(b["title"]), mrkdwn.Escape(str(b, "alt_text"))), 500)
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
	if e == nil || depth > maxDepth {
		return ""
	}
	switch kind := str(e, "type"); kind {
	case "link":
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
		return mrkdwn.Escape(str(e, "fallback"))
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
	return joined(e, "", depth)
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
