package tool

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	maxOutline     = 20_000 // characters
	maxOutlineFile = 40     // files of a folder
	maxSymbol      = 160    // characters of one
)

type outlineArgs struct {
	Path string `json:"path" jsonschema:"file or folder"`
}

// A symbol is something with a name in a file.
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

// outline shows the symbols of a file, or of each file of a folder.
func (b *Bench) outline(ctx context.Context, in outlineArgs) (string, error) {
	start, err := b.explored(ctx, in.Path)
	if err != nil {
		return "", err
	}
	info, err := b.Workspace.Root().Stat(start)
	switch {
	case err != nil:
		return "", pathError(start, err)
	case info.IsDir():
		return b.outlineFolder(start)
	case Private(start):
		return "", secretFile(start)
	}
	c, err := load(b.Workspace.Root(), start)
	if err != nil {
		return "", err
	}
	if binary(c.data) {
		return "", wrongf("%s is a binary file and has no outline.", plaintext.QuotePath(start))
	}
	symbols, known := symbolsOf(c)
	switch {
	case !known:
		return "", wrongf("There is no outline for %s files: use read_file or search.", cmp.Or(path.Ext(start), "such"))
	case len(symbols) == 0:
		return fmt.Sprintf("No symbols found in %s: use read_file.", plaintext.QuotePath(start)), nil
	}
	return bounded(plaintext.QuotePath(start) + "\n" + symbolLines(symbols)), nil
}

func (b *Bench) outlineFolder(start string) (string, error) {
	in, err := b.Workspace.Root().OpenRoot(start)
	if err != nil {
		return "", pathError(start, err)
	}
	defer func() { _ = in.Close() }()
	entries, err := fs.ReadDir(in.FS(), ".")
	if err != nil {
		return "", pathError(start, err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && languageOf(e.Name()) != nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return fmt.Sprintf("%s itself holds no source files with an outline: use list_files, or name one of its folders.", plaintext.QuotePath(start)), nil
	}
	var text strings.Builder
	for _, name := range names[:min(len(names), maxOutlineFile)] {
		c, err := load(in, name)
		if err != nil || binary(c.data) || text.Len() > maxOutline {
			continue
		}
		if symbols, _ := symbolsOf(c); len(symbols) > 0 {
			text.WriteString(plaintext.QuotePath(path.Join(start, name)) + "\n" + symbolLines(symbols))
		}
	}
	if more := len(names) - maxOutlineFile; more > 0 {
		fmt.Fprintf(&text, "[%s more]\n", plaintext.CountNoun(more, "file"))
	}
	return bounded(text.String()), nil
}

func symbolsOf(c content) ([]symbol, bool) {
	lang := languageOf(c.path)
	if lang == nil {
		return nil, false
	}
	return lang(string(c.data)), true
}

func symbolLines(symbols []symbol) string {
	var s strings.Builder
	for _, sym := range symbols {
		sym.text, _ = plaintext.EscapeLine(plaintext.CutCounted(sym.text, maxSymbol))
		s.WriteString(sym.String() + "\n")
	}
	return s.String()
}

// bounded cuts at the end of a line.
func bounded(text string) string {
	if len(text) <= maxOutline {
		return text
	}
	end := strings.LastIndexByte(text[:maxOutline], '\n') + 1
	return text[:end] + fmt.Sprintf("[%s more lines: name a file]\n", plaintext.FormatCount(strings.Count(text[end:], "\n")))
}
