package tool

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

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	maxHits       = 100
	maxHitLine    = 500
	maxHitFiles   = 50      // named when there are too many hits
	maxSearchFile = 8 << 20 // larger ones are named and not searched
	searchTime    = 20 * time.Second
)

type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"RE2"`
	Glob    string `json:"glob,omitempty" jsonschema:"e.g. *.go"`
	Path    string `json:"path,omitempty" jsonschema:"file or folder"`
	Literal bool   `json:"literal,omitempty" jsonschema:"pattern is plain text"`
}

func (b *Bench) search(ctx context.Context, in searchArgs) (string, error) {
	p, err := newPattern(in.Pattern, in.Literal)
	if err != nil {
		return "", err
	}
	within, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	s := &searching{pattern: p, perWorker: make([]haul, workers())}
	if err := b.searchIn(within, s, in); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return s.answer(within.Err() != nil), nil
}

// searchIn goes through the file or the folder that was named.
func (b *Bench) searchIn(ctx context.Context, s *searching, in searchArgs) error {
	if kept, ok := strings.CutPrefix(in.Path, outputPrefix); ok {
		c, err := b.openOutput(kept)
		if err != nil {
			return err
		}
		s.look(ctx, 0, in.Path, c.data)
		return nil
	}
	if strings.HasPrefix(in.Path, attachmentPrefix) {
		_, content, err := b.openAttachment(ctx, in.Path)
		if err != nil {
			return err
		}
		s.look(ctx, 0, in.Path, content)
		return nil
	}
	start, err := b.explored(ctx, in.Path)
	if err != nil {
		return err
	}
	root := b.Workspace.Root()
	info, err := root.Stat(start)
	switch {
	case err != nil:
		return pathError(start, err)
	case !info.IsDir():
		return s.single(ctx, root, start)
	}
	keep, err := newFilter(in.Glob, start)
	if err != nil {
		return err
	}
	w := &walk{root: root, visit: func(worker int, dir *os.File, p string, e fs.DirEntry) {
		if e.Type().IsRegular() && keep.keeps(p) && !Private(e.Name()) {
			s.file(ctx, worker, dir, e.Name(), p)
		}
	}}
	w.from(ctx, start)
	s.cut = w.cut.Load()
	return nil
}

// searching is one search under way.
type searching struct {
	pattern   *pattern
	perWorker []haul
	total     atomic.Int64 // lines that match
	files     atomic.Int64 // searched
	cut       bool
}

// A haul is what one worker found; nobody else touches it.
type haul struct {
	buffer  []byte // of the last file
	scratch []byte
	found   []inFile
	large   []string
}

type inFile struct {
	path  string
	count int
	hits  []hit // the first ones
}

type hit struct {
	line int
	text string
}

// single searches a file that was named: what is wrong with it is said.
func (s *searching) single(ctx context.Context, root *os.Root, p string) error {
	if Private(p) {
		return secretFile(p)
	}
	c, err := load(root, p)
	if err != nil {
		return err
	}
	if binary(c.data) {
		return wrongf("%s is a binary file (%s): it is not searched.", plaintext.QuotePath(p), plaintext.FormatSize(int64(len(c.data))))
	}
	s.look(ctx, 0, p, c.data)
	return nil
}

// file searches a file of a folder; what is not a plain text file is passed over.
func (s *searching) file(ctx context.Context, worker int, dir *os.File, name, p string) {
	mine := &s.perWorker[worker]
	data, size, err := readEntry(dir, name, maxSearchFile, mine.buffer)
	switch {
	case err != nil:
	case size > maxSearchFile:
		mine.large = append(mine.large, p)
	default:
		mine.buffer = data
		if !binary(data) {
			s.look(ctx, worker, p, data)
		}
	}
}

func (s *searching) look(ctx context.Context, worker int, p string, data []byte) {
	s.files.Add(1)
	in := inFile{path: p}
	line, counted := 1, 0
	s.pattern.lines(ctx, data, &s.perWorker[worker].scratch, func(start, end, at int) {
		in.count++
		if keep := s.total.Add(1) <= maxHits; keep || len(in.hits) == 0 {
			line += bytes.Count(data[counted:start], []byte{'\n'})
			counted = start
			in.hits = append(in.hits, hit{line, around(data[start:end], at-start)})
		}
	})
	if in.count > 0 {
		s.perWorker[worker].found = append(s.perWorker[worker].found, in)
	}
}

// around is a line of at most maxHitLine characters with the match in it.
func around(line []byte, at int) string {
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

func (s *searching) answer(late bool) string {
	var found []inFile
	var large []string
	for i := range s.perWorker {
		found = append(found, s.perWorker[i].found...)
		large = append(large, s.perWorker[i].large...)
	}
	var text strings.Builder
	switch total := int(s.total.Load()); {
	case total == 0:
		fmt.Fprintf(&text, "No match in %s.\n", plaintext.CountNoun(int(s.files.Load()), "file"))
	case total > maxHits:
		manyHits(&text, found, total)
	default:
		slices.SortFunc(found, func(a, b inFile) int { return cmp.Compare(a.path, b.path) })
		for _, f := range found {
			for _, h := range f.hits {
				fmt.Fprintf(&text, "%s:%d: %s\n", plaintext.QuotePath(f.path), h.line, h.text)
			}
		}
	}
	if len(large) > 0 {
		slices.Sort(large)
		fmt.Fprintf(&text, "[%s over %s not searched: %s]\n", plaintext.CountNoun(len(large), "file"), plaintext.FormatSize(maxSearchFile), plaintext.QuotePath(path.Clean(large[0])))
	}
	if late {
		fmt.Fprintf(&text, "[stopped after %.0f s with files left: narrow it with path or glob]\n", searchTime.Seconds())
	} else if s.cut {
		text.WriteString("[not everything was looked at: name a folder with path]\n")
	}
	return text.String()
}

// manyHits counts instead of showing, the files with most first, each with one line.
func manyHits(text *strings.Builder, found []inFile, total int) {
	fmt.Fprintf(text, "%s matching lines in %s are too many to show: narrow it with path, glob or a longer pattern. Lines per file, and one of them:\n",
		plaintext.FormatCount(total), plaintext.CountNoun(len(found), "file"))
	slices.SortFunc(found, func(a, b inFile) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.path, b.path)) })
	for _, f := range found[:min(len(found), maxHitFiles)] {
		fmt.Fprintf(text, "%s: %s, %d: %s\n", plaintext.QuotePath(f.path), plaintext.FormatCount(f.count), f.hits[0].line, plaintext.CutCounted(strings.TrimSpace(f.hits[0].text), 120))
	}
	if more := len(found) - maxHitFiles; more > 0 {
		fmt.Fprintf(text, "[%s more]\n", plaintext.CountNoun(more, "file"))
	}
}
