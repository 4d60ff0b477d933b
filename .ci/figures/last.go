package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// A lastPage is what a page that pageOf wrote says.
type lastPage struct {
	name     string
	measured string              // when, and on which commit
	lines    map[string][]string // of each row's table, by the name of the row
}

// readPage reads a page. A page without any table is an error: nothing could be compared with it.
func readPage(name string) (lastPage, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return lastPage{}, err
	}
	last := lastPage{name: name, lines: map[string][]string{}}
	row := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		switch date, isDate := strings.CutPrefix(line, "Measured "); {
		case isDate:
			last.measured = strings.TrimSuffix(date, ":")
		case strings.HasPrefix(line, "- Bobbin at "):
			last.measured += ", " + strings.TrimPrefix(line, "- ")
		case strings.Contains(line, ", row `"):
			_, row, _ = strings.Cut(line, ", row `")
			row, _, _ = strings.Cut(row, "`")
		case strings.HasPrefix(line, "| | ours |"): // the head of a table
		case strings.HasPrefix(line, "| ") && len(cells) > 5:
			last.lines[row] = append(last.lines[row], fmt.Sprintf("%-32s %12s  beside %-32s %12s  %s",
				cells[0], cells[1], cells[2], cells[3], cells[4]))
		case strings.HasPrefix(line, "| ") && len(cells) > 1:
			last.lines[row] = append(last.lines[row], fmt.Sprintf("%-32s %12s", cells[0], cells[1]))
		}
	}
	if len(last.lines) == 0 {
		return lastPage{}, fmt.Errorf("%s has no figures: write it with go run ./.ci/figures", name)
	}
	return last, nil
}

// print shows what the page says of a row. Nothing is shown without a page.
func (l lastPage) print(w io.Writer, row string) {
	if l.name == "" {
		return
	}
	fmt.Fprintf(w, "  last in %s (%s):\n", l.name, l.measured)
	for _, line := range l.lines[row] {
		fmt.Fprintf(w, "  %s\n", line)
	}
	if len(l.lines[row]) == 0 {
		fmt.Fprintln(w, "  this row is not on that page")
	}
	fmt.Fprintln(w)
}
