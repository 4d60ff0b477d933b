package patch

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// The marks of a patch in the V4A form.
const (
	markBegin  = "*** Begin Patch"
	markEnd    = "*** End Patch"
	markAdd    = "*** Add File:"
	markDelete = "*** Delete File:"
	markUpdate = "*** Update File:"
	markMove   = "*** Move to:"
	markEOF    = "*** End of File"
)

const maxHunks = 500 // of one file

type sectionKind int

const (
	addFile sectionKind = iota + 1
	deleteFile
	updateFile
)

// A Section is the part of a patch for one file.
type Section struct {
	kind   sectionKind
	Path   string
	moveTo string   // of an update; empty: the file is not moved
	added  []string // of an add: its lines
	hunks  []hunk   // of an update
}

// A hunk is a run of lines before and after a change.
type hunk struct {
	line    int      // number of its first line in the patch, for answers
	headers []string // names after @@: lines to find before the hunk
	lines   []patchLine
	atEnd   bool // the run ends at the end of the file
}

type patchLine struct {
	op   byte // ' ', '-' or '+'
	text string
	bare bool // it came without its leading space: a blank line
}

const patchForm = `A patch looks like this:
*** Begin Patch
*** Update File: path/to/file
@@ func around the change
 a line as it is
-a line to go
+a line to come
*** Add File: path/to/new
+its first line
*** End Patch`

// Parse parses the text of a patch. It ignores what people and models put around a patch, such as a code
// fence or blank lines.
func Parse(text string) ([]Section, error) {
	p := &patchParser{lines: strings.Split(text, "\n")}
	for i, l := range p.lines {
		p.lines[i] = strings.TrimSuffix(l, "\r")
	}
	for p.next < len(p.lines) && strings.TrimSpace(p.lines[p.next]) != markBegin {
		p.next++
	}
	if p.next == len(p.lines) {
		return nil, model.Mistake("There is no line " + markBegin + ". " + patchForm)
	}
	p.next++
	var sections []Section
	for {
		line, ok := p.peek()
		switch {
		case !ok:
			return nil, model.Mistake("The patch has no line " + markEnd + ": it may have been cut. Send it whole.")
		case strings.TrimSpace(line) == markEnd:
			if len(sections) == 0 {
				return nil, model.Mistake("The patch is empty. " + patchForm)
			}
			return sections, nil
		case strings.TrimSpace(line) == "":
			p.next++
			continue
		}
		s, err := p.section()
		if err != nil {
			return nil, err
		}
		sections = append(sections, s)
	}
}

type patchParser struct {
	lines []string
	next  int
}

func (p *patchParser) peek() (string, bool) {
	if p.next >= len(p.lines) {
		return "", false
	}
	return p.lines[p.next], true
}

// inside returns the next line if it belongs to the current section.
func (p *patchParser) inside() (string, bool) {
	line, ok := p.peek()
	if !ok || strings.HasPrefix(line, "*** ") && strings.TrimSpace(line) != markEOF {
		return "", false
	}
	return line, true
}

func (p *patchParser) section() (Section, error) {
	line, _ := p.peek()
	at := p.next + 1
	for kind, mark := range map[sectionKind]string{addFile: markAdd, deleteFile: markDelete, updateFile: markUpdate} {
		name, ok := strings.CutPrefix(line, mark)
		if !ok {
			continue
		}
		p.next++
		s := Section{kind: kind, Path: strings.TrimSpace(name)}
		if s.Path == "" {
			return s, model.Mistakef("Line %d of the patch names no file.", at)
		}
		return s, p.body(&s)
	}
	return Section{}, model.Mistakef("Line %d of the patch, %q, does not begin a file. %s", at, plaintext.CutCounted(line, 80), patchForm)
}

