package mrkdwn

import (
	"strings"
	"unicode/utf8"
)

const (
	maxCell    = 60 // limit for the padding of a column in characters; longer cells are not cut
	maxColumns = 20
)

// alignTable returns a Markdown table with aligned columns for a code block, since Slack has no tables. The
// rule below the header stays, so that the text still looks like a table. A table with more than maxColumns
// columns is returned unchanged.
func alignTable(table string) string {
	lines := strings.Split(table, "\n")
	rows := make([][]string, len(lines))
	var widths []int
	for i, line := range lines {
		rows[i] = splitCells(line)
		if len(rows[i]) > maxColumns {
			return table
		}
		for n, cell := range rows[i] {
			if n == len(widths) {
				widths = append(widths, 0)
			}
			if !isRule(cell) {
				widths[n] = max(widths[n], min(utf8.RuneCountInString(cell), maxCell))
			}
		}
	}
	for i, row := range rows {
		rule := i == 1 && len(row) > 0 && isRule(row[0])
		for n, cell := range row {
			switch {
			case rule:
				row[n] = strings.Repeat("-", max(widths[n], 3))
			case n < len(row)-1:
				row[n] = cell + strings.Repeat(" ", max(0, max(widths[n], 3)-utf8.RuneCountInString(cell)))
			}
		}
		lines[i] = strings.TrimRight(strings.Join(row, " | "), " ")
	}
	return strings.Join(lines, "\n")
}

func isRule(cell string) bool { return strings.Contains(cell, "-") && strings.Trim(cell, ":-") == "" }

// splitCells returns the cells of one line. A bar that is escaped or within code does not separate cells.
func splitCells(line string) (row []string) {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = strings.TrimSuffix(line, "|")
	}
	var cell strings.Builder
	code := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteByte('|')
			i++
		case c == '|' && !code:
			row = append(row, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			if c == '`' {
				code = !code
			}
			cell.WriteByte(c)
		}
	}
	return append(row, strings.TrimSpace(cell.String()))
}
