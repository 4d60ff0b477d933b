package bot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// What people share with a message: files, and other messages.

// maxShared is how many files of one message are taken in; Slack's own limit is ten.
const maxShared = 20

// filesOf are the files of a message, and of those that are forwarded with it.
func filesOf(p post) []workflow.Attachment {
	var list []workflow.Attachment
	add := func(files []file) {
		for _, f := range files {
			if f.ID != "" && len(list) < maxShared {
				list = append(list, f.attachment(string(p.TS)))
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

func (f file) attachment(message string) workflow.Attachment {
	a := workflow.Attachment{
		Message: message, File: string(f.ID), Name: oneLine(string(cmp.Or(f.Name, f.Title, "a file")), 120),
		Kind: oneLine(string(cmp.Or(f.Mimetype, f.Filetype)), 100), Mode: string(f.Mode), URL: string(cmp.Or(f.Download, f.Private)),
	}
	if f.Size.v > 0 && f.Size.v < 1<<60 {
		a.Size = int64(f.Size.v)
	}
	switch {
	case f.External.v:
		a.Mode, a.URL = modeExternal, ""
	case f.Filetype == "quip" || f.Filetype == "canvas" || f.Mimetype == "application/vnd.slack-docs":
		a.Mode = modeCanvas
	case f.FileAccess == "check_file_info":
		a.URL = "" // files.info tells the rest
	}
	return a
}

// source says where a message that somebody shared comes from.
func (a attachment) source() string {
	s := "forwarded"
	if a.AuthorName != "" {
		s += " from " + oneLine(string(a.AuthorName), 80)
	}
	if a.Footer != "" {
		s += " (" + oneLine(unescape(string(a.Footer)), 80) + ")"
	}
	return s
}

// words are those of a message that somebody shared.
func (a attachment) words() string {
	if said := strings.TrimSpace(unescape(string(a.Text))); said != "" {
		return said
	}
	var b strings.Builder
	for _, m := range a.Blocks.v {
		var blocks any
		if json.Unmarshal(m.Message.v.Blocks, &blocks) == nil {
			blockWords(&b, blocks, 0)
		}
	}
	return cmp.Or(strings.TrimSpace(b.String()), strings.TrimSpace(unescape(string(a.Fallback))))
}

// blockWords writes the texts of blocks of any kind, in their order: what there is to read
// stands in "text", as a string or as an object with one; sections of rich text make lines.
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
			id, _ := v[map[string]string{"user": "user_id", "channel": "channel_id", "usergroup": "usergroup_id"}[kind]].(string)
			b.WriteString(map[string]string{"user": "<@", "channel": "<#", "usergroup": "<!subteam^"}[kind] + id + ">")
		case "link":
			if _, named := v["text"].(string); !named {
				url, _ := v["url"].(string)
				b.WriteString(url)
			}
		}
		blockWords(b, v["elements"], depth+1)
		blockWords(b, v["fields"], depth+1)
		if kind, _ := v["type"].(string); strings.HasPrefix(kind, "rich_text_") || kind == "section" || kind == "header" {
			b.WriteByte('\n')
		}
	}
}

const (
	maxWords     = 40_000 // characters of a message that was shared; Slack's own limit
	modeExternal = "external"
	modeCanvas   = "canvas"
)

// asPost is a message of the Web API in the lenient shape of an event's.
func asPost(m slack.Message) (p post, err error) {
	raw, err := json.Marshal(m.Msg)
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read message %s: %w", m.Timestamp, err)
	}
	return p, nil
}
