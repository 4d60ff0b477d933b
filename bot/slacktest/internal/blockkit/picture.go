package blockkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"unicode/utf8"
)

// updatableText is the maximum length in characters of a message's text that chat.update accepts.
const updatableText = 4_000

// Picture returns what a call with the given arguments shows, in the format of Slack's Block Kit Builder:
// the blocks and the text. A message without blocks is shown as sections with its text. Picture returns an
// error if a limit of Slack is exceeded.
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

// indentJSON returns v as indented JSON, with <, > and & unescaped.
func indentJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return out.Bytes(), err
}
