package find

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// PageContext is how many lines around a hit are shown if nothing else is asked for.
const PageContext = 2

const (
	pageHits    = 20
	mostContext = 10 // lines around a hit
	maxPage     = 24 << 10
	pageBlock   = 1 << 20 // bytes that are searched at once; a longer line is searched in pieces
)

// Page streams a text and returns one page of the lines that match, from page 1, each with lines of context
// around it, at most ten. name is how the model knows the text.
func (s *Search) Page(
	ctx context.Context, name string, text io.ReadSeeker, page, around int,
) (string, error) {
	p := pageSearch{pattern: s.pattern, first: (max(page, 1) - 1) * pageHits}
	within, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	if err := p.search(within, text); err != nil {
		return "", fmt.Errorf("search %s: %w", name, err)
	}
	if err := p.readContext(within, text, max(0, min(around, mostContext))); err != nil {
		return "", fmt.Errorf("search %s: %w", name, err)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return p.describe(plaintext.QuotePath(name), max(page, 1), within.Err() != nil), nil
}

// A pageSearch is a search for one page of hits in one text.
type pageSearch struct {
	pattern *pattern
	first   int // number of hits before the page

	lines int // that were searched
	total int // hits
	hits  []hit
	shown map[int]string // lines of the page by their numbers, without those that match
	wide  int            // lines of context
}

// search finds all hits, and keeps those of the page.
func (p *pageSearch) search(ctx context.Context, text io.Reader) error {
	buffer := make([]byte, 0, 2*pageBlock)
	var scratch []byte
	last := 0 // line of the last hit: one that is searched in pieces counts once
	for ctx.Err() == nil {
		n, err := io.ReadFull(text, buffer[len(buffer):min(len(buffer)+pageBlock, cap(buffer))])
		buffer = buffer[:len(buffer)+n]
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			return err
		}
		end := bytes.LastIndexByte(buffer, '\n') + 1
		if ended || end == 0 {
			end = len(buffer)
		}
		block := buffer[:end]
		counted := 0
		line := p.lines + 1
		p.pattern.lines(ctx, block, &scratch, func(start, stop, at int) {
			line += bytes.Count(block[counted:start], []byte{'\n'})
			counted = start
			if line == last {
				return
			}
			last = line
			if p.total++; p.total > p.first && len(p.hits) < pageHits {
				p.hits = append(p.hits, hit{line, cutAround(block[start:stop], at-start)})
			}
		})
		p.lines += bytes.Count(block, []byte{'\n'})
		if ended {
			if end > 0 && block[end-1] != '\n' {
				p.lines++
			}
			return nil
		}
		buffer = buffer[:copy(buffer, buffer[end:])]
	}
	return nil
}

// readContext reads the lines around the hits of the page.
func (p *pageSearch) readContext(ctx context.Context, text io.ReadSeeker, around int) error {
	p.wide = around
	p.shown = map[int]string{}
	if len(p.hits) == 0 {
		return nil
	}
	if _, err := text.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReaderSize(text, 64<<10)
	end := p.hits[len(p.hits)-1].line + around
	next := 0 // the first hit whose context may still come
	for number := 1; number <= end && ctx.Err() == nil; number++ {
		line, err := readLine(lines)
		for next < len(p.hits) && p.hits[next].line+around < number {
			next++
		}
		if next < len(p.hits) && number >= p.hits[next].line-around && (err == nil || len(line) > 0) {
			p.shown[number] = cutAround(line, 0)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readLine returns the beginning of the next line, as much of it as fits into the buffer, and skips the rest.
func readLine(r *bufio.Reader) (line []byte, err error) {
	line, err = r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
	}
	return bytes.TrimSuffix(line, []byte{'\n'}), err
}

// describe returns the page as text for a model.
func (p *pageSearch) describe(name string, page int, late bool) string {
	var text strings.Builder
	pages := (p.total + pageHits - 1) / pageHits
	searched := plaintext.FormatCount(p.lines) + " lines"
	switch {
	case p.total == 0:
		fmt.Fprintf(&text, "No match in %s, %s.\n", name, searched)
	case len(p.hits) == 0:
		fmt.Fprintf(&text, "%s, %s, %s matching: there is no page %d, the last is %d.\n", name, searched,
			plaintext.FormatCount(p.total), page, pages)
	default:
		fmt.Fprintf(&text, "%s, %s, %s matching; page %d of %d\n", name, searched,
			plaintext.FormatCount(p.total), page, pages)
		p.writeHits(&text)
	}
	if late {
		fmt.Fprintf(&text, "[stopped after %.0f s: what follows was not searched; use a plainer pattern]\n",
			searchTime.Seconds())
	}
	return text.String()
}

// writeHits writes the lines of the page with their numbers: a colon behind those that match, a minus behind
// others.
func (p *pageSearch) writeHits(text *strings.Builder) {
	last := 0
	for i, h := range p.hits {
		until := h.line + p.wide
		if i+1 < len(p.hits) {
			until = min(until, p.hits[i+1].line-1)
		}
		from := max(h.line-p.wide, last+1)
		if last > 0 && from > last+1 {
			text.WriteString("--\n")
		}
		for number := from; number <= until; number++ {
			if number == h.line {
				fmt.Fprintf(text, "%d: %s\n", number, h.text)
			} else if line, ok := p.shown[number]; ok {
				fmt.Fprintf(text, "%d- %s\n", number, line)
			}
		}
		last = until
		if text.Len() > maxPage && i+1 < len(p.hits) {
			fmt.Fprintf(text, "[%s of this page left out: ask with less context, or read from line %d]\n",
				plaintext.CountNoun(len(p.hits)-i-1, "hit"), p.hits[i+1].line)
			return
		}
	}
}
