package design

import (
	"io/fs"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/bobbinhq/bobbin/repo/design/markup"
	"github.com/bobbinhq/bobbin/repo/design/source"
	"github.com/bobbinhq/bobbin/repo/design/stylesheet"
	"github.com/bobbinhq/bobbin/repo/design/token"
)

const (
	designPatient = 2 * time.Second // for comparing one file; then coarser, and moved lines are still known
)

// changedFile is one changed file.
type changedFile struct {
	path, text string
	starts     []int // where each line begins
	added      []int // how many of the lines before each are new
	cuts       []int // before how many of them something was taken out
	tokens     *token.Tokens
	sheets     []*stylesheet.Sheet
	elements   []*markup.Element
	found      []suspicion
}

// suspicion is a finding before its cure, which is worked out for those that are shown.
type suspicion struct {
	at         int
	rule, what string
	cure       func() string
}

// openSource reads a changed file; nil for one that is not looked at.
func openSource(base, branch fs.FS, name string) (*changedFile, error) {
	if !isDesignFile(name) || !fs.ValidPath(name) {
		return nil, nil
	}
	text, ok, err := source.ReadText(branch, name)
	if err != nil || !ok {
		return nil, err
	}
	before, _, err := source.ReadText(base, name)
	if err != nil {
		return nil, err
	}
	s := &changedFile{path: name, text: text, starts: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	s.markChanges(before)
	return s, nil
}

// isDesignFile tells files that people write from others and from what is generated.
func isDesignFile(name string) bool {
	if strings.Contains(path.Base(name), ".min.") {
		return false
	}
	switch path.Ext(name) {
	case ".css", ".scss", ".less", ".html", ".htm", ".gohtml", ".tmpl", ".jsx", ".tsx", ".js", ".vue", ".svelte":
		return true
	}
	return false // a .ts file can hold no JSX
}

// markChanges works out which lines are new. A line that went from one place and came at
// another, perhaps with other indentation, is not.
func (s *changedFile) markChanges(before string) {
	fresh, cut := make([]bool, len(s.starts)+1), make([]bool, len(s.starts)+1)
	gone, came, n := map[string]int{}, []int(nil), 0
	for _, part := range lineChanges(before, s.text) {
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			cut[n] = true
			for line := range strings.Lines(part.Text) {
				gone[strings.TrimSpace(line)]++
			}
		case diffmatchpatch.DiffInsert:
			for range strings.Lines(part.Text) {
				came = append(came, n)
				n++
			}
		case diffmatchpatch.DiffEqual:
			for range strings.Lines(part.Text) {
				n++
			}
		}
	}
	for _, i := range came {
		line := strings.TrimSpace(source.UpToLineEnd(s.text[s.starts[i]:]))
		fresh[i] = gone[line] <= 0
		gone[line]--
	}
	s.added, s.cuts = runningCount(fresh), runningCount(cut)
}

func lineChanges(before, after string) []diffmatchpatch.Diff {
	switch {
	case before == after:
		return nil
	case before == "":
		return []diffmatchpatch.Diff{{Type: diffmatchpatch.DiffInsert, Text: after}}
	}
	differ := diffmatchpatch.New()
	differ.DiffTimeout = designPatient
	old, now, lines := differ.DiffLinesToRunes(before, after)
	parts := differ.DiffCharsToLines(differ.DiffMainRunes(old, now, false), lines)
	if differ.DiffText2(parts) == after {
		return parts
	}
	return []diffmatchpatch.Diff{ // the library lost its way among very many lines
		{Type: diffmatchpatch.DiffDelete, Text: before}, {Type: diffmatchpatch.DiffInsert, Text: after},
	}
}

// runningCount counts at each place how many were true before it.
func runningCount(marks []bool) []int {
	out := make([]int, len(marks)+1)
	for i, mark := range marks {
		out[i+1] = out[i]
		if mark {
			out[i+1]++
		}
	}
	return out
}

func (s *changedFile) anyChange() bool {
	return s.added[len(s.added)-1] > 0 || s.cuts[len(s.cuts)-1] > 0
}

// lineOf is the number of the line that an offset is in, from 1.
func (s *changedFile) lineOf(at int) int {
	return sort.Search(len(s.starts), func(i int) bool { return s.starts[i] > at })
}

// wroteLines reports whether the change wrote any of the lines from one offset to another.
func (s *changedFile) wroteLines(from, to int) bool {
	return s.added[s.lineOf(max(from, to))] > s.added[s.lineOf(from)-1]
}

// changedLines is wroteLines that also holds where a line between them was taken out.
func (s *changedFile) changedLines(from, to int) bool {
	return s.wroteLines(from, to) || s.cuts[s.lineOf(max(from, to))] > s.cuts[s.lineOf(from)]
}

func (s *changedFile) addSuspicion(at int, rule, what string, cure func() string) {
	s.found = append(s.found, suspicion{at, rule, what, cure})
}

// fixedCure is a cure that is the same for every place.
func fixedCure(text string) func() string { return func() string { return text } }
