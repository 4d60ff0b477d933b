package review

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// minShown is how many bytes of each file of a change are shown at least, however many files there are.
const minShown = 2 << 10

// DiffText returns a change by its files, each line with the number by which a critic cites it. The
// files of a large change are all cut to the same length.
func DiffText(hunks []diff.Hunk) string { return diffText(hunks, prompt.MaxHunkBytes) }

func diffText(hunks []diff.Hunk, most int) string {
	var paths []string
	files := map[string]string{}
	for _, h := range hunks {
		if _, known := files[h.Path]; known {
			files[h.Path] += "       …\n"
		} else {
			paths = append(paths, h.Path)
			files[h.Path] = fmt.Sprintf("%s (%s)\n", plaintext.OneLine(h.Path), h.Kind)
		}
		files[h.Path] += numbered(h)
	}
	whole := 0
	for _, text := range files {
		whole += len(text)
	}
	var b strings.Builder
	for _, path := range paths {
		text := files[path]
		if share := max(most/len(paths), minShown); whole > most && len(text) > share {
			kept := text[:strings.LastIndexByte(text[:share], '\n')+1]
			text = kept + fmt.Sprintf("… (cut: %d more lines; read the file)\n", strings.Count(text[len(kept):], "\n"))
		}
		b.WriteString(text)
	}
	return b.String()
}

// numbered returns a hunk's lines, each with its line number in the new file. A removed line has its
// old number, as a negative number.
func numbered(h diff.Hunk) string {
	var b strings.Builder
	eachLine(h, func(op byte, old, now int, line string) {
		switch op {
		case '-':
			fmt.Fprintf(&b, "%6d -%s\n", -old, line)
		case '+', ' ':
			fmt.Fprintf(&b, "%6d %c%s\n", now, op, line)
		default:
			b.WriteString("       " + line + "\n")
		}
	})
	return b.String()
}

// eachLine calls visit for each line of a hunk. op is +, - or a space, and old and now are line
// numbers; op is 0 for a line that is no line of a file.
func eachLine(h diff.Hunk, visit func(op byte, old, now int, line string)) {
	old, now := h.OldStart, h.NewStart
	lined := strings.HasPrefix(h.Text, "@@")
	for line := range strings.Lines(h.Text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "@@"):
		case !lined || line == "" || line[0] == '\\':
			visit(0, old, now, line)
		case line[0] == '-':
			visit('-', old, now, line[1:])
			old++
		case line[0] == '+':
			visit('+', old, now, line[1:])
			now++
		default:
			visit(' ', old, now, line[1:])
			old++
			now++
		}
	}
}
