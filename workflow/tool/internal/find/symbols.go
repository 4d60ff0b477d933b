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
