package mrkdwn

import (
	"strings"
	"unicode/utf8"
)

// SplitText splits rendered text into one or more parts of at most that many characters: between paragraphs if
// possible, else between lines, else between words. A code block that is cut is closed and opened again, and no
// part ends within an entity or a link.
func SplitText(rendered string, most int) []string {
	if utf8.RuneCountInString(rendered) <= most {
		return []string{rendered}
	}
	c := cutter{most: most - 2*(len(Fence)+1)} // leaves room for a fence at each end
	for line := range strings.SplitSeq(rendered, "\n") {
		for {
			head, rest := cutLine(line, c.most)
			c.add(head)
			if rest == "" {
				break
			}
			line = rest
		}
	}
	c.flush(len(c.lines))
	if c.parts == nil {
		return []string{""}
	}
	return c.parts
}

// cutter collects lines until a part is full.
type cutter struct {
	most  int
	parts []string

	lines []string
	size  int
	open  bool // the part begins within a code block
}

func (c *cutter) add(line string) {
	n := utf8.RuneCountInString(line) + 1
	for len(c.lines) > 0 && c.size+n > c.most {
		c.flush(c.cut())
	}
	c.lines = append(c.lines, line)
	c.size += n
}

// cut returns how many lines the next part takes: up to the last blank line outside of code that leaves the
// part at least half full, else all lines.
func (c *cutter) cut() int {
	best, size, code := len(c.lines), 0, c.open
	for i, line := range c.lines {
		size += utf8.RuneCountInString(line) + 1
		if isFence(line) {
			code = !code
		}
		if !code && line == "" && size >= c.most/2 {
			best = i + 1
		}
	}
	return best
}

// flush makes a part of the first n lines.
func (c *cutter) flush(n int) {
	part := strings.Join(c.lines[:n], "\n")
	if c.open {
		part = Fence + "\n" + part
	}
	for _, line := range c.lines[:n] {
		if isFence(line) {
			c.open = !c.open
		}
		c.size -= utf8.RuneCountInString(line) + 1
	}
	if c.open {
		part += "\n" + Fence
	}
	if part = strings.Trim(part, "\n"); strings.Trim(part, "`\n") != "" {
		c.parts = append(c.parts, part)
	}
	c.lines = c.lines[n:]
}

func isFence(line string) bool { return strings.TrimSpace(line) == Fence }

// cutLine cuts a line that is too long: at a blank in its last third, else before an entity or a link that
// would be cut. The rest never begins with what looks like a signature: the cut moves back a little, and if that
// does not help, as in a run of brackets, the signature is quoted. So each cut takes a good part of the line.
func cutLine(line string, most int) (head, rest string) {
	if utf8.RuneCountInString(line) <= most {
		return line, ""
	}
	end := 0
	for range most {
		_, n := utf8.DecodeRuneInString(line[end:])
		end += n
	}
	if blank := strings.LastIndexByte(line[:end], ' '); blank > end*2/3 && endsWhole(line[:blank]) && !signature.MatchString(line[blank+1:]) {
		return line[:blank], line[blank+1:]
	}
	end = cutBefore(line, end)
	for _, opener := range []struct{ open, close string }{{"&", ";"}, {"<", ">"}} {
		at := strings.LastIndex(line[:end], opener.open)
		if at > 0 && !strings.Contains(line[at:end], opener.close) {
			end = at
		}
	}
	return line[:end], quoteSignature(line[end:])
}

// cutBefore returns the last end, at most ten characters before the given one, after which the line does not
// look like a signature; or the given one if there is none.
func cutBefore(line string, end int) int {
	before := end
	for range 10 {
		if !signature.MatchString(line[before:]) {
			return before
		}
		_, n := utf8.DecodeLastRuneInString(line[:before])
		if before -= n; before == 0 {
			break
		}
	}
	return end
}

// endsWhole reports whether s ends outside of entities and links.
func endsWhole(s string) bool {
	return strings.LastIndexByte(s, '<') <= strings.LastIndexByte(s, '>') &&
		strings.LastIndexByte(s, '&') <= strings.LastIndexByte(s, ';')
}
