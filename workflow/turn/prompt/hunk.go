package prompt

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/diff"
)

func HunkPlace(h diff.Hunk) string {
	place := h.Path
	if h.NewStart > 0 {
		place += fmt.Sprintf(":%d", h.NewStart)
	}
	return fmt.Sprintf("`%s` +%d −%d", place, h.Added, h.Removed)
}

// MaxHunkBytes is how much of a diff an agent is shown.
const MaxHunkBytes = 60 << 10

// HunkText is the diff, cut into its numbered hunks, as agents read it.
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
