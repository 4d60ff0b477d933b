package extract

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Office documents are zip archives of XML (ECMA-376, OASIS OpenDocument). encoding/xml expands no entities
// but the five of XML, so what is left to limit is the size and the nesting of a part.

// documentOf returns how to read an office document, or nil for another zip archive.
func documentOf(z *zip.Reader) func(*reader, *zip.Reader) (string, error) {
	for _, m := range z.File {
		switch m.Name {
		case "word/document.xml":
			return (*reader).readWord
		case "xl/workbook.xml":
			return (*reader).readWorkbook
		case "ppt/presentation.xml":
			return (*reader).readSlides
		case "content.xml":
			isManifest := func(m *zip.File) bool { return m.Name == "META-INF/manifest.xml" }
			if slices.ContainsFunc(z.File, isManifest) {
				return (*reader).readOpenDocument
			}
		}
	}
	return nil
}

// A part is one XML file of a document while it is read.
type part struct {
	decoder *xml.Decoder
	nesting int
	limits  Limits
}

// openPart opens a part of a document; nil: there is none of that name.
func (r *reader) openPart(z *zip.Reader, name string) (p *part, done func(), err error) {
	for _, m := range z.File {
		if m.Name != name {
			continue
		}
		src, err := m.Open()
		if err != nil {
			return nil, nil, brokenError(err)
		}
		limited := &limitedPart{r: r, src: src}
		return &part{decoder: xml.NewDecoder(limited), limits: r.limits}, func() { _ = src.Close() }, nil
	}
	return nil, func() {}, nil
}

// A limitedPart limits the size of a part, and what is unpacked altogether.
type limitedPart struct {
	r    *reader
	src  io.Reader
	read int64
}

func (l *limitedPart) Read(p []byte) (int, error) {
	if err := l.r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := l.src.Read(p)
	l.read += int64(n)
	l.r.unpacked += int64(n)
	switch {
	case l.read > l.r.limits.Part:
		return 0, refusal("a part of the document has more than " + plaintext.FormatSize(l.r.limits.Part))
	case l.r.unpacked > l.r.limits.Unpacked:
		return 0, errUnpacked
	}
	return n, err
}

// next returns the next token, and nil at the end.
func (p *part) next() (xml.Token, error) {
	token, err := p.decoder.Token()
	var refused refusal
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case errors.As(err, &refused):
		return nil, refused
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil, err
	case err != nil:
		return nil, brokenError(err)
	}
	switch token.(type) {
	case xml.StartElement:
		if p.nesting++; p.nesting > p.limits.Nesting {
			return nil, refusal("its elements are nested too deep")
		}
	case xml.EndElement:
		p.nesting--
	}
	return token, nil
}

// attribute returns an attribute by its local name.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// A markup says which elements, by their local names, mean what for the text.
type markup struct {
	text       []string // only characters in these are text; nil: all in paragraphs are
	paragraphs []string
	skipped    []string // with all that is in them
}

var (
	ooxml = markup{
		text: []string{"t"}, paragraphs: []string{"p"},
		skipped: []string{"pPr", "rPr", "tblPr", "sectPr", "txPr", "AlternateContent"},
	}
	openDocument = markup{
		paragraphs: []string{"p", "h"},
		skipped: []string{
			"tracked-changes", "automatic-styles", "annotation-end", "font-face-decls", "scripts",
		},
	}
)

// cellBreak stands for the end of a cell until its row ends.
const cellBreak = "\t"

// writeMarkup writes the text of a part: paragraphs as lines, rows of tables as lines of cells with tabs.
func (r *reader) writeMarkup(p *part, m markup) error {
	w := markupWriter{markup: m, out: r.out}
	for {
		token, err := p.next()
		if err != nil || token == nil {
			return err
		}
		if err := w.take(token); err != nil {
			return err
		}
	}
}

// A markupWriter makes text of the tokens of a part.
type markupWriter struct {
	markup
	out        io.Writer
	skipping   int // elements that are open in one that is skipped, with it
	inText     int
	paragraphs int
	cells      int
}

func (w *markupWriter) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return w.start(t.Name.Local)
	case xml.EndElement:
		return w.end(t.Name.Local)
	case xml.CharData:
		if w.skipping == 0 && (w.inText > 0 || w.text == nil && w.paragraphs > 0) {
			_, err := w.out.Write(cleanText(t))
			return err
		}
	}
	return nil
}

