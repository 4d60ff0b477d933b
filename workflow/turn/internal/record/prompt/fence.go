package prompt

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Agents read two kinds of text: the program's own words, in lines that begin with its mark, and what
// others wrote, which is data. Data of several lines is put into a fence; a name is put into a line of
// the program in a form that cannot pass for more. Permission depends on neither: it is a row
// (approval/approve.go). The marks are there so that an honest model is not misled.

// ProgramMark begins each text that the program itself writes for an agent.
const ProgramMark = "(program) "

// fenceTags holds the names of the fences around data.
var fenceTags = []string{
	"advice", "advisories", "attachment", "commands", "conflicts", "conventions", "criteria",
	"diff", "excerpts", "files", "lessons", "message", "output", "record", "reference", "removed",
	"report", "scope", "skill", "summary", "task", "tasks", "tests",
}

// markPattern matches the beginning of any fence mark, opening or closing, in any spelling.
var markPattern = regexp.MustCompile(`(?i)<(\s*/?\s*(?:` + strings.Join(fenceTags, "|") + `)\b)`)

// Fence marks text as data. A fence mark inside the text is broken up, so that it can neither end the
// fence nor begin another one, and invisible characters are made visible.
func Fence(name, text string) string {
	text = markPattern.ReplaceAllString(plaintext.EscapeText(text), `<\$1`)
	return "<" + name + ">\n" + strings.TrimRight(text, "\n") + "\n</" + name + ">"
}

var (
	MarkReplacements = regexp.MustCompile(`(?i)\(\s*program\s*\)`)
	plainName        = regexp.MustCompile(`^[\w.@+-]+/?$`)
)

const maxFileName = 100 // characters

// PersonName returns a person's name, or another word that a person chose, in a form that is safe in a
// line of the program.
func PersonName(name string) string {
	return MarkReplacements.ReplaceAllString(strings.NewReplacer("<", "‹",
		">", "›").Replace(plaintext.OneLine(plaintext.EscapeText(name))), `"program"`)
}

// FileName returns a file's name in a form that is safe in a line of the program: in quotes unless it
// is plain.
func FileName(name string) string {
	if plainName.MatchString(name) && len(name) <= maxFileName {
		return name
	}
	return strconv.Quote(PersonName(plaintext.CutLine(name, maxFileName)))
}

// Indent indents all lines but the first, so that a person's text of several lines stays under the line
// in which it begins.
func Indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(plaintext.UnifyLineEnds(text), "\n"), "\n", "\n  ")
}
