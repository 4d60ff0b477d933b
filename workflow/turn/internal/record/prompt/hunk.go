package prompt

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
)

func HunkPlace(h diff.Hunk) string {
	place := h.Path
	if h.NewStart > 0 {
		place += fmt.Sprintf(":%d", h.NewStart)
	}
	return fmt.Sprintf("`%s` +%d −%d", place, h.Added, h.Removed)
}

// MaxHunkBytes is how many bytes of a diff an agent is shown.
const MaxHunkBytes = 60 << 10

// HunkText returns a diff as numbered hunks, as agents read it, cut after MaxHunkBytes.
func HunkText(hunks []diff.Hunk) string {
	var b strings.Builder
	for _, h := range hunks {
		text := h.Text
		if left := MaxHunkBytes - b.Len(); len(text) > left {
			text = strings.ToValidUTF8(text[:max(left, 0)], "") + "\n… (cut; read the file)"
		}
		fmt.Fprintf(&b, "Hunk %d, %s (%s):\n%s\n", h.Number, h.Path, h.Kind, strings.TrimRight(text, "\n"))
	}
	return b.String()
}

func CutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "\n… (cut)"
}

// MaxDiffBytes is how many bytes of one attempt's change are stored.
const MaxDiffBytes = 96 << 10

// CutDiff cuts a unified diff of several files after most bytes, and says how many lines and which
// files were cut.
func CutDiff(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const file = "diff --git "
	kept := strings.ToValidUTF8(text[:max(most, 0)], "")
	rest := strings.TrimSuffix(text[len(kept):], "\n")
	said := fmt.Sprintf("%d more lines", strings.Count(rest, "\n")+1)
	var files []string
	for _, part := range strings.Split("\n"+rest, "\n"+file)[1:] {
		name, _, _ := strings.Cut(part, "\n")
		_, name, _ = strings.Cut(name, " b/")
		files = append(files, FileName(name))
	}
	if len(files) > 0 {
		said += ", all of " + strings.Join(files[:min(len(files), 20)], ", ")
		if more := len(files) - 20; more > 0 {
			said += fmt.Sprintf(" and %d more files", more)
		}
	}
	return kept + "\n… (cut here: " + said + ")"
}
