package pagestyle

import (
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
)

// A File holds the changes of one file in a diff.
type File struct {
	Name           string
	Added, Removed int
	Hunks          []Hunk
}

// A Hunk is one changed place of a file.
type Hunk struct {
	Head     string // @@ -1,2 +1,3 @@
	Within   string // what the head says after that: the function that the hunk is in
	From, To int    // line numbers in the new file; both 0 if the head has none
	Lines    []Line
}

// A Line is a line of a hunk: added, removed, or neither.
type Line struct {
	Sign     string // "+", "−" or " "
	Old, New int    // its numbers in the old and in the new file; 0: it is not in that file
	Code     template.HTML
}

// maxLines is how many lines of a diff are highlighted; later lines are plain.
const maxLines = 4000

// SplitDiff parses a unified diff. It ignores text before the first file.
func SplitDiff(diff string) (files []File) {
	budget := maxLines
	for _, text := range strings.Split("\n"+diff, "\ndiff --git ")[1:] {
		head, body, _ := strings.Cut(text, "\n@@ ")
		f := File{Name: nameIn(head)}
		if body != "" {
			for _, h := range strings.Split(body, "\n@@ ") {
				at, lines, _ := strings.Cut(h, "\n")
				one := Hunk{Head: "@@ " + at}
				old := one.readHead()
				list := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
				budget -= len(list)
				one.Lines = highlightLines(f.Name, list, budget > 0)
				one.numberLines(old)
				for _, l := range one.Lines {
					switch l.Sign {
					case "+":
						f.Added++
					case "−":
						f.Removed++
					}
				}
				f.Hunks = append(f.Hunks, one)
			}
		}
		files = append(files, f)
	}
	return files
}

var hunkHead = regexp.MustCompile(`^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)`)

// readHead reads the numbers in the hunk's head, and returns the number of its first line in the old file.
func (h *Hunk) readHead() (old int) {
	m := hunkHead.FindStringSubmatch(h.Head)
	if m == nil {
		return 0
	}
	count := 1
	if m[3] != "" {
		count, _ = strconv.Atoi(m[3])
	}
	h.From, _ = strconv.Atoi(m[2])
	h.To = h.From + max(count-1, 0)
	if strings.ContainsFunc(m[4], unicode.IsLetter) { // git may find a brace alone
		h.Within = m[4]
	}
	old, _ = strconv.Atoi(m[1])
	return old
}

// numberLines sets the numbers of the lines; old is that of the first one in the old file.
func (h *Hunk) numberLines(old int) {
	if h.From == 0 && old == 0 {
		return
	}
	next := h.From
	for i := range h.Lines {
		l := &h.Lines[i]
		if l.Sign == "\\" { // no line: the file's last one has no end
			continue
		}
		if l.Sign != "+" {
			l.Old = old
			old++
		}
		if l.Sign != "−" {
			l.New = next
			next++
		}
	}
}

// nameIn returns the file's name from the head of its diff: the new name, or the old name if the file was
// removed.
func nameIn(head string) string {
	lines := strings.Split(head, "\n")
	for _, begin := range []string{"+++ b/", "--- a/", "rename to "} {
		for _, l := range lines {
			if name, ok := strings.CutPrefix(l, begin); ok {
				return name
			}
		}
	}
	_, name, _ := strings.Cut(lines[0], " b/")
	return name
}

// highlightLines returns the lines of a hunk, highlighted in the file's language if colours is set and the
// language is known.
func highlightLines(name string, lines []string, colours bool) []Line {
	out := make([]Line, len(lines))
	text := make([]string, len(lines))
	for i, l := range lines {
		out[i].Sign = " "
		if l != "" {
			out[i].Sign = strings.Replace(l[:1], "-", "−", 1)
			text[i] = l[1:]
		}
		out[i].Code = template.HTML(template.HTMLEscapeString(text[i])) //nolint:gosec // it is escaped here
	}
	lexer := lexers.Match(name)
	if lexer == nil || !colours {
		return out
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, strings.Join(text, "\n"))
	if err != nil {
		return out
	}
	for i, line := range chroma.SplitTokensIntoLines(tokens.Tokens()) {
		var b strings.Builder
		if i >= len(out) || formatter.Format(&b, styles.Fallback, chroma.Literator(line...)) != nil {
			return out
		}
		out[i].Code = template.HTML(strings.ReplaceAll(b.String(), "\n", "")) //nolint:gosec // chroma escapes
	}
	return out
}
