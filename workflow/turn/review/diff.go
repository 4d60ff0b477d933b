package review

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// minShown is how much is shown of each file of a change, however many there are.
const minShown = 2 << 10

// DiffText is a change by its files, each line with its number, as a critic cites it. Of a large
// change each file is cut alike.
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

// numbered is a hunk with the number of each line in the files now, or behind a minus the one
// that it had.
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

// eachLine goes through the lines of a hunk: + or - or a space with the line's number, or 0 with
// what is no line of a file.
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
