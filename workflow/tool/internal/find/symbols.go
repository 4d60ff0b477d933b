package find

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const (
	maxOutline     = 20_000 // characters
	maxOutlineFile = 40     // files of a folder
	maxSymbol      = 160    // characters of one symbol
)

// A symbol is a named declaration in a file.
type symbol struct {
	line, end int // end 0: unknown
	text      string
}

func (s symbol) String() string {
	if s.end > s.line {
		return fmt.Sprintf("%d-%d\t%s", s.line, s.end, s.text)
	}
	return fmt.Sprintf("%d\t%s", s.line, s.text)
}

// OutlineFile lists the symbols of one file.
func OutlineFile(root *os.Root, start string) (string, error) {
	if workfile.IsPrivate(start) {
		return "", workfile.RefuseSecret(start)
	}
	c, err := workfile.Load(root, start)
	if err != nil {
		return "", err
	}
	if workfile.IsBinary(c.Data) {
		return "", model.Mistakef("%s is a binary file and has no outline.", plaintext.QuotePath(start))
	}
	symbols, known := symbolsOf(c)
	switch {
	case !known:
		return "", model.Mistakef("There is no outline for %s files: use read_file or search.",
			cmp.Or(path.Ext(start), "such"))
	case len(symbols) == 0:
		return fmt.Sprintf("No symbols found in %s: use read_file.", plaintext.QuotePath(start)), nil
	}
	return cutOutline(plaintext.QuotePath(start) + "\n" + symbolLines(symbols)), nil
}

// OutlineFolder lists the symbols of each source file directly in a folder.
func OutlineFolder(root *os.Root, start string) (string, error) {
	entries, err := fs.ReadDir(disk.PlainFS(root), filepath.ToSlash(filepath.Clean(start)))
	if err != nil {
		return "", workfile.ExplainPathError(start, err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && languageOf(e.Name()) != nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return fmt.Sprintf("%s itself holds no source files with an outline: use list_files, "+
			"or name one of its folders.", plaintext.QuotePath(start)), nil
	}
	var text strings.Builder
	for _, name := range names[:min(len(names), maxOutlineFile)] {
		c, err := workfile.Load(root, path.Join(start, name))
		if err != nil || workfile.IsBinary(c.Data) || text.Len() > maxOutline {
			continue
		}
		if symbols, _ := symbolsOf(c); len(symbols) > 0 {
			text.WriteString(plaintext.QuotePath(path.Join(start, name)) + "\n" + symbolLines(symbols))
		}
	}
	if more := len(names) - maxOutlineFile; more > 0 {
		fmt.Fprintf(&text, "[%s more]\n", plaintext.CountNoun(more, "file"))
	}
	return cutOutline(text.String()), nil
}

func symbolsOf(c workfile.Content) ([]symbol, bool) {
	lang := languageOf(c.Path)
	if lang == nil {
		return nil, false
	}
	return lang(string(c.Data)), true
}

func symbolLines(symbols []symbol) string {
	var s strings.Builder
	for _, sym := range symbols {
		sym.text, _ = plaintext.EscapeLine(plaintext.CutCounted(sym.text, maxSymbol))
		s.WriteString(sym.String() + "\n")
	}
	return s.String()
}

// cutOutline cuts an outline at the end of a line.
func cutOutline(text string) string {
	if len(text) <= maxOutline {
		return text
	}
	end := strings.LastIndexByte(text[:maxOutline], '\n') + 1
	return text[:end] + fmt.Sprintf("[%s more lines: name a file]\n",
		plaintext.FormatCount(strings.Count(text[end:], "\n")))
}

// Enclosing returns the first and the last line of the innermost declaration of a source file that has the
// line, such as a function. In a language whose declarations are known by their first lines only, it ends
// where the next line begins that is indented as little. It returns false if there is none.
func Enclosing(name, src string, line int) (first, last int, ok bool) {
	lang := languageOf(name)
	if lang == nil {
		return 0, 0, false
	}
	lines := strings.Split(src, "\n")
	for _, s := range lang(src) {
		end := s.end
		if end == 0 {
			end = endOfBlock(lines, s.line)
		}
		if s.line <= line && line <= end && s.line >= first {
			first = s.line
			last = end
			ok = true
		}
	}
	return first, last, ok
}

// endOfBlock returns the last line of the block that begins at a line: the one before the next line that is
// indented as little, or that line itself if it only closes the block.
func endOfBlock(lines []string, start int) int {
	indent := indentOf(lines[start-1])
	last := start
	for n := start + 1; n <= len(lines); n++ {
		text := strings.TrimSpace(lines[n-1])
		switch {
		case text == "":
		case indentOf(lines[n-1]) > indent:
			last = n
		case strings.ContainsRune("{}])", rune(text[0])) || text == "end":
			last = n
			if text[0] != '{' {
				return last
			}
		default:
			return last
		}
	}
	return last
}

// indentOf returns the number of white characters at the beginning of a line.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