func (p *patchParser) body(s *Section) error {
	switch s.kind {
	case addFile:
		return p.addedLines(s)
	case deleteFile:
		if line, ok := p.inside(); ok && strings.TrimSpace(line) != "" {
			return model.Mistakef("Line %d of the patch: nothing can follow %s %s.", p.next+1, markDelete, plaintext.QuotePath(s.Path))
		}
		return nil
	}
	if line, ok := p.peek(); ok {
		if to, ok := strings.CutPrefix(line, markMove); ok {
			if s.moveTo = strings.TrimSpace(to); s.moveTo == "" {
				return model.Mistakef("Line %d of the patch does not say where to move.", p.next+1)
			}
			p.next++
		}
	}
	return p.hunks(s)
}

func (p *patchParser) addedLines(s *Section) error {
	blank := 0 // lines without a +: a part of the file if more lines follow
	for line, ok := p.inside(); ok; line, ok = p.inside() {
		text, plus := strings.CutPrefix(line, "+")
		switch {
		case plus:
			for ; blank > 0; blank-- {
				s.added = append(s.added, "")
			}
			s.added = append(s.added, text)
		case strings.TrimSpace(line) == "":
			blank++
		default:
			return model.Mistakef("Line %d of the patch: each line of a new file begins with +.", p.next+1)
		}
		p.next++
	}
	return nil
}

func (p *patchParser) hunks(s *Section) error {
	var h *hunk
	open := func() *hunk {
		s.hunks = append(s.hunks, hunk{line: p.next + 1})
		return &s.hunks[len(s.hunks)-1]
	}
	for line, ok := p.inside(); ok; line, ok = p.inside() {
		switch {
		case strings.HasPrefix(line, "@@"):
			if h == nil || len(h.lines) > 0 {
				h = open()
			}
			if name := headerOf(line); name != "" {
				h.headers = append(h.headers, name)
			}
		case strings.TrimSpace(line) == markEOF:
			if h != nil {
				h.atEnd = true
			}
		case line == "" || strings.IndexByte(" -+", line[0]) >= 0:
			if h == nil {
				h = open()
			}
			h.lines = append(h.lines, patchLineOf(line))
		default:
			return model.Mistakef("Line %d of the patch, %q, begins with neither a space, - nor +. A line that stays as it is begins with a space.", p.next+1, plaintext.CutCounted(line, 80))
		}
		p.next++
	}
	return s.judge()
}

var hunkNumbers = regexp.MustCompile(`^-\d+(,\d+)? \+\d+(,\d+)?( @@|$)`)

// headerOf returns the name after @@, which has to be found before the hunk. It ignores the line numbers that
// other forms of patches have there.
func headerOf(line string) string {
	name := strings.TrimSpace(strings.TrimPrefix(line, "@@"))
	name = strings.TrimSpace(strings.TrimSuffix(name, "@@"))
	if name == "..." || hunkNumbers.MatchString(name) {
		return ""
	}
	return name
}

func patchLineOf(line string) patchLine {
	if line == "" {
		return patchLine{op: ' ', bare: true}
	}
	return patchLine{op: line[0], text: line[1:]}
}

// judge removes blank lines at the ends of hunks, which only separate them. It refuses a section that changes
// nothing, or that has too many hunks.
func (s *Section) judge() error {
	changes := s.moveTo != ""
	kept := s.hunks[:0]
	for _, h := range s.hunks {
		for n := len(h.lines); n > 0 && h.lines[n-1].bare; n-- {
			h.lines = h.lines[:n-1]
		}
		if len(h.lines) == 0 {
			continue
		}
		for _, l := range h.lines {
			changes = changes || l.op != ' '
		}
		kept = append(kept, h)
	}
	s.hunks = kept
	if len(kept) > maxHunks {
		return model.Mistakef("The patch has %d hunks for %s: at most %d are taken at once.", len(kept), plaintext.QuotePath(s.Path), maxHunks)
	}
	if !changes {
		return model.Mistakef("The patch changes nothing in %s: lines to go begin with -, lines to come with +.", plaintext.QuotePath(s.Path))
	}
	return nil
}
