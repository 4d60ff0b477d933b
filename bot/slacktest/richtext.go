package slacktest

import (
	"encoding/json"
	"regexp"
	"strings"
)

// A person's message contains its text twice, as Slack's clients send it: in text, with mentions as <@U…>,
// and as a rich_text block.

var marks = regexp.MustCompile(`<([^<>]+)>`)

// richText returns the rich_text block for a text.
func (s *state) richText(text string) json.RawMessage {
	var elements []object
	plain := func(part string) {
		if part != "" {
			elements = append(elements, object{"type": "text", "text": unescape(part)})
		}
	}
	from := 0
	for _, at := range marks.FindAllStringSubmatchIndex(text, -1) {
		plain(text[from:at[0]])
		elements = append(elements, mark(text[at[2]:at[3]]))
		from = at[1]
	}
	plain(text[from:])
	if len(elements) == 0 {
		return nil
	}
	section := object{"type": "rich_text_section", "elements": elements}
	return mustJSON([]object{{"type": "rich_text", "block_id": s.id("b"), "elements": []object{section}}})
}

// mark returns the element for the text between < and >.
func mark(inner string) object {
	target, label, _ := strings.Cut(inner, "|")
	switch {
	case strings.HasPrefix(target, "@"):
		return object{"type": "user", "user_id": target[1:]}
	case strings.HasPrefix(target, "#"):
		return object{"type": "channel", "channel_id": target[1:]}
	case strings.HasPrefix(target, "!subteam^"):
		return object{"type": "usergroup", "usergroup_id": strings.TrimPrefix(target, "!subteam^")}
	case strings.HasPrefix(target, "!"):
		return object{"type": "broadcast", "range": target[1:]}
	}
	link := object{"type": "link", "url": target}
	put(link, "text", label)
	return link
}

var escapes = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

func unescape(text string) string { return escapes.Replace(text) }

// Readable returns a message's text as people see it: names for mentions, no escapes.
func (s *Server) Readable(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.readable(text)
}

func (s *state) readable(text string) string {
	text = marks.ReplaceAllStringFunc(text, func(m string) string {
		target, label, labelled := strings.Cut(m[1:len(m)-1], "|")
		switch {
		case strings.HasPrefix(target, "!date^"):
			return label // the fallback text of a date
		case strings.HasPrefix(target, "@"):
			return "@" + s.nameOf(target[1:])
		case strings.HasPrefix(target, "#") && s.channels[target[1:]] != nil:
			return "#" + s.channels[target[1:]].Name
		case strings.HasPrefix(target, "!subteam^") && s.groups[target[9:]] != nil:
			return "@" + s.groups[target[9:]].Handle
		case strings.HasPrefix(target, "!"):
			return "@" + target[1:]
		case labelled:
			return label
		}
		return target
	})
	return unescape(text)
}

func (s *state) nameOf(user string) string {
	if u := s.users[user]; u != nil {
		return u.Name
	}
	return user
}
