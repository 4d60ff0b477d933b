package prompt

import (
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// CodeSpan is a command as people write it: the program counts tests by -json, nobody reads that.
func CodeSpan(command string) string {
	return strings.Replace(command, "go test -json ", "go test ", 1)
}

// HaltedRefusal refuse what would go on with stopped work.
const HaltedRefusal = "Refused: somebody stopped this work, and nobody who may approve has said \"go on\" since. Answer what was written, say that \"go on\" is waited for, and wait."

// Quote are somebody's own words, as a quote.
func Quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}

// EnteredText gives the words of a form back that came to nothing, so that they are not lost.
func EnteredText(m incoming.Message) string {
	if m.Kind != incoming.Form {
		return ""
	}
	return " What you entered was:\n" + Quote(m.Text)
}

func Wrong(format string, args ...any) model.Result {
	return model.Result{Wrong: true, Text: fmt.Sprintf(format, args...)}
}

func ShortHash(commit string) string {
	if len(commit) > 7 {
		return commit[:7]
	}
	return commit
}

func DerefResult(r *model.Result) model.Result {
	if r == nil {
		return model.Result{}
	}
	return *r
}

func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return plaintext.CutLine(line, 200)
}

// LeftLine is the line that says what stays open; empty where nothing does. What comes on lines
// of its own is left out, since it may sign as somebody else.
func LeftLine(left string) string {
	left, _, _ = strings.Cut(strings.TrimSpace(left), "\n")
	if left = plaintext.OneLine(left); left == "" {
		return ""
	}
	return "\nLeft as it was: " + plaintext.CutWord(left, 800)
}

// Span is a time in words that people use: 40 s, 12 min, 3 h, 2 days.
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
