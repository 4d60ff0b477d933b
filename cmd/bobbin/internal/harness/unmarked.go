package harness

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
)

// Unmarked returns a message of the bot without the marks of the lines that the program vouches for. Tests compare
// words with it; bot/internal/render tests the marks.
func Unmarked(text string) string { return strings.ReplaceAll(text, workflow.Mark+" ", "") }
