package shown

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
)

// Limits of a table. Slack's own are 100 rows and 20 columns
// (https://docs.slack.dev/reference/block-kit/blocks/table-block).
const (
	maxRows    = 200
	maxColumns = 50
	maxCell    = 500 // characters
)

// table reads a table as lines with tabs between the cells.
func (r *reader) table(b map[string]any) {
	r.say(textOf(b["caption"]))
	var lines []string
	rows := list(b, "rows")
	for _, row := range rows[:min(len(rows), maxRows)] {
		cells, _ := row.([]any)
		if in, ok := row.(map[string]any); ok {
			cells = list(in, "cells")
		}
		if len(cells) > maxColumns {
			r.missed(fmt.Sprintf("%d columns of a table", len(cells)-maxColumns))
		}
		var texts []string
		for _, cell := range cells[:min(len(cells), maxColumns)] {
			texts = append(texts, cellText(cell))
		}
		lines = append(lines, strings.Join(texts, "\t"))
	}
	if more := len(rows) - maxRows; more > 0 {
		r.missed(fmt.Sprintf("%d rows of a table", more))
	}
	if len(lines) == 0 {
		r.missed("a table without rows")
		return
	}
	r.say(strings.Join(lines, "\n"))
}

// cellText returns the text of a cell in one line. The button in a cell of actions is its text.
func cellText(v any) string {
	cell, _ := v.(map[string]any)
	text := mrkdwn.Escape(str(cell, "text"))
	if text == "" {
		text = cmp.Or(textOf(cell["text"]), textOf(object(cell, "element")["text"]))
	}
	switch n := cell["value"].(type) {
	case float64:
		if text == "" {
			text = strconv.FormatFloat(n, 'f', -1, 64)
		}
	case string:
		if text == "" {
			text = mrkdwn.Escape(n)
		}
	}
	if str(cell, "type") == "rich_text" {
		text = richText(cell, 0)
	}
	return strings.ReplaceAll(mrkdwn.OneLine(text, maxCell), "\t", " ")
}
