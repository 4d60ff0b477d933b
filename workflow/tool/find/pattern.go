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
	maxProgram = 1000     // instructions of a compiled pattern: what one byte may cost
	stride     = 32 << 10 // bytes that are searched between two looks at the clock
)

// A pattern finds the lines that match. Most of a tree does not hold what is looked for,
// so whatever plain text every match must contain is looked for first: indexText is
// many times faster than any automaton.
type pattern struct {
	re      *regexp.Regexp // nil: the literal says all
	literal []byte         // every match holds it; empty: unknown
	oneOf   [][]byte       // every match holds one of these; empty: unknown
	folded  []byte         // made alike, every match holds it; only where there is nothing better
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
		return nil, model.Mistakef("%s. Patterns are RE2: no look-around, no back-references; set literal for plain text.", err)
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
	p.folded, _ = alike(p.folded, nil)
	if len(p.oneOf) == 1 {
		p.literal = p.oneOf[0]
		if tree.Op == syntax.OpLiteral {
			p.re = nil
		}
	}
	return p, nil
}

const errLines = model.Mistake("Search looks at one line at a time: look for the first line of the text.")

// perLine keeps a pattern from matching across the end of a line, and lets $ match
// before a carriage return.
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

// removeRune takes one rune out of the ranges of a class.
func removeRune(ranges []rune, r rune) []rune {
	out := make([]rune, 0, len(ranges)+2)
	for i := 0; i+1 < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
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

// requiredTexts gives texts of which every match holds at least one; none when there is no
// telling.
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

// requiredFolded is the longest text, in small letters, that every match holds in some case.
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

// mayMatch is false for data without any of the texts that a match needs.
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

// common are the bytes that source files have most of, the commonest first.
const common = " etnrioasl\tcdup.fm,hg(b)\"=v_yk1:w0x-q\n/*[]{}j2z3456789"

// indexText is bytes.Index, for source files: it looks for the rarest byte of the text, and not
// for the first, which may be in each word of the data.
func indexText(data, text []byte) int {
	rare, rank := 0, -1
	for i, c := range text {
		at := strings.IndexByte(common, c)
		if at < 0 {
			rare = i
			break
		}
		if at > rank {
			rare, rank = i, at
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

// alike is what a search in any case is made in: each byte with the bit set that tells small
// ASCII letters from large ones. Bytes that are no letters may come out as others do, so what is
// found here is looked at again. Eight bytes at once cost less than one by itself.
func alike(data []byte, scratch []byte) (out []byte, ascii bool) {
	const bits, high = 0x2020202020202020, 0x8080808080808080
	out = slices.Grow(scratch[:0], len(data))[:len(data)]
	var all uint64
	rest, into := data, out
	for len(rest) >= 8 && len(into) >= 8 {
		word := binary.NativeEndian.Uint64(rest)
		all |= word
		binary.NativeEndian.PutUint64(into, word|bits)
		rest, into = rest[8:], into[8:]
	}
	for i, c := range rest {
		all |= uint64(c)
		into[i] = c | bits&0xff
	}
	return out, all&high == 0
}

// inSmall is the data made alike, in the scratch buffer; nil where that does not help, or would
// lose the two letters beyond ASCII that fold into it.
func (p *pattern) inSmall(data []byte, scratch *[]byte) []byte {
	if len(p.folded) == 0 {
		return nil
	}
	out, ascii := alike(data, *scratch)
	*scratch = out
	if !ascii && (bytes.Contains(data, []byte("\u212a")) || bytes.Contains(data, []byte("\u017f"))) {
		return nil
	}
	return out
}

// lines calls hit for each line that matches, with where the line begins and ends and
// where the match does. It gives up when ctx is done.
func (p *pattern) lines(ctx context.Context, data []byte, scratch *[]byte, hit func(start, end, at int)) {
	if !p.mayMatch(data) {
		return
	}
	l := looking{data: data, hit: hit, re: p.re, literal: p.literal, in: data}
	if small := p.inSmall(data, scratch); small != nil {
		l.literal, l.in = p.folded, small
	}
	for pos := 0; pos < len(data) && ctx.Err() == nil; {
		pos = l.within(pos, chunkEnd(data, pos))
	}
}

// chunkEnd is where to look at the clock next: at the end of a line, or within one that
// is longer than a whole stride. What matches across that place is not found.
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

// looking is a search in one file.
type looking struct {
	data    []byte
	in      []byte // where the literal is looked for: data, or data made alike
	literal []byte
	re      *regexp.Regexp
	hit     func(start, end, at int)
}

// within searches data[pos:limit] and says where to go on: at limit, or behind a line
// that reaches beyond it and was hit already.
func (l *looking) within(pos, limit int) int {
	for pos < limit {
		at := l.find(pos, limit)
		if at < 0 || pos+at == limit && l.data[limit-1] == '\n' {
			return limit // what matches behind the last line end is no line
		}
		at += pos
		start := pos + bytes.LastIndexByte(l.data[pos:at], '\n') + 1
		end := limit
		if nl := bytes.IndexByte(l.data[at:limit], '\n'); nl >= 0 {
			end = at + nl
		}
		pos = end + 1
		if len(l.literal) > 0 && l.re != nil {
			match := l.re.FindIndex(l.data[start:end])
			if match == nil {
				continue
			}
			at = start + match[0]
		}
		l.hit(start, end, at)
		if nl := bytes.IndexByte(l.data[end:], '\n'); end == limit && nl >= 0 {
			return end + nl + 1
		} else if end == limit {
			return len(l.data)
		}
	}
	return limit
}

// find is where the next line that may match is touched: by the literal where there is
// one, else by the match itself.
func (l *looking) find(pos, limit int) int {
	if len(l.literal) > 0 {
		return indexText(l.in[pos:limit], l.literal)
	}
	if match := l.re.FindIndex(l.data[pos:limit]); match != nil {
		return match[0]
	}
	return -1
}