func (w *markupWriter) start(name string) error {
	if w.skipping > 0 || slices.Contains(w.skipped, name) {
		w.skipping++
		return nil
	}
	switch {
	case slices.Contains(w.text, name):
		w.inText++
	case slices.Contains(w.markup.paragraphs, name):
		w.paragraphs++
	case name == "tc" || name == "table-cell":
		w.cells++
	case name == "tab":
		return w.write("\t")
	case name == "br" || name == "cr" || name == "line-break":
		return w.write("\n")
	case name == "s" && w.text == nil:
		return w.write(" ")
	}
	return nil
}

func (w *markupWriter) end(name string) error {
	if w.skipping > 0 {
		w.skipping--
		return nil
	}
	switch {
	case slices.Contains(w.text, name):
		w.inText--
	case slices.Contains(w.markup.paragraphs, name):
		w.paragraphs--
		if w.cells > 0 {
			return w.write(" ")
		}
		return w.write("\n")
	case name == "tc" || name == "table-cell":
		w.cells--
		return w.write(cellBreak)
	case (name == "tr" || name == "table-row") && w.cells == 0:
		return w.write("\n")
	}
	return nil
}

func (w *markupWriter) write(text string) error {
	_, err := w.out.Write([]byte(text))
	return err
}

// writePart writes the text of a part, if the document has it, with a heading before it unless that is empty.
func (r *reader) writePart(z *zip.Reader, name, heading string, m markup) error {
	p, done, err := r.openPart(z, name)
	if err != nil || p == nil {
		return err
	}
	defer done()
	if heading != "" {
		if _, err := r.out.Write([]byte("\n" + heading + "\n")); err != nil {
			return err
		}
	}
	return r.writeMarkup(p, m)
}

func (r *reader) readWord(z *zip.Reader) (string, error) {
	err := r.writePart(z, "word/document.xml", "", ooxml)
	for _, more := range []string{"footnotes", "comments"} {
		if err == nil {
			err = r.writePart(z, "word/"+more+".xml", "["+more+"]", ooxml)
		}
	}
	return "a Word document", err
}

func (r *reader) readOpenDocument(z *zip.Reader) (string, error) {
	return "an OpenDocument file", r.writePart(z, "content.xml", "", openDocument)
}

func (r *reader) readSlides(z *zip.Reader) (string, error) {
	slides := numbered(z, "ppt/slides/slide")
	what := "a presentation with " + plaintext.CountNoun(len(slides), "slide")
	for i, name := range slides {
		if err := r.writePart(z, name, fmt.Sprintf("[slide %d]", i+1), ooxml); err != nil {
			return what, err
		}
	}
	return what, nil
}

