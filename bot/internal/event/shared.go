package event

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event/shown"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// This file reads what people share with a message: files and other messages.

// maxShared limits how many files of one message are read; Slack's own limit is ten.
const maxShared = 20

// maxTold is how many bytes are quoted of what Slack tells of one file.
const maxTold = 8000

// quoteShared returns lines that name the files of a message, and quote what is shown with its text: blocks
// such as tables, forwarded messages, previews of links and messages, and attachments of apps. Whose words
// they are is said, and none of them are the author's own.
func quoteShared(p post) (s string) {
	own := p.Files.v[:min(len(p.Files.v), maxShared)]
	for _, f := range own {
		s += "\n[attached: " + mrkdwn.OneLine(string(cmp.Or(f.Name, f.Title, "a file")), 120) + "]"
	}
	for _, f := range own {
		s += f.told()
	}
	m := p.shown()
	if more := len(p.allFiles()) - maxShared; more > 0 {
		m.Unread = append(m.Unread, plaintext.CountNoun(more, "more file"))
	}
	if lines := p.ownLines(m); len(lines) > 0 {
		s += quoted("shown with it", lines)
	}
	for _, part := range m.Parts {
		s += quoted(sourceOf(part), part.Lines)
	}
	if len(m.Unread) > 0 {
		s += "\n[not read: " + strings.Join(m.Unread, ", ") + "]"
	}
	return s
}

// addedBelow returns quotes of what a message shows now and did not show before, such as the preview of a
// link. Files are no part of it: they come with their message.
func addedBelow(before, now post) (s string) {
	had := before.shown().Parts
	for _, part := range now.shown().Parts {
		same := func(p shown.Part) bool { return reflect.DeepEqual(p, part) }
		if !slices.ContainsFunc(had, same) {
			s += quoted(sourceOf(part), part.Lines)
		}
	}
	return strings.TrimSpace(s)
}

// told returns quotes of what Slack tells of a file: its description, what is said in a voice clip, and the
// text of an email (https://docs.slack.dev/reference/objects/file-object).
func (f file) told() (s string) {
	name := mrkdwn.OneLine(string(cmp.Or(f.Name, f.Title, "the file")), 120)
	say := func(what string, text jstring) {
		if said := strings.TrimSpace(string(text)); said != "" {
			s += quoted(what+" "+name, []shown.Line{{Text: mrkdwn.Escape(plaintext.CutBytes(said, maxTold))}})
		}
	}
	say("description of", f.Alt)
	say("said in", f.Transcript.v.Preview.v.Content)
	if len(f.From.v) > 0 || f.Subject != "" {
		from := jstring("")
		for _, a := range f.From.v {
			from += " " + cmp.Or(a.Name, a.Address) + " <" + a.Address + ">"
		}
		say("email in", "from"+from+": "+f.Subject+"\n"+cmp.Or(f.Plain, f.PreviewPlain))
	}
	return s
}

// textInBlocks reports whether blocks are the text of the message: an app may post nothing else. A person's
// own words are always in the text.
func (p post) textInBlocks() bool { return strings.TrimSpace(string(p.Text)) == "" && p.BotID != "" }

// ownLines returns what the message shows beside its text, or nothing if it is all that it shows.
func (p post) ownLines(m shown.Message) []shown.Line {
	switch {
	case p.textInBlocks() || len(m.Lines) == 0:
		return nil
	case strings.TrimSpace(string(p.Text)) == "":
		return m.Lines
	}
	return m.Lines[1:] // the first is the text
}

// quoted returns lines as a quote, with their source before them.
func quoted(source string, lines []shown.Line) string {
	text := mrkdwn.Visible(mrkdwn.Unescape(linesText(lines)))
	between := ": "
	if strings.Contains(text, "\n") {
		between = ":\n> "
	}
	return "\n> " + source + between + strings.ReplaceAll(text, "\n", "\n> ")
}

