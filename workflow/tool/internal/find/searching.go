package find

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const (
	maxHits       = 100
	maxHitLine    = 500
	maxHitFiles   = 50      // files that are named if there are too many hits
	maxSearchFile = 8 << 20 // larger files are named and not searched
	searchTime    = 20 * time.Second
)

// NewSearch returns a Search for a pattern: an RE2 expression, or plain text if literal is set.
func NewSearch(pattern string, literal bool) (*Search, error) {
	p, err := newPattern(pattern, literal)
	if err != nil {
		return nil, err
	}
	return &Search{pattern: p, perWorker: make([]workerResult, disk.Workers())}, nil
}

// Run calls look with a context that ends after searchTime, and returns the answer with what was found.
func (s *Search) Run(ctx context.Context, look func(ctx context.Context) error) (string, error) {
	within, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	if err := look(within); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return s.describeHits(within.Err() != nil), nil
}

// A Hit is a line that matches.
type Hit struct {
	Path string
	Line int
}

// Hits are the matching lines of a tree.
type Hits struct {
	Lines []Hit // by path and number; of more than 200 lines, only some
	Total int
	Whole bool // every file was searched
}

// Lines returns the matching lines of the files below a folder.
func (s *Search) Lines(ctx context.Context, root *os.Root, start string) (Hits, error) {
	within, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	if err := s.SearchTree(within, root, start, ""); err != nil {
		return Hits{}, err
	}
	if ctx.Err() != nil {
		return Hits{}, ctx.Err()
	}
	found, large := s.gather()
	all := Hits{Total: int(s.total.Load()), Whole: within.Err() == nil && !s.cut && len(large) == 0}
	for _, f := range found {
		for _, h := range f.hits {
			all.Lines = append(all.Lines, Hit{f.path, h.line})
		}
	}
	return all, nil
}

// SearchTree searches a file, or the files below a folder whose path the glob matches.
func (s *Search) SearchTree(ctx context.Context, root *os.Root, start, glob string) error {
	info, err := root.Stat(start)
	switch {
	case err != nil:
		return workfile.ExplainPathError(start, err)
	case !info.IsDir():
		return s.searchFile(ctx, root, start)
	}
	keep, err := newGlobFilter(glob, start)
	if err != nil {
		return err
	}
	w := &disk.Walk{Root: root, Visit: func(worker int, dir *os.File, p string, e fs.DirEntry) {
		if e.Type().IsRegular() && keep.keeps(p) && !workfile.IsPrivate(e.Name()) {
			s.searchEntry(ctx, worker, dir, e.Name(), p)
		}
	}}
	w.Run(ctx, start)
	s.cut = w.Incomplete.Load()
	return nil
}

// A Search is a pattern and what was found of it so far.
type Search struct {
	// LeaveOut reports whether the lines of a file are only counted. nil: of none are they.
	LeaveOut func(path string) bool
	// Prefix begins each path that is shown.
	Prefix string

	pattern   *pattern
	perWorker []workerResult
	total     atomic.Int64 // number of lines that match
	files     atomic.Int64 // number of files that were searched
	leftLines atomic.Int64 // number of lines that match in files of LeaveOut
	leftFiles atomic.Int64 // number of these files
	cut       bool
}

// A workerResult is what one worker found. No other worker uses it.
type workerResult struct {
	buffer  []byte // content of the last file, to be reused
	scratch []byte
	found   []fileHits
	large   []string
}

type fileHits struct {
	path  string
	count int
	hits  []hit // the first ones
}

type hit struct {
	line int
	text string
}

// searchFile searches a file that was named. It returns an error if the file cannot be searched.
func (s *Search) searchFile(ctx context.Context, root *os.Root, p string) error {
	if workfile.IsPrivate(p) {
		return workfile.RefuseSecret(p)
	}
	c, err := workfile.Load(root, p)
	if err != nil {
		return err
	}
	if workfile.IsBinary(c.Data) {
		return model.Mistakef("%s is a binary file (%s): it is not searched.", plaintext.QuotePath(p),
			plaintext.FormatSize(int64(len(c.Data))))
	}
	s.SearchText(ctx, 0, p, c.Data)
	return nil
}

// searchEntry searches a file of a folder. It skips what is not a plain text file.
func (s *Search) searchEntry(ctx context.Context, worker int, dir *os.File, name, p string) {
	mine := &s.perWorker[worker]
	data, size, err := disk.ReadEntry(dir, name, maxSearchFile, mine.buffer)
	switch {
	case err != nil:
	case size > maxSearchFile:
		mine.large = append(mine.large, p)
	default:
		mine.buffer = data
		if !workfile.IsBinary(data) {
			s.SearchText(ctx, worker, p, data)
		}
	}
}

// Total returns how many lines match so far.
func (s *Search) Total() int { return int(s.total.Load() + s.leftLines.Load()) }

