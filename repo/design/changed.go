package design

import (
	"io/fs"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/bobbinhq/bobbin/repo/design/internal/markup"
	"github.com/bobbinhq/bobbin/repo/design/internal/source"
	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
	"github.com/bobbinhq/bobbin/repo/design/internal/token"
)

const (
	designPatient = 2 * time.Second // for comparing one file; after it the diff is coarser, but moved lines are still found
)

// changedFile is a changed file and what the rules know about it.
type changedFile struct {
	path, text string
	starts     []int // offset of each line
	added      []int // number of new lines before each line
	cuts       []int // number of places before each line where something was removed
	tokens     *token.Tokens
	sheets     []*stylesheet.Sheet
	elements   []*markup.Element
	found      []suspicion
}

// suspicion is a finding whose cure is only computed if the finding is returned.
type suspicion struct {
	at         int
	rule, what string
	cure       func() string
}

// openSource reads a changed file; it returns nil for a file that is not checked.
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

// isDesignFile reports whether the name is that of a stylesheet, markup or script that people write,
// and not of a minified file.
func isDesignFile(name string) bool {
	if strings.Contains(path.Base(name), ".min.") {
		return false
	}
	switch path.Ext(name) {
	case ".css", ".scss", ".less", ".html", ".htm", ".gohtml", ".tmpl", ".jsx", ".tsx", ".js", ".vue", ".svelte":
		return true
	}
	return false // a .ts file cannot hold JSX
}

// markChanges determines which lines are new. A line that was moved, perhaps with other indentation, is
// not new.
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
	return []diffmatchpatch.Diff{ // the library returned a wrong diff, which happens with very many lines
		{Type: diffmatchpatch.DiffDelete, Text: before}, {Type: diffmatchpatch.DiffInsert, Text: after},
	}
}

// runningCount returns, for each index, how many marks before it are true.
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

// lineOf returns the number of the line that an offset is in, from 1.
func (s *changedFile) lineOf(at int) int {
	return sort.Search(len(s.starts), func(i int) bool { return s.starts[i] > at })
}

// wroteLines reports whether the change wrote any of the lines from one offset to another.
func (s *changedFile) wroteLines(from, to int) bool {
	return s.added[s.lineOf(max(from, to))] > s.added[s.lineOf(from)-1]
}

// changedLines reports the same as wroteLines, or whether a line between the offsets was removed.
func (s *changedFile) changedLines(from, to int) bool {
	return s.wroteLines(from, to) || s.cuts[s.lineOf(max(from, to))] > s.cuts[s.lineOf(from)]
}

func (s *changedFile) addSuspicion(at int, rule, what string, cure func() string) {
	s.found = append(s.found, suspicion{at, rule, what, cure})
}

// fixedCure returns a cure whose text is the same for every place.
func fixedCure(text string) func() string { return func() string { return text } }
