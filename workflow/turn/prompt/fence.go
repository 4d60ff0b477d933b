package prompt

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Agents read two kinds of text: what the program says, in lines that begin with its mark,
// and what anybody else wrote, which is data. Data of several lines stands in a fence; a
// name stands in a line of the program's as a word that cannot pass for more. Permission
// rests on neither: it is a row (approve.go). This is so that an honest model is not misled.

// ProgramMark begins what the program itself tells an agent.
const ProgramMark = "(program) "

// fenceTags are the names of marks that data stands between.
var fenceTags = []string{"advice", "attachment", "commands", "conventions", "diff", "excerpts", "message", "output", "record", "removed", "report", "scope", "skill", "summary", "task", "tasks"}

// markPattern is the beginning of any of those marks, opening or closing, however it is written.
var markPattern = regexp.MustCompile(`(?i)<(\s*/?\s*(?:` + strings.Join(fenceTags, "|") + `)\b)`)

// Fence marks text as data. A mark of ours inside it is broken up, so that it can neither
// end the fence nor begin another, and what hides is made to be seen.
func Fence(name, text string) string {
	text = markPattern.ReplaceAllString(plaintext.EscapeText(text), `<\$1`)
	return "<" + name + ">\n" + strings.TrimRight(text, "\n") + "\n</" + name + ">"
}

var (
	MarkReplacements = regexp.MustCompile(`(?i)\(\s*program\s*\)`)
	plainName        = regexp.MustCompile(`^[\w.@+-]+/?$`)
)

const maxFileName = 100 // characters

// PersonName is a person's name, or another word of somebody's own choosing, as it may stand
// in a line of the program's.
func PersonName(name string) string {
	return MarkReplacements.ReplaceAllString(strings.NewReplacer("<", "‹", ">", "›").Replace(plaintext.OneLine(plaintext.EscapeText(name))), `"program"`)
}

// FileName is the name of a file likewise: in quotes unless it is a plain one.
func FileName(name string) string {
	if plainName.MatchString(name) && len(name) <= maxFileName {
		return name
	}
	return strconv.Quote(PersonName(plaintext.CutLine(name, maxFileName)))
}

// Indent keeps somebody's words of several lines under the line that they begin in.
func Indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