// First returns the first lines that match, as path:line: text, and how many more there are.
func (s *Search) First(most int) (lines []string, more int) {
	found, _ := s.gather()
	for _, f := range found {
		for _, h := range f.hits {
			if len(lines) < most {
				lines = append(lines, fmt.Sprintf("%s:%d: %s", s.shown(f.path), h.line, h.text))
			}
		}
	}
	return lines, int(s.total.Load()) - len(lines)
}

// shown returns a path as it is shown.
func (s *Search) shown(path string) string { return plaintext.QuotePath(s.Prefix + path) }

func (s *Search) SearchText(ctx context.Context, worker int, p string, data []byte) {
	if s.LeaveOut != nil && s.LeaveOut(p) {
		s.countLeftOut(ctx, worker, data)
		return
	}
	s.files.Add(1)
	in := fileHits{path: p}
	line, counted := 1, 0
	s.pattern.lines(ctx, data, &s.perWorker[worker].scratch, func(start, end, at int) {
		in.count++
		if keep := s.total.Add(1) <= 2*maxHits; keep || len(in.hits) == 0 {
			line += bytes.Count(data[counted:start], []byte{'\n'})
			counted = start
			in.hits = append(in.hits, hit{line, cutAround(data[start:end], at-start)})
		}
	})
	if in.count > 0 {
		s.perWorker[worker].found = append(s.perWorker[worker].found, in)
	}
}

// countLeftOut counts the matching lines of a file that is left out.
func (s *Search) countLeftOut(ctx context.Context, worker int, data []byte) {
	n := int64(0)
	s.pattern.lines(ctx, data, &s.perWorker[worker].scratch, func(_, _, _ int) { n++ })
	if n > 0 {
		s.leftLines.Add(n)
		s.leftFiles.Add(1)
	}
}

// cutAround returns at most maxHitLine bytes of a line, with the match in them.
func cutAround(line []byte, at int) string {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if len(line) <= maxHitLine {
		text, _ := plaintext.EscapeLine(string(line))
		return text
	}
	from := 0
	if at > maxHitLine-100 {
		from = at - 100
	}
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from--
	}
	to := min(len(line), from+maxHitLine)
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to--
	}
	text, _ := plaintext.EscapeLine(string(line[from:to]))
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}

// gather returns what all workers found, by path, and the files that were too large.
func (s *Search) gather() (found []fileHits, large []string) {
	for i := range s.perWorker {
		found = append(found, s.perWorker[i].found...)
		large = append(large, s.perWorker[i].large...)
	}
	slices.SortFunc(found, func(a, b fileHits) int { return cmp.Compare(a.path, b.path) })
	slices.Sort(large)
	return found, large
}

func (s *Search) describeHits(late bool) string {
	found, large := s.gather()
	var text strings.Builder
	shown := 0
	switch total := int(s.total.Load()); {
	case total == 0:
		fmt.Fprintf(&text, "No match in %s.\n", plaintext.CountNoun(int(s.files.Load()), "file"))
	case total > 2*maxHits:
		s.manyHits(&text, found, total)
	default:
		for _, f := range found {
			for _, h := range f.hits {
				if shown++; shown <= maxHits {
					fmt.Fprintf(&text, "%s:%d: %s\n", s.shown(f.path), h.line, h.text)
				}
			}
		}
		if more := total - maxHits; more > 0 {
			fmt.Fprintf(&text,
				"[%d more matching lines: narrow it with path, glob or a longer pattern]\n", more)
		}
	}
	if n := int(s.leftLines.Load()); n > 0 {
		fmt.Fprintf(&text, "[%s in %s left out]\n", plaintext.CountNoun(n, "matching line"),
			plaintext.CountNoun(int(s.leftFiles.Load()), "test file"))
	}
	if len(large) > 0 {
		fmt.Fprintf(&text, "[%s over %s not searched: %s]\n", plaintext.CountNoun(len(large), "file"),
			plaintext.FormatSize(maxSearchFile), s.shown(path.Clean(large[0])))
	}
	if late {
		fmt.Fprintf(&text, "[stopped after %.0f s with files left: narrow it with path or glob]\n",
			searchTime.Seconds())
	} else if s.cut {
		text.WriteString("[not everything was looked at: name a folder with path]\n")
	}
	return text.String()
}

// manyHits writes counts instead of all lines: the files with the most matches first, each with one line.
func (s *Search) manyHits(text *strings.Builder, found []fileHits, total int) {
	fmt.Fprintf(text, "%s matching lines in %s are too many to show: narrow it with path, "+
		"glob or a longer pattern. Lines per file, and one of them:\n",
		plaintext.FormatCount(total), plaintext.CountNoun(len(found), "file"))
	slices.SortFunc(found,
		func(a, b fileHits) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.path, b.path)) })
	for _, f := range found[:min(len(found), maxHitFiles)] {
		fmt.Fprintf(text, "%s: %s, %d: %s\n", s.shown(f.path), plaintext.FormatCount(f.count),
			f.hits[0].line, plaintext.CutCounted(strings.TrimSpace(f.hits[0].text), 120))
	}
	if more := len(found) - maxHitFiles; more > 0 {
		fmt.Fprintf(text, "[%s more]\n", plaintext.CountNoun(more, "file"))
	}
}
