package event

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// This file reads what people share with a message: files and other messages.

// maxShared limits how many files of one message are read; Slack's own limit is ten.
const maxShared = 20

// quoteShared returns lines that name the files of a message and quote the messages that were shared with it.
func quoteShared(p post) (s string) {
	for _, f := range p.Files.v {
		s += "\n[attached: " + mrkdwn.OneLine(string(cmp.Or(f.Name, f.Title, "a file")), 120) + "]"
	}
	for _, a := range p.Attachments.v {
		words := a.sharedWords()
		if !a.IsShare.v || words == "" {
			continue
		}
		quoted := strings.ReplaceAll(words, "\n", "\n> ")
		s += "\n> " + a.sharedSource() + ": " + quoted
	}
	return s
}

// sharedFiles returns the files of a message and of the messages that are forwarded
// with it, at most maxShared.
func sharedFiles(p post) []workflow.Attachment {
	var list []workflow.Attachment
	add := func(files []file) {
		for _, f := range files {
			if f.ID != "" && len(list) < maxShared {
				list = append(list, f.toAttachment(string(p.TS)))
			}
		}
	}
	add(p.Files.v)
	for _, a := range p.Attachments.v {
		if a.IsShare.v {
			add(a.Files.v)
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

// sharedSource describes the author and the place of a shared message.
func (a attachment) sharedSource() string {
	s := "forwarded"
	if a.AuthorName != "" {
		s += " from " + mrkdwn.OneLine(string(a.AuthorName), 80)
	}
	if a.Footer != "" {
		s += " (" + mrkdwn.OneLine(mrkdwn.Unescape(string(a.Footer)), 80) + ")"
	}
	return s
}

// sharedWords returns the text of a shared message, taken from its text, its blocks or its fallback.
func (a attachment) sharedWords() string {
	if text := strings.TrimSpace(mrkdwn.Unescape(string(a.Text))); text != "" {
		return text
	}
	var b strings.Builder
	for _, m := range a.Blocks.v {
		var blocks any
		if json.Unmarshal(m.Message.v.Blocks, &blocks) == nil {
			blockWords(&b, blocks, 0)
		}
	}
	return cmp.Or(strings.TrimSpace(b.String()), strings.TrimSpace(mrkdwn.Unescape(string(a.Fallback))))
}

// blockWords writes the texts of blocks of any kind in their order. A text is the value of "text": a string
// or an object that holds one. Each section of rich text becomes a line.
func blockWords(b *strings.Builder, v any, depth int) {
	if depth > 20 || b.Len() > maxWords {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			blockWords(b, e, depth+1)
		}
	case map[string]any:
		switch text := v["text"].(type) {
		case string:
			b.WriteString(text)
		default:
			blockWords(b, text, depth+1)
		}
		switch kind, _ := v["type"].(string); kind {
		case "user", "channel", "usergroup":
			id, _ := v[map[string]string{
				"user":      "user_id",
				"channel":   "channel_id",
				"usergroup": "usergroup_id",
			}[kind]].(string)
			b.WriteString(
				map[string]string{"user": "<@", "channel": "<#", "usergroup": "<!subteam^"}[kind] + id + ">")
		case "link":
			if _, named := v["text"].(string); !named {
				url, _ := v["url"].(string)
				b.WriteString(url)
			}
		}
		blockWords(b, v["elements"], depth+1)
		blockWords(b, v["fields"], depth+1)
		if kind, _ := v["type"].(string); strings.HasPrefix(kind, "rich_text_") || kind == "section" ||
			kind == "header" {
			b.WriteByte('\n')
		}
	}
}

const (
	maxWords     = 40_000 // limit for the text of a shared message; the same as Slack's own limit
	ModeExternal = "external"
	ModeCanvas   = "canvas"
)

// readPost parses a message of the Web API as leniently as a message of an event.
func readPost(m slack.Message) (p post, err error) {
	raw, err := json.Marshal(m.Msg)
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read message %s: %w", m.Timestamp, err)
	}
	return p, nil
}

// ReadShared returns what was shared with a message of the Web API: its files, and lines that name them and
// quote other messages. It returns nothing for a message that cannot be parsed.
func ReadShared(m slack.Message) (quoted string, files []workflow.Attachment) {
	p, err := readPost(m)
	if err != nil {
		return "", nil
	}
	return quoteShared(p), sharedFiles(p)
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
