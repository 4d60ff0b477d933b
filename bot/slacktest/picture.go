package slacktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Picture is what a call shows, in the form that Slack's Block Kit Builder takes: blocks, and
// the text beside them. A message without blocks is shown by sections with its text. What
// breaks one of Slack's limits is an error.
func Picture(r Request) ([]byte, error) {
	text, most := r.Args.Get("text"), maxMessageBlocks
	var view object
	given := r.Args.Get("blocks")
	if v := r.Args.Get("view"); v != "" {
		if err := json.Unmarshal([]byte(v), &view); err != nil {
			return nil, fmt.Errorf("view: %w", err)
		}
		given, most = string(mustJSON(view["blocks"])), maxViewBlocks
	}
	var blocks []object
	if given != "" {
		if err := json.Unmarshal([]byte(given), &blocks); err != nil {
			return nil, fmt.Errorf("blocks: %w", err)
		}
	}
	if n := utf8.RuneCountInString(text); n > maxUpdateText {
		return nil, fmt.Errorf("text: %d characters are more than %d", n, maxUpdateText)
	}
	if view == nil && text == "" {
		return nil, fmt.Errorf("text: nothing for those who see no blocks")
	}
	if len(blocks) == 0 {
		for rest := []rune(text); len(rest) > 0; rest = rest[min(len(rest), 3000):] {
			part := string(rest[:min(len(rest), 3000)])
			blocks = append(blocks, object{"type": "section", "text": object{"type": "mrkdwn", "text": part, "verbatim": true}})
		}
	}
	if err := checkBlocks(blocks, most, "invalid_blocks"); err != nil {
		return nil, fmt.Errorf("%w: %v", err, err.(*failure).messages)
	}
	if textLength(blocks) > maxBlocksText && view == nil {
		return nil, fail("msg_blocks_too_long")
	}
	if view == nil {
		view = object{"text": text}
	}
	view["blocks"] = blocks
	return drawn(view)
}

// drawn is indented JSON with <, > and & as they are.
func drawn(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return out.Bytes(), err
}
