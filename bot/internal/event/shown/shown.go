package shown

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
)

// Limits of what is read of one message.
const (
	maxDepth  = 20
	maxChars  = 40_000 // of all texts together: Slack's own limit for a message's text
	maxParts  = 100    // Slack's advice for attachments of a message
	maxUnread = 5
)

// A Message is what Slack shows of one message.
type Message struct {
	Lines  []Line // its text, and blocks that show more than the text
	Parts  []Part // what is attached to it or shown below it
	Unread []string
}

// LineKind says what a Line is.
type LineKind int

// The kinds of lines.
const (
	Text    LineKind = iota
	Heading          // a header block, or the title of an attachment; Link may be set
	Field            // Name and Text
	Address          // the address behind a button or a picture: Link and, as its label, Text
)

// A Line is one piece of text. It may have several lines.
type Line struct {
	Kind LineKind
	Name string // of a field
	Text string
	Link string
}

// PartKind says what a Part is.
type PartKind int

// The kinds of parts.
const (
	Attached  PartKind = iota // what the author attached: apps report alerts that way
	Forwarded                 // a message that a person shared
	Quoted                    // the preview of a message of Slack
	Preview                   // the preview of a link, by Slack or by an app
)

// A Part is one attachment of a message.
type Part struct {
	Kind    PartKind
	Author  string
	Service string // the app or site of a preview: "GitHub"
	Where   string // "Posted in #general"
	Link    string // of the message or page that is shown
	Lines   []Line
}

// Read reads a message. It returns an empty Message for what is not an object.
func Read(message []byte) Message {
	var m map[string]any
	if json.Unmarshal(message, &m) != nil {
		return Message{}
	}
	return readMessage(m)
}

func readMessage(m map[string]any) Message {
	r := &reader{}
	text := strings.TrimSpace(str(m, "text"))
	r.say(text)
	// With a text, blocks of text say the same once more. Slack makes both from what a person writes.
	r.blocks(m["blocks"], text != "", 0)
	message := Message{Lines: r.take()}
	for _, a := range list(m, "attachments") {
		at, ok := a.(map[string]any)
		if !ok || len(message.Parts) >= maxParts {
			r.missed("an attachment")
			continue
		}
		if p, shows := r.part(at); shows {
			message.Parts = append(message.Parts, p)
		}
	}
	if str(m, "subtype") == "huddle_thread" || m["room"] != nil {
		r.missed("a call")
	}
	message.Unread = r.unread
	return message
}

// A reader collects lines.
type reader struct {
	lines  []Line
	size   int
	unread []string
}

func (r *reader) take() []Line {
	lines := r.lines
	r.lines = nil
	return lines
}

// missed notes something that is shown and was not read.
func (r *reader) missed(what string) {
	if what = mrkdwn.OneLine(what, 60); !slices.Contains(r.unread, what) && len(r.unread) < maxUnread {
		r.unread = append(r.unread, what)
	}
}

func (r *reader) say(text string) { r.add(Line{Text: text}) }

// add adds a line, unless it is empty, repeats the one before it, or there is too much already.
func (r *reader) add(l Line) {
	l.Text = strings.TrimSpace(l.Text)
	if l.Text == "" && l.Name == "" && l.Link == "" {
		return
	}
	if n := len(r.lines); n > 0 && r.lines[n-1] == l {
		return
	}
	if r.size += len(l.Text) + len(l.Name) + len(l.Link); r.size > maxChars {
		r.missed("the rest of it, since it is too long")
		return
	}
	r.lines = append(r.lines, l)
}

// part reads one attachment. It returns false if it shows nothing
// (https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments).
func (r *reader) part(at map[string]any) (p Part, shows bool) {
	p = Part{
		Kind:    partKind(at),
		Author:  str(at, "author_name"),
		Service: str(at, "service_name"),
		Where:   str(at, "footer"),
		Link:    cmp.Or(str(at, "from_url"), str(at, "original_url"), str(at, "app_unfurl_url")),
	}
	r.say(str(at, "pretext"))
	if title := str(at, "title"); title != "" {
		r.add(Line{Kind: Heading, Text: title, Link: str(at, "title_link")})
	}
	text := strings.TrimSpace(str(at, "text"))
	r.say(text)
	for _, f := range list(at, "fields") {
		field, _ := f.(map[string]any)
		r.add(Line{Kind: Field, Name: str(field, "title"), Text: str(field, "value")})
	}
	r.blocks(at["blocks"], false, 0)
	for _, b := range list(at, "message_blocks") { // of a message that is shown
		block, _ := b.(map[string]any)
		r.blocks(object(block, "message")["blocks"], text != "", 0)
	}
	for _, a := range list(at, "actions") {
		action, _ := a.(map[string]any)
		r.add(Line{Kind: Address, Text: str(action, "text"), Link: str(action, "url")})
	}
	if len(r.lines) == 0 {
		r.say(str(at, "fallback"))
	}
	if len(r.lines) == 0 && (str(at, "image_url") != "" || str(at, "thumb_url") != "") {
		r.missed("a picture of a preview")
	}
	p.Lines = r.take()
	return p, slices.ContainsFunc(p.Lines, p.tells)
}

// tells reports whether a line says more than where a link leads, which the message has itself.
func (p Part) tells(l Line) bool {
	return p.Kind != Preview || l.Text != p.Link && l.Text != l.Link
}

// partKind tells what an attachment is by the fields that Slack adds to it.
func partKind(at map[string]any) PartKind {
	switch {
	case at["is_share"] == true:
		return Forwarded
	case at["is_msg_unfurl"] == true, at["is_reply_unfurl"] == true, at["is_thread_root_unfurl"] == true:
		return Quoted
	case str(at, "from_url") != "", str(at, "original_url") != "", str(at, "app_unfurl_url") != "",
		at["is_app_unfurl"] == true:
		return Preview
	}
	return Attached
}

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func object(m map[string]any, key string) map[string]any {
	o, _ := m[key].(map[string]any)
	return o
}

func list(m map[string]any, key string) []any {
	l, _ := m[key].([]any)
	return l
}
