package find

import (
	"bytes"
	"context"
	"encoding/binary"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
)

const (
	maxProgram = 1000     // instructions of a compiled pattern; they limit what one byte may cost
	stride     = 32 << 10 // bytes that are searched between two checks of the context
)

// A pattern finds the lines that match. Most files of a tree contain no match, so the plain text that every
// match must contain is searched for first: indexText is many times faster than any automaton.
type pattern struct {
	// nil: the literal is the whole pattern
	re *regexp.Regexp
	// every match contains it; empty: unknown
	literal []byte
	// every match contains one of these; empty: unknown
	oneOf [][]byte
	// every match contains it, both as foldCaseBits returns them; only set if oneOf is empty
	folded []byte
}

func newPattern(text string, literal bool) (*pattern, error) {
	switch {
	case text == "":
		return nil, model.Mistake("The pattern is empty. To list files use list_files.")
	case len(text) > 2000:
		return nil, model.Mistake("The pattern is too long.")
	case literal && strings.Contains(text, "\n"):
		return nil, errLines
	case literal:
		return &pattern{literal: []byte(text)}, nil
	}
	tree, err := syntax.Parse(text, syntax.Perl&^syntax.OneLine)
	if err != nil {
		return nil, model.Mistakef("%s. Patterns are RE2: no look-around, no back-references; "+
			"set literal for plain text.", err)
	}
	tree = perLine(tree.Simplify())
	if prog, err := syntax.Compile(tree); err != nil || len(prog.Inst) > maxProgram {
		return nil, model.Mistake("The pattern is too large: use smaller repetitions or a shorter pattern.")
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, model.Mistakef("%s. Patterns are RE2.", err)
	}
	p := &pattern{re: re, oneOf: requiredTexts(tree)}
	if len(p.oneOf) == 0 {
		p.folded = requiredFolded(tree)
	}
	for _, text := range append(p.oneOf, p.folded) {
		if bytes.IndexByte(text, '\n') >= 0 {
			return nil, errLines
		}
	}
	p.folded, _ = foldCaseBits(p.folded, nil)
	if len(p.oneOf) == 1 {
		p.literal = p.oneOf[0]
		if tree.Op == syntax.OpLiteral {
			p.re = nil
		}
	}
	return p, nil
}

const errLines = model.Mistake("Search looks at one line at a time: look for the first line of the text.")

// perLine prevents a pattern from matching across the end of a line, and lets $ match before a carriage
// return.
func perLine(re *syntax.Regexp) *syntax.Regexp {
	for i, sub := range re.Sub {
		re.Sub[i] = perLine(sub)
	}
	switch re.Op {
	case syntax.OpAnyChar:
		return &syntax.Regexp{Op: syntax.OpAnyCharNotNL, Flags: re.Flags}
	case syntax.OpCharClass:
		re.Rune = removeRune(re.Rune, '\n')
		if len(re.Rune) == 0 {
			return &syntax.Regexp{Op: syntax.OpNoMatch, Flags: re.Flags}
		}
	case syntax.OpEndLine:
		cr := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{'\r'}, Flags: re.Flags}
		maybe := &syntax.Regexp{Op: syntax.OpQuest, Sub: []*syntax.Regexp{cr}, Flags: re.Flags}
		return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{maybe, re}, Flags: re.Flags}
	}
	return re
}

// removeRune removes one rune from the ranges of a character class.
func removeRune(ranges []rune, r rune) []rune {
	out := make([]rune, 0, len(ranges)+2)
	for i := 0; i+1 < len(ranges); i += 2 {
		lo := ranges[i]
		hi := ranges[i+1]
		if r < lo || r > hi {
			out = append(out, lo, hi)
			continue
		}
		if lo < r {
			out = append(out, lo, r-1)
		}
		if r < hi {
			out = append(out, r+1, hi)
		}
	}
	return out
}

const maxNeeds = 12

