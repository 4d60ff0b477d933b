package mrkdwn

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// An emphasisParser parses *, _ and ~~ as emphasis only where CommonMark does and where they are clearly meant
// so: at the edges of words in running text. Models also write code without backticks, and __init__, f(*args)
// and '*' have to keep their characters.
type emphasisParser struct{ emphasis, strikethrough parser.InlineParser }

func newEmphasisParser() parser.InlineParser {
	return emphasisParser{parser.NewEmphasisParser(), extension.NewStrikethroughParser()}
}

func (emphasisParser) Trigger() []byte { return []byte{'*', '_', '~'} }

func (p emphasisParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	run := len(line) - len(strings.TrimLeft(string(line), string(line[:1])))
	from := p.emphasis
	if line[0] == '~' {
		if from = p.strikethrough; run != 2 {
			return nil // ~5 s, ~/bin
		}
	}
	node := from.Parse(parent, block, pc)
	if d, is := node.(*parser.Delimiter); is {
		before, after := string(block.Source()[:segment.Start]), string(line[run:])
		before = before[strings.LastIndexByte(before, '\n')+1:]
		opens, closes := mayOpenOrClose(before, line[0], run, after)
		d.CanOpen, d.CanClose = d.CanOpen && opens, d.CanClose && closes
	}
	return node
}

const (
	marks  = "*_~"
	quotes = `"'“”‘’`
	opened = "([{<"
	closed = ")]}>"
)

// mayOpenOrClose reports whether a run of marks between two parts of a line may open emphasis, and whether it may
// close it.
func mayOpenOrClose(before string, mark byte, run int, after string) (opens, closes bool) {
	last, first := lastRune(strings.TrimRight(before, marks)), firstRune(strings.TrimLeft(after, marks))
	if strings.ContainsRune(quotes+opened, last) && strings.ContainsRune(quotes+closed, first) {
		return false, false // '*', (_)
	}
	if mark == '_' && (run > 1 && dunder(before, after) || inName(identifierEnd.FindString(before)) || inName(identifierStart.FindString(after))) {
		return false, false // __init__, _GNU_SOURCE
	}
	opens = edge(last) || strings.ContainsRune("—–", last) || last == '(' && edge(lastRune(strings.TrimSuffix(strings.TrimRight(before, marks), "(")))
	opens = opens && (isWord(first) || strings.ContainsRune("`$@#"+quotes+opened, first))
	closes = edge(first) || strings.ContainsRune(".,;:!?…—–-"+quotes+closed, first)
	closes = closes && (isWord(last) || strings.ContainsRune("`%.,;:!?…+"+quotes+closed, last))
	return opens, closes
}

var (
	identifierEnd   = regexp.MustCompile(`[\pL\pN_]+$`)
	identifierStart = regexp.MustCompile(`^[\pL\pN_]+`)
)

// dunder reports whether two underscores are at an end of a name, as in __init__.
func dunder(before, after string) bool {
	return strings.HasPrefix(identifierEnd.FindString(before), "__") || strings.HasSuffix(identifierStart.FindString(after), "__")
}

// inName reports whether the name beside an underscore contains another underscore.
func inName(s string) bool { return strings.Contains(strings.Trim(s, "_"), "_") }

// edge reports whether r separates words: white space, or the edge of a line.
func edge(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.So, r) || unicode.IsMark(r))
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }
