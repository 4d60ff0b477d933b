package tool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/find"
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
	maxFunction   = 80  // lines of a function that is shown whole
	maxExcerpts   = 12
	excerptsBytes = 12 << 10
)

// Excerpts returns the lines around the named ones, as far as they exist, and records their files as read. Of
// a line in a function that is not too long, the whole function is shown. No line is shown twice.
func (e *Env) Excerpts(ctx context.Context, named []Line) string {
	e.changing.RLock()
	defer e.changing.RUnlock()
	var text strings.Builder
	shown := 0
	for _, f := range e.namedFiles(ctx, named) {
		for _, r := range f.ranges() {
			part, last, _ := workfile.NumberLines(f.text, r[0], r[1]-r[0]+1)
			if shown == maxExcerpts || text.Len()+len(part) > excerptsBytes {
				return text.String()
			}
			shown++
			fmt.Fprintf(&text, "%s, lines %d-%d of %d\n%s", plaintext.QuotePath(f.Path), r[0], last,
				len(f.text), part)
			e.seen.remember(f.Path, f.Data)
		}
	}
	return text.String()
}

// A namedFile is a file with the lines of it that were named.
type namedFile struct {
	workfile.Content
	text  []string // its lines
	lines []Line
}

// namedFiles returns the text files that exist, in the order in which they are first named, each once however
// its path is written.
func (e *Env) namedFiles(ctx context.Context, named []Line) (list []*namedFile) {
	known := map[string]*namedFile{}
	for _, l := range named {
		if workfile.IsPrivate(l.Path) {
			continue
		}
		f, ok := known[l.Path]
		if !ok {
			c, err := e.open(ctx, l.Path)
			if err == nil && !workfile.IsPrivate(c.Path) && !workfile.IsBinary(c.Data) {
				if f = known[c.Path]; f == nil {
					f = &namedFile{
						Content: c,
						text:    strings.Split(strings.TrimSuffix(string(c.Data), "\n"), "\n"),
					}
					known[c.Path] = f
					list = append(list, f)
				}
			}
			known[l.Path] = f
		}
		if f != nil {
			f.lines = append(f.lines, l)
		}
	}
	return list
}

// ranges returns the first and last line of each range to show. Ranges that touch are merged.
func (f *namedFile) ranges() (ranges [][2]int) {
	most := len(f.text)
	for _, l := range f.lines {
		if l.Number < 1 || l.Number > most {
			continue
		}
		last := max(l.Number, min(l.Last, l.Number+maxLines))
		r := [2]int{max(1, l.Number-aroundLine), min(most, last+aroundLine)}
		first, end, ok := find.Enclosing(f.Path, string(f.Data), l.Number)
		if ok && end-first < maxFunction && end > first && l.Last <= end {
			r = [2]int{min(r[0], first), min(most, max(r[1], end))}
		}
		ranges = append(ranges, r)
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