// requiredTexts returns texts of which every match contains at least one, or nil if none are known.
func requiredTexts(re *syntax.Regexp) [][]byte {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return [][]byte{[]byte(string(re.Rune))}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredTexts(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredTexts(re.Sub[0])
		}
	case syntax.OpConcat:
		var best [][]byte
		for _, sub := range re.Sub {
			if n := requiredTexts(sub); shortest(n) > shortest(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all [][]byte
		for _, sub := range re.Sub {
			n := requiredTexts(sub)
			if n == nil || len(all)+len(n) > maxNeeds {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

func shortest(all [][]byte) int {
	n := 0
	for i, s := range all {
		if i == 0 || len(s) < n {
			n = len(s)
		}
	}
	return n
}

// requiredFolded returns the longest text, in lower case, that every match contains in some case.
func requiredFolded(re *syntax.Regexp) []byte {
	switch re.Op {
	case syntax.OpLiteral:
		text := strings.ToLower(string(re.Rune))
		if re.Flags&syntax.FoldCase != 0 && len(text) == len(re.Rune) { // ASCII alone
			return []byte(text)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredFolded(re.Sub[0])
	case syntax.OpConcat:
		var best []byte
		for _, sub := range re.Sub {
			if n := requiredFolded(sub); len(n) > len(best) {
				best = n
			}
		}
		return best
	}
	return nil
}

// mayMatch returns false if data contains none of the texts that a match needs.
func (p *pattern) mayMatch(data []byte) bool {
	if len(p.literal) > 0 {
		return indexText(data, p.literal) >= 0
	}
	for _, text := range p.oneOf {
		if indexText(data, text) >= 0 {
			return true
		}
	}
	return len(p.oneOf) == 0
}

// common lists the most frequent bytes of source files, the most frequent first.
const common = " etnrioasl\tcdup.fm,hg(b)\"=v_yk1:w0x-q\n/*[]{}j2z3456789"

// indexText is bytes.Index for source files: it searches for the rarest byte of the text, not for the first
// one, which may be in every word of the data.
func indexText(data, text []byte) int {
	rare, rank := 0, -1
	for i, c := range text {
		at := strings.IndexByte(common, c)
		if at < 0 {
			rare = i
			break
		}
		if at > rank {
			rare = i
			rank = at
		}
	}
	for at := 0; at+len(text) <= len(data); at++ {
		next := bytes.IndexByte(data[at+rare:len(data)-len(text)+rare+1], text[rare])
		if next < 0 {
			return -1
		}
		if at += next; bytes.Equal(data[at:at+len(text)], text) {
			return at
		}
	}
	return -1
}

// foldCaseBits returns data in the form for a search that ignores case: each byte has the bit set that tells
// lower-case ASCII letters from upper-case ones, and ascii says that all bytes are ASCII. Different bytes
// that are no letters may become equal, so a match has to be checked again. Eight bytes at once cost less
// than a single byte.
func foldCaseBits(data []byte, scratch []byte) (out []byte, ascii bool) {
	const bits, high = 0x2020202020202020, 0x8080808080808080
	out = slices.Grow(scratch[:0], len(data))[:len(data)]
	var all uint64
	rest := data
	into := out
	for len(rest) >= 8 && len(into) >= 8 {
		word := binary.NativeEndian.Uint64(rest)
		all |= word
		binary.NativeEndian.PutUint64(into, word|bits)
		rest = rest[8:]
		into = into[8:]
	}
	for i, c := range rest {
		all |= uint64(c)
		into[i] = c | bits&0xff
	}
	return out, all&high == 0
}

// foldedCopy returns data as foldCaseBits does, in the scratch buffer. It returns nil if the pattern
// has no folded text, or if the data contains one of the two letters beyond ASCII that fold into
// ASCII, which would be missed.
func (p *pattern) foldedCopy(data []byte, scratch *[]byte) []byte {
	if len(p.folded) == 0 {
		return nil
	}
	out, ascii := foldCaseBits(data, *scratch)
	*scratch = out
	if !ascii && (bytes.Contains(data, []byte("\u212a")) || bytes.Contains(data, []byte("\u017f"))) {
		return nil
	}
	return out
}

// lines calls hit for each line that matches, with the start and the end of the line and the start of the
// match. It stops when ctx is done.
func (p *pattern) lines(ctx context.Context, data []byte, scratch *[]byte, hit func(start, end, at int)) {
	if !p.mayMatch(data) {
		return
	}
	l := fileSearch{data: data, hit: hit, re: p.re, literal: p.literal, in: data}
	if small := p.foldedCopy(data, scratch); small != nil {
		l.literal = p.folded
		l.in = small
	}
	for pos := 0; pos < len(data) && ctx.Err() == nil; {
		pos = l.within(pos, chunkEnd(data, pos))
	}
}

// chunkEnd returns where to check the context next: at the end of a line, or within a line that is longer
// than a stride. A match across that place is not found.
func chunkEnd(data []byte, pos int) int {
	if len(data)-pos <= stride {
		return len(data)
	}
	next := data[pos+stride : min(len(data), pos+2*stride)]
	if nl := bytes.IndexByte(next, '\n'); nl >= 0 {
		return pos + stride + nl + 1
	}
	return pos + stride + len(next)
}

// A fileSearch is the search in one file.
type fileSearch struct {
	data    []byte
	in      []byte // where the literal is searched for: data, or data as foldCaseBits returns it
	literal []byte
	re      *regexp.Regexp
	hit     func(start, end, at int)
}

// within searches data[pos:limit] and returns where to continue: at limit, or after a line that reaches
// beyond limit and was hit already.
func (f *fileSearch) within(pos, limit int) int {
	for pos < limit {
		at := f.find(pos, limit)
		if at < 0 || pos+at == limit && f.data[limit-1] == '\n' {
			return limit // a match after the last line end is in no line
		}
		at += pos
		start := pos + bytes.LastIndexByte(f.data[pos:at], '\n') + 1
		end := limit
		if nl := bytes.IndexByte(f.data[at:limit], '\n'); nl >= 0 {
			end = at + nl
		}
		pos = end + 1
		if len(f.literal) > 0 && f.re != nil {
			match := f.re.FindIndex(f.data[start:end])
			if match == nil {
				continue
			}
			at = start + match[0]
		}
		f.hit(start, end, at)
		if nl := bytes.IndexByte(f.data[end:], '\n'); end == limit && nl >= 0 {
			return end + nl + 1
		} else if end == limit {
			return len(f.data)
		}
	}
	return limit
}

// find returns the offset from pos of the next place that may match, or -1: of the literal if there is one,
// else of the match itself.
func (f *fileSearch) find(pos, limit int) int {
	if len(f.literal) > 0 {
		return indexText(f.in[pos:limit], f.literal)
	}
	if match := f.re.FindIndex(f.data[pos:limit]); match != nil {
		return match[0]
	}
	return -1
}