// numbered returns the parts whose names are the prefix, a number and .xml, in the order of the numbers.
func numbered(z *zip.Reader, prefix string) (names []string) {
	numbers := map[string]int{}
	for _, m := range z.File {
		rest, ok := strings.CutPrefix(m.Name, prefix)
		number, err := strconv.Atoi(strings.TrimSuffix(rest, ".xml"))
		if ok && err == nil && strings.HasSuffix(rest, ".xml") && numbers[m.Name] == 0 {
			numbers[m.Name] = number
			names = append(names, m.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return names
}

// readWorkbook writes each sheet with its name, and each row as a line of cells with tabs. Dates are numbers
// of days since 1900, as the file has them.
func (r *reader) readWorkbook(z *zip.Reader) (string, error) {
	what := "a workbook"
	shared, err := r.sharedStrings(z)
	if err != nil {
		return what, err
	}
	sheets, err := r.sheets(z)
	if err != nil {
		return what, err
	}
	what = "a workbook with " + plaintext.CountNoun(len(sheets), "sheet")
	for _, s := range sheets {
		if _, err := r.out.Write([]byte("[sheet " + shown(s.name) + "]\n")); err != nil {
			return what, err
		}
		if err := r.writeSheet(z, s, shared); err != nil {
			return what, err
		}
	}
	return what, nil
}

type sheet struct{ name, part string }

// sheets returns the sheets of a workbook in their order.
func (r *reader) sheets(z *zip.Reader) (list []sheet, err error) {
	targets := map[string]string{}
	err = r.eachElement(z, "xl/_rels/workbook.xml.rels", func(e xml.StartElement) {
		target := attribute(e, "Target")
		if !strings.HasPrefix(target, "/") {
			target = path.Join("xl", target)
		}
		targets[attribute(e, "Id")] = strings.TrimPrefix(target, "/")
	})
	if err != nil {
		return nil, err
	}
	err = r.eachElement(z, "xl/workbook.xml", func(e xml.StartElement) {
		if e.Name.Local != "sheet" {
			return
		}
		for _, a := range e.Attr {
			if a.Name.Local == "id" && a.Name.Space != "" && targets[a.Value] != "" {
				list = append(list, sheet{attribute(e, "name"), targets[a.Value]})
			}
		}
	})
	return list, err
}

// eachElement calls each with the elements of a part.
func (r *reader) eachElement(z *zip.Reader, name string, each func(xml.StartElement)) error {
	p, done, err := r.openPart(z, name)
	if err != nil || p == nil {
		return err
	}
	defer done()
	for {
		token, err := p.next()
		if err != nil || token == nil {
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			each(e)
		}
	}
}

// sharedStrings returns the texts that cells name by their numbers.
func (r *reader) sharedStrings(z *zip.Reader) (texts []string, err error) {
	p, done, err := r.openPart(z, "xl/sharedStrings.xml")
	if err != nil || p == nil {
		return nil, err
	}
	defer done()
	var text strings.Builder
	in := false
	more := 0
	for {
		token, err := p.next()
		if err != nil || token == nil {
			if more > 0 {
				r.leave(plaintext.CountNoun(more, "text")+" of cells",
					refusal(fmt.Sprintf("there are more than %d", maxShared)))
			}
			return texts, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			in = t.Name.Local == "t"
		case xml.EndElement:
			in = false
			if t.Name.Local != "si" {
				continue
			}
			if len(texts) < maxShared {
				texts = append(texts, text.String())
			} else {
				more++
			}
			text.Reset()
		case xml.CharData:
			if in {
				text.Write(t)
			}
		}
	}
}

// writeSheet writes the rows of a sheet, without the columns after maxColumns.
func (r *reader) writeSheet(z *zip.Reader, s sheet, shared []string) error {
	p, done, err := r.openPart(z, s.part)
	if err != nil || p == nil {
		return err
	}
	defer done()
	w := sheetWriter{out: r.out, shared: shared}
	for {
		token, err := p.next()
		if err == nil && token != nil {
			err = w.take(token)
		}
		if err != nil || token == nil {
			if w.beyond {
				r.leave("columns of the sheet "+s.name,
					refusal(fmt.Sprintf("those after the first %d", maxColumns)))
			}
			return err
		}
	}
}

// A sheetWriter makes lines of the tokens of a sheet.
type sheetWriter struct {
	out    io.Writer
	shared []string
	cells  []string // of the row so far
	at     int      // the column of the cell that is open
	kind   string   // its type
	value  strings.Builder
	in     bool // in its value
	beyond bool // a cell after the last column is not empty
}

func (w *sheetWriter) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if t.Name.Local == "c" {
			w.kind = attribute(t, "t")
			w.at = max(len(w.cells), column(attribute(t, "r")))
			w.value.Reset()
		}
		w.in = t.Name.Local == "v" || t.Name.Local == "t"
	case xml.CharData:
		if w.in {
			w.value.Write(t)
		}
	case xml.EndElement:
		w.in = false
		switch t.Name.Local {
		case "c":
			w.endCell()
		case "row":
			line := strings.TrimRight(strings.Join(w.cells, "\t"), "\t")
			w.cells = w.cells[:0]
			_, err := w.out.Write(cleanText([]byte(line + "\n")))
			return err
		}
	}
	return nil
}

func (w *sheetWriter) endCell() {
	text := cellText(w.kind, w.value.String(), w.shared)
	if w.at >= maxColumns {
		w.beyond = w.beyond || text != ""
		return
	}
	for len(w.cells) < w.at {
		w.cells = append(w.cells, "")
	}
	w.cells = append(w.cells, text)
}

const (
	maxColumns = 400     // columns of a sheet that are read
	maxShared  = 200_000 // texts that cells of a workbook may name
)

// column returns the number of the column of a cell such as B7, from 0, or 0. It returns maxColumns for all
// that are after the last one that is read.
func column(cell string) (n int) {
	for _, c := range cell {
		if c < 'A' || c > 'Z' || n > maxColumns {
			break
		}
		n = 26*n + int(c-'A') + 1
	}
	return min(max(n-1, 0), maxColumns)
}

// cellText returns what a cell shows.
func cellText(kind, value string, shared []string) string {
	if kind == "s" {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n >= len(shared) {
			return ""
		}
		value = shared[n]
	}
	return plaintext.OneLine(value)
}
