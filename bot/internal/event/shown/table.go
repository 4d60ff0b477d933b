package shown

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

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
	for _, row := range r.atMost(list(b, "rows"), maxRows, "rows of a table") {
		cells, _ := row.([]any)
		if in, ok := row.(map[string]any); ok {
			cells = list(in, "cells")
		}
		var texts []string
		for _, cell := range r.atMost(cells, maxColumns, "columns of a table") {
			texts = append(texts, r.cell(cell))
		}
		lines = append(lines, strings.Join(texts, "\t"))
	}
	if len(lines) == 0 {
		r.missed("a table without rows")
		return
	}
	r.say(strings.Join(lines, "\n"))
}

// atMost returns the first elements of a list. It notes how many are not read.
func (r *reader) atMost(all []any, most int, what string) []any {
	if more := len(all) - most; more > 0 {
		r.missed(fmt.Sprintf("%d %s", more, what))
	}
	return all[:min(len(all), most)]
}

// cell returns the text of a cell in one line. The button in a cell of actions is its text.
func (r *reader) cell(v any) string {
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
	return strings.ReplaceAll(r.oneLine(text, "the rest of a long cell"), "\t", " ")
}

// oneLine returns a text in one line of at most maxCell characters. It notes what is not read if there are
// more.
func (r *reader) oneLine(text, rest string) string {
	if utf8.RuneCountInString(text) > maxCell {
		r.missed(rest)
	}
	return mrkdwn.OneLine(text, maxCell)
}
