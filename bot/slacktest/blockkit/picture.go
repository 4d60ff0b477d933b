package blockkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"unicode/utf8"
)

// updatableText is the text of a message that is not too long to be updated.
const updatableText = 4_000

// Picture is what a call with those arguments shows, in the form that Slack's Block Kit Builder takes: blocks, and
// the text beside them. A message without blocks is shown by sections with its text. What
// breaks one of Slack's limits is an error.
func Picture(args url.Values) ([]byte, error) {
	text, most := args.Get("text"), MaxMessageBlocks
	var view Object
	given := args.Get("blocks")
	if v := args.Get("view"); v != "" {
		if err := json.Unmarshal([]byte(v), &view); err != nil {
			return nil, fmt.Errorf("view: %w", err)
		}
		given, most = string(MustJSON(view["blocks"])), maxViewBlocks
	}
	var blocks []Object
	if given != "" {
		if err := json.Unmarshal([]byte(given), &blocks); err != nil {
			return nil, fmt.Errorf("blocks: %w", err)
		}
	}
	if n := utf8.RuneCountInString(text); n > updatableText {
		return nil, fmt.Errorf("text: %d characters are more than %d", n, updatableText)
	}
	if view == nil && text == "" {
		return nil, fmt.Errorf("text: nothing for those who see no blocks")
	}
	if len(blocks) == 0 {
		for rest := []rune(text); len(rest) > 0; rest = rest[min(len(rest), 3000):] {
			part := string(rest[:min(len(rest), 3000)])
			blocks = append(blocks, Object{"type": "section", "text": Object{"type": "mrkdwn", "text": part, "verbatim": true}})
		}
	}
	if wrong := CheckBlocks(blocks, most); len(wrong) > 0 {
		return nil, fmt.Errorf("invalid_blocks: %v", wrong)
	}
	if TextLength(blocks) > MaxBlocksText && view == nil {
		return nil, errors.New("msg_blocks_too_long")
	}
	if view == nil {
		view = Object{"text": text}
	}
	view["blocks"] = blocks
	return indentJSON(view)
}

// indentJSON writes indented JSON with <, > and & as they are.
func indentJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return out.Bytes(), err
}
