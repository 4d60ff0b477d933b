package shown

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
)

// Limits of what is read of one message.
const (
	maxDepth  = 20
	maxChars  = 40_000 // of the text, which is Slack's own limit, and again of all that is shown with it
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
	r.size = 0
	r.said = wordsOf(text)
	r.blocks(m["blocks"], 0)
	r.said = ""
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
	size   int    // characters so far
	said   string // the words of the text beside the blocks that are read
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

// add adds a line, unless it is empty, repeats the one before it, or there is too much already. It cuts a
// text that is too long.
func (r *reader) add(l Line) {
	l.Text = strings.TrimRight(strings.TrimLeft(l.Text, "\r\n"), " \t\r\n")
	if l.Kind != Text { // a text may begin with a margin, or with the empty cell of a table
		l.Text = strings.TrimSpace(l.Text)
	}
	if l.Text == "" && l.Name == "" && l.Link == "" {
		return
	}
	if l.Kind == Field && l.Name == "" {
		l.Kind = Text
	}
	if n := len(r.lines); n > 0 && r.lines[n-1] == l {
		return
	}
	left := maxChars - r.size - utf8.RuneCountInString(l.Name+l.Link)
	if text := []rune(l.Text); len(text) > max(left, 0) {
		r.missed("the rest of it, since it is too long")
		l.Text = string(text[:max(left, 0)])
	}
	r.size = maxChars - left + utf8.RuneCountInString(l.Text)
	if left > 0 {
		r.lines = append(r.lines, l)
	}
}

// part reads one attachment. It returns false if it shows nothing
// (https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments).
func (r *reader) part(at map[string]any) (p Part, shows bool) {
	p = Part{
		Kind:    partKind(at),
		Author:  cmp.Or(str(at, "author_name"), str(at, "author_subname")),
		Service: str(at, "service_name"),
		Where:   cmp.Or(str(at, "footer"), str(at, "channel_name")),
		Link:    cmp.Or(str(at, "from_url"), str(at, "original_url"), str(at, "app_unfurl_url")),
	}
	r.say(r.text(at, "pretext"))
	if title := r.text(at, "title"); title != "" {
		r.add(Line{Kind: Heading, Text: title, Link: str(at, "title_link")})
	}
	text := r.text(at, "text")
	r.say(text)
	for _, f := range list(at, "fields") {
		field, _ := f.(map[string]any)
		r.add(Line{Kind: Field, Name: r.text(field, "title"), Text: r.text(field, "value")})
	}
	r.blocks(at["blocks"], 0)
	r.said = wordsOf(text)
	for _, b := range list(at, "message_blocks") { // of a message that is shown
		block, _ := b.(map[string]any)
		r.blocks(object(block, "message")["blocks"], 0)
	}
	r.said = ""
	if o := object(at, "work_object_entity"); o != nil {
		r.workObject(o)
	}
	for _, a := range list(at, "actions") {
		action, _ := a.(map[string]any)
		r.add(Line{Kind: Address, Text: str(action, "text"), Link: str(action, "url")})
	}
	for _, f := range list(at, "files") {
		file, _ := f.(map[string]any)
		name := cmp.Or(str(file, "name"), str(file, "title"), "a file")
		r.say("[attached: " + mrkdwn.Escape(mrkdwn.OneLine(name, 120)) + "]")
	}
	r.pictures(at, p.Kind)
	if len(r.lines) == 0 {
		r.fallback(str(at, "fallback"))
	}
	p.Lines = r.take()
	return p, slices.ContainsFunc(p.Lines, p.tells)
}

// pictures notes that the pictures of an attachment are not read. Beside words, that of a preview adds
// nothing.
func (r *reader) pictures(at map[string]any, kind PartKind) {
	large := str(at, "image_url") != ""
	switch {
	case large && kind != Preview:
		r.missed("a picture")
	case len(r.lines) == 0 && (large || str(at, "thumb_url") != ""):
		r.missed("a picture of a preview")
	}
}

// fallback reads the text for programs that show nothing else. Of a message that has blocks alone, Slack
// makes one that says so.
func (r *reader) fallback(text string) {
	if strings.HasSuffix(strings.TrimSpace(text), "[no preview available]") {
		r.missed("a message without a preview")
		return
	}
	r.say(text)
}

// text returns a text of an attachment. Apps send numbers, too. What has another form is named as not read.
func (r *reader) text(m map[string]any, key string) string {
	switch v := m[key].(type) {
	case nil:
		return ""
	case string:
		return strings.TrimSpace(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	text := strings.TrimSpace(textOf(m[key]))
	if text == "" {
		r.missed("a text of an unknown form")
	}
	return text
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