// linesText returns lines as one text, in which names of fields and addresses stay recognisable.
func linesText(lines []shown.Line) string {
	var texts []string
	for _, l := range lines {
		text := l.Text
		switch {
		case l.Kind == shown.Field:
			text = strings.Trim(l.Name, " *:") + ": " + text
		case l.Link != "" && text != "" && text != l.Link:
			text += " (" + l.Link + ")"
		case l.Link != "":
			text = l.Link
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}

// sourceOf says what a part of a message is, and whose words it has.
func sourceOf(p shown.Part) string {
	s := map[shown.PartKind]string{
		shown.Forwarded: "forwarded",
		shown.Quoted:    "preview",
		shown.Preview:   "preview",
		shown.Attached:  "attached",
	}[p.Kind]
	line := func(text string) string { return mrkdwn.OneLine(mrkdwn.Unescape(text), 80) }
	if (p.Kind == shown.Preview || p.Kind == shown.Quoted) && p.Link != "" {
		s += " of " + mrkdwn.OneLine(p.Link, 300)
	}
	if p.Service != "" {
		s += " by " + line(p.Service)
	}
	if p.Author != "" {
		s += " from " + line(p.Author)
	}
	if p.Where != "" {
		s += " (" + line(p.Where) + ")"
	}
	return s
}

// allFiles returns the files of a message and of the messages that are forwarded with it.
func (p post) allFiles() []file {
	all := slices.Clone(p.Files.v)
	for _, a := range p.Attachments.v {
		if a.IsShare.v {
			all = append(all, a.Files.v...)
		}
	}
	return all
}

// sharedFiles returns the files of a message and of the messages that are forwarded
// with it, at most maxShared.
func sharedFiles(p post) (list []workflow.Attachment) {
	all := p.allFiles()
	for _, f := range all[:min(len(all), maxShared)] {
		if f.ID != "" {
			list = append(list, f.toAttachment(string(p.TS)))
		}
	}
	return list
}

func (f file) toAttachment(message string) workflow.Attachment {
	a := workflow.Attachment{
		Message: message,
		File:    string(f.ID),
		Name:    mrkdwn.OneLine(string(cmp.Or(f.Name, f.Title, "a file")), 120),
		Kind:    mrkdwn.OneLine(string(cmp.Or(f.Mimetype, f.Filetype)), 100),
		Mode:    string(f.Mode),
		URL:     string(cmp.Or(f.Download, f.Private)),
	}
	if f.Size.v > 0 && f.Size.v < 1<<60 {
		a.Size = int64(f.Size.v)
	}
	switch {
	case f.External.v:
		a.Mode = ModeExternal
		a.URL = ""
	case f.Filetype == "quip" || f.Filetype == "canvas" || f.Mimetype == "application/vnd.slack-docs":
		a.Mode = ModeCanvas
	case f.FileAccess == "check_file_info":
		a.URL = "" // the fetcher gets the rest from files.info
	}
	return a
}

// The modes of files that the bot cannot read as they are.
const (
	ModeExternal = "external"
	ModeCanvas   = "canvas"
)

// readPost parses a message of the Web API as leniently as a message of an event.
func readPost(m bot.Message) (p post, err error) {
	raw, err := json.Marshal(rawOf(m))
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read message %s: %w", m.Timestamp, err)
	}
	return p, nil
}

// rawOf returns what a message's JSON is made of: itself, if it is there.
func rawOf(m bot.Message) any {
	if len(m.Raw) > 0 {
		return m.Raw
	}
	return m.Msg
}

// ReadShown returns the text of a message of the Web API, with lines that name its files and quote what else
// is shown with it, and the files. It returns nothing for a message that cannot be parsed.
func ReadShown(m bot.Message) (text string, files []workflow.Attachment) {
	p, err := readPost(m)
	if err != nil {
		return "", nil
	}
	return Reader{}.readWords(p), sharedFiles(p)
}

// ReadFile translates the response of files.info about a file that was shared with the message of that ts.
func ReadFile(info *slack.File, id, message string) workflow.Attachment {
	f := file{
		ID:       jstring(id),
		Name:     jstring(info.Name),
		Title:    jstring(info.Title),
		Mimetype: jstring(info.Mimetype),
		Filetype: jstring(info.Filetype),
		Mode:     jstring(info.Mode),
		Download: jstring(info.URLPrivateDownload),
		Private:  jstring(info.URLPrivate),
	}
	f.Size.v = float64(info.Size)
	f.External.v = info.IsExternal
	return f.toAttachment(message)
}
