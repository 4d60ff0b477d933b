package shown

import (
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
)

// chart reads a chart as a table: a row for each slice, or for each category with a column for each series
// (https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block).
func (r *reader) chart(b map[string]any) {
	r.add(Line{Kind: Heading, Text: textOf(b["title"])})
	chart := object(b, "chart")
	axes := object(chart, "axis_config")
	r.say(mrkdwn.Escape(str(axes, "y_label")))
	points := r.atMost(list(chart, "segments"), maxRows, "points of a chart")
	rows := [][]string{nil}
	for _, p := range points {
		label, value := r.point(p)
		rows = append(rows, []string{label, value})
	}
	for i, s := range r.atMost(list(chart, "series"), maxColumns, "series of a chart") {
		in, _ := s.(map[string]any)
		if i == 0 {
			rows[0] = append(rows[0], mrkdwn.Escape(str(axes, "x_label")))
		}
		rows[0] = append(rows[0], mrkdwn.Escape(str(in, "name")))
		for n, p := range r.atMost(list(in, "data"), maxRows, "points of a chart") {
			label, value := r.point(p)
			if len(rows) == n+1 {
				rows = append(rows, []string{label})
			}
			for len(rows[n+1]) <= i { // other series have fewer points
				rows[n+1] = append(rows[n+1], "")
			}
			rows[n+1] = append(rows[n+1], value)
		}
	}
	if len(rows) == 1 {
		r.missed("a chart")
		return
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Join(row, "\t"))
	}
	r.say(strings.Join(lines, "\n"))
}

// point returns the label and the value of one point of a chart.
func (r *reader) point(v any) (label, value string) {
	p, _ := v.(map[string]any)
	if n, is := p["value"].(float64); is {
		value = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return mrkdwn.Escape(r.oneLine(str(p, "label"), "the rest of a long label")), value
}
