package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// A line is one line of a table: one of our figures beside that of one peer.
type line struct {
	figure, ours, peer, theirs, ratio, bound, held string
}

// lines formats a result as the lines of a table.
func (r result) lines() (list []line) {
	for f, fig := range r.row.figures {
		own := spreadOf(r.values(0, f))
		bound, held := "", ""
		if fig.most > 0 {
			bound = "at most " + number(fig.most, fig.unit)
			held = yes(own.median <= fig.most)
		}
		first := line{figure: fig.name, ours: number(own.median, fig.unit), bound: bound, held: held}
		if len(r.sides) == 1 {
			first.ours += inBrackets(own, fig.unit)
			list = append(list, first)
			continue
		}
		for i := 1; i < len(r.sides); i++ {
			l := first
			l.peer = r.sides[i].name
			if r.sides[i].lacks == "" {
				l.theirs = number(spreadOf(r.values(i, f)).median, fig.unit)
				ratio := spreadOf(r.ratios(i, f))
				l.ratio = number(ratio.median, "") + inBrackets(ratio, "")
				if f < len(r.sides[i].ratio) && r.sides[i].ratio[f] > 0 {
					most := r.sides[i].ratio[f]
					l.bound = strings.TrimPrefix(l.bound+", "+number(most, "")+" of it", ", ")
					l.held = yes(l.held != "no" && ratio.median <= most)
				}
			} else {
				l.theirs = "not measured"
			}
			list = append(list, l)
		}
	}
	return list
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func inBrackets(s spread, unit string) string {
	return fmt.Sprintf(" (%s to %s)", number(s.least, unit), number(s.most, unit))
}

// number formats a value with about three significant digits and its unit. An empty unit means a
// ratio, and NaN becomes "-".
func number(v float64, unit string) string {
	if math.IsNaN(v) {
		return "-"
	}
	text := fmt.Sprintf("%.3g", v)
	switch abs := math.Abs(v); {
	case abs >= 100:
		text = fmt.Sprintf("%.0f", v)
	case abs < 0.001 && abs > 0:
		text = fmt.Sprintf("%.4f", v)
	}
	if unit == "" {
		return text + " ×"
	}
	return text + " " + unit
}

func printResult(w io.Writer, r result) {
	switch {
	case r.left != "":
		fmt.Fprintf(w, "  left out: %s\n\n", r.left)
		return
	case r.err != nil:
		fmt.Fprintf(w, "  failed: %v\n\n", r.err)
		return
	}
	for _, l := range r.lines() {
		fmt.Fprintf(w, "  %-32s %12s", cmp.Or(l.figure, r.row.name), l.ours)
		if l.peer != "" {
			fmt.Fprintf(w, "  beside %-32s %12s  %s", l.peer, l.theirs, l.ratio)
		}
		if l.bound != "" {
			fmt.Fprintf(w, "  [%s: %s]", l.bound, l.held)
		}
		fmt.Fprintln(w)
	}
	for _, s := range r.sides {
		if s.lacks != "" {
			fmt.Fprintf(w, "  left out: %s: %s\n", s.name, s.lacks)
		}
	}
	fmt.Fprintf(w, "  %d pairs in %.0f s\n\n", len(r.turns[0]), r.took.Seconds())
}

// pageOf returns the text of docs/engineering/performance.md.
func pageOf(m []string, results []result, began time.Time, pairs int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Performance

<!-- written by go run ./.ci/figures; do not edit -->

What Bobbin does, measured beside other tools that do it: on one machine, in one run, in turns. Each time of
ours is divided by the peer's time beside it, so that what else the machine does counts for both. A ratio is
the median of these pairs, with the least and the most in brackets. A bound is what we want to hold; where the
last column says no, it does not hold yet.

    go run ./.ci/figures                # all of this, again (pairs: %d)
    go run ./.ci/figures -list          # what there is; -only NAME measures one

Measured %s:

`, pairs, began.UTC().Format("2 January 2006"))
	for _, line := range m {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	var lacking []string
	for _, r := range results {
		lacking = append(lacking, r.section(&b)...)
	}
	if len(lacking) > 0 {
		fmt.Fprint(&b, "\n## Not measured in this run\n\n")
		for _, l := range lacking {
			fmt.Fprintf(&b, "- %s\n", l)
		}
	}
	return b.String()
}

// section writes the table of one row and returns a line for each thing that was not measured.
func (r result) section(b *strings.Builder) (lacking []string) {
	if r.left != "" || r.err != nil {
		why := r.left
		if r.err != nil {
			why = "it failed: " + strings.Join(strings.Fields(r.err.Error()), " ")
		}
		return []string{fmt.Sprintf("%s (`%s`): %s", r.row.what, r.row.name, why)}
	}
	fmt.Fprintf(b, "\n## %s\n\n`%s`, row `%s`, pairs: %d.\n\n", r.row.what, r.sides[0].name, r.row.name,
		len(r.turns[0]))
	if len(r.sides) == 1 {
		fmt.Fprint(b, "| | ours | bound | holds |\n|---|---|---|---|\n")
	} else {
		fmt.Fprint(b,
			"| | ours | peer | peer's | ours / peer's | bound | holds |\n|---|---|---|---|---|---|---|\n")
	}
	for _, l := range r.lines() {
		cells := []string{l.figure, l.ours, l.peer, l.theirs, l.ratio, l.bound, l.held}
		if len(r.sides) == 1 {
			cells = []string{l.figure, l.ours, l.bound, l.held}
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	for _, s := range r.sides {
		if s.lacks != "" {
			lacking = append(lacking, fmt.Sprintf("%s beside %s: %s", r.row.what, s.name, s.lacks))
		}
	}
	return lacking
}
