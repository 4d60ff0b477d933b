package tool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// A Line is a line of a file that somebody named, or a range of lines.
type Line struct {
	Path   string
	Number int
	Last   int // last line of a range; 0: one line
}

const (
	aroundLine    = 5   // lines shown on each side of a named one
	maxLines      = 120 // limit of a named range
	maxExcerpts   = 12
	excerptsBytes = 8 << 10
)

// Excerpts returns the lines around the named ones, as far as they exist, and records their files as read.
func (e *Env) Excerpts(ctx context.Context, named []Line) string {
	e.changing.RLock()
	defer e.changing.RUnlock()
	var text strings.Builder
	shown := 0
	for _, path := range pathsOf(named) {
		c, err := e.open(ctx, path)
		if err != nil || workfile.IsPrivate(path) || workfile.IsPrivate(c.Path) || workfile.IsBinary(c.Data) {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(c.Data), "\n"), "\n")
		for _, r := range rangesOf(named, path, len(lines)) {
			part, last, _ := workfile.NumberLines(lines, r[0], r[1]-r[0]+1)
			if shown == maxExcerpts || text.Len()+len(part) > excerptsBytes {
				return text.String()
			}
			shown++
			fmt.Fprintf(&text, "%s, lines %d-%d of %d\n%s", plaintext.QuotePath(c.Path), r[0], last,
				len(lines), part)
			e.seen.remember(c.Path, c.Data)
		}
	}
	return text.String()
}

// pathsOf returns the paths of the files, in the order in which they are first named.
func pathsOf(named []Line) (paths []string) {
	for _, l := range named {
		if !slices.Contains(paths, l.Path) {
			paths = append(paths, l.Path)
		}
	}
	return paths
}

// rangesOf returns the first and last line of each range to show of a file with most lines. Ranges that touch
// are merged.
func rangesOf(named []Line, path string, most int) (ranges [][2]int) {
	for _, l := range named {
		if l.Path == path && l.Number >= 1 && l.Number <= most {
			last := max(l.Number, min(l.Last, l.Number+maxLines))
			ranges = append(ranges, [2]int{max(1, l.Number-aroundLine), min(most, last+aroundLine)})
		}
	}
	slices.SortFunc(ranges, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	for i := len(ranges) - 1; i > 0; i-- {
		if ranges[i][0] <= ranges[i-1][1]+1 {
			ranges[i-1][1] = max(ranges[i-1][1], ranges[i][1])
			ranges = slices.Delete(ranges, i, i+1)
		}
	}
	return ranges
}
